"""Is a wrong settings file named, with the place and what to do?"""

from __future__ import annotations

from pathlib import Path

import pytest

from workindex.assembler.policies import policy_named
from workindex.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ("[policy.small]\nlimit = 10", "policy.small", "policy.small: Value error, target, limit"),
        ("[policy.small]\ntarget = -1", "policy.small.target", "policy.small.target: Input should"),
        ("[policy.small.ceilings]\nhall = 1", "policy.small.ceilings.hall", "ceilings.hall: Extra"),
        (
            '[policy.small]\nbased_on = "large"',
            "policy.small.based_on",
            "unknown 'large': choose one of assistant, strict",
        ),
        ("policy.small", "settings", "give a TOML file with a table [policy.NAME]"),
    ],
)
def test_what_is_wrong_in_a_settings_file_is_named(
    tmp_path: Path, given: str, field: str, words: str
) -> None:
    """File, place and problem, with no dot where there is no field."""
    settings = tmp_path / "policies.toml"
    settings.write_text(given)
    with pytest.raises(InvalidInput) as raised:
        policy_named("small", settings)
    assert raised.value.field == field
    assert str(settings) in str(raised.value)
    assert words in str(raised.value)


def test_a_settings_file_that_is_not_there_is_told_what_to_be(tmp_path: Path) -> None:
    """Like one that is no TOML."""
    with pytest.raises(InvalidInput, match=r"No such file.*: give a TOML file with a table"):
        policy_named("small", tmp_path / "none.toml")
