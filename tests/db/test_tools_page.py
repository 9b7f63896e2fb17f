"""Does docs/tools.md do what it says?"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workindex import WorkIndex
from workindex.assembler.rendering import parsed

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


def test_the_page_runs(
    work_index: WorkIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are read, and its program sends the letter."""
    blocks = dict(re.findall(r"```(json|toml|python)\n(.*?)```", PAGE.read_text(), re.DOTALL))
    (tmp_path / "tools").mkdir()
    for form in ("json", "toml"):
        (tmp_path / "tools" / f"page.{form}").write_text(blocks[form])
    monkeypatch.chdir(tmp_path)
    given: dict[str, Any] = {"work_index": work_index, "now": datetime(2026, 3, 2, tzinfo=UTC)}
    exec(compile(blocks["python"], str(PAGE), "exec"), given)
    assert list(given["tools"].view().registry.groups) == ["clock", "mail"]
    ((heads, content),) = parsed(given["told"])
    assert heads["source"] == "tool_result:mail.send"
    assert content == {"tool": "mail.send", "result": {"sent_to": "Bob"}}
