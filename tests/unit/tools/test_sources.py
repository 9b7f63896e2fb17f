"""May a registry be given one file or many, as text or as a path, and what is a folder told?"""

from __future__ import annotations

from pathlib import Path

import pytest

from workindex.assembler.tools import BadToolSource, registry_from_files

MAIL = Path(__file__).parents[3] / "examples" / "tools" / "mail.json"


@pytest.mark.parametrize("given", [MAIL, str(MAIL), [MAIL], [str(MAIL)], iter([MAIL])])
def test_one_file_or_many_as_text_or_path(given: object) -> None:
    """All of them are the same registry: a text is one file, not its letters."""
    assert list(registry_from_files(given).groups) == ["mail"]  # type: ignore[arg-type]


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_folder_is_named_with_what_to_give(tmp_path: Path, keep_going: bool) -> None:
    """It never becomes a file: nothing to try again, and nothing that is left out in silence."""
    (tmp_path / "mail.json").write_bytes(MAIL.read_bytes())
    with pytest.raises(BadToolSource) as raised:
        registry_from_files(tmp_path, keep_going=keep_going)
    assert "is a folder" in str(raised.value)
    assert f"Path({str(tmp_path)!r}).glob('*.json')" in str(raised.value)
    assert list(registry_from_files(tmp_path.glob("*.json")).groups) == ["mail"]
