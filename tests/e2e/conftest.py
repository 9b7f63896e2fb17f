"""The command line on a fresh database."""

from __future__ import annotations

import pytest

from commands import Command, Installed
from conftest import Urls


@pytest.fixture
def workindex(urls: Urls) -> Command:
    """`workindex` in this process, pointed at a fresh database."""
    return Command(urls.env)


@pytest.fixture
def installed(urls: Urls) -> Installed:
    """The installed `workindex`, pointed at a fresh database."""
    return Installed(urls.env)
