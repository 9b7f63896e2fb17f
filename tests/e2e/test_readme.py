"""What the README shows is what happens: its commands and programs run, its output is compared."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

from conftest import Urls
from shown import run_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md",)
LINK = re.compile(r"\]\((?!https?:|#)(?P<target>[^)#]+)")


@pytest.mark.pages
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page: str, urls: Urls, tmp_path: Path) -> None:
    """Every console and python block of the page runs and prints what stands there."""
    text = (ROOT / page).read_text(encoding="utf-8")
    scripts = sysconfig.get_path("scripts")
    env = {**urls.env, "PATH": f"{scripts}:{urls.env['PATH']}", "COLUMNS": "80", "USER": "ann"}
    env |= {"LOGNAME": "ann", "LANG": "C.UTF-8"}
    ran = run_blocks(text, env, tmp_path, must_succeed=False)
    assert ran > 3, "the page shows hardly anything that runs"


@pytest.mark.parametrize("page", sorted(p.relative_to(ROOT) for p in ROOT.glob("docs/**/*.md")))
def test_links_of_documents_lead_somewhere(page: Path) -> None:
    """A relative link of a document names a file or folder of the repository."""
    check_links(page)


def test_links_of_the_readme_lead_somewhere() -> None:
    """A relative link of the README names a file or folder of the repository."""
    check_links(Path("README.md"))


def check_links(page: Path) -> None:
    """Every relative link of the page exists."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in LINK.finditer(text):
        target = (ROOT / page).parent / link["target"]
        assert target.exists(), f"{page} links to {link['target']}, which is not there"
