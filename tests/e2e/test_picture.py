"""The README's picture of a terminal shows what the program does, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import Urls
from workindex.cli.picture import SESSION, terminal_svg

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path("docs/terminal.svg")


def test_the_picture_is_fresh(urls: Urls, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands run again give the same bytes, whatever the terminal at hand is like."""
    for name, value in {**urls.env, "COLUMNS": "40", "NO_COLOR": "1", "LOGNAME": "bob"}.items():
        monkeypatch.setenv(name, value)
    wanted = (ROOT / PICTURE).read_text(encoding="utf-8")
    assert terminal_svg() == wanted, f"run: python -m workindex.cli.picture > {PICTURE}"


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    """It is whole SVG that names no host, no font file and no script."""
    text = (ROOT / PICTURE).read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert set(re.findall(r"https?://[^\s\"]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@font-face|@import|href|<script|<image", text)
    for command in SESSION:
        assert "$&#160;" in text
        shown = command.replace(" ", "&#160;").replace('"', "&quot;")
        assert shown in text, command


def test_the_readme_shows_it() -> None:
    """By a link within the repository."""
    assert f"]({PICTURE})" in (ROOT / "README.md").read_text(encoding="utf-8")
