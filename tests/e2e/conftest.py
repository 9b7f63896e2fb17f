"""The installed command on a fresh database."""

from __future__ import annotations

import pytest

from commands import Command
from conftest import Urls


@pytest.fixture
def workindex(urls: Urls) -> Command:
    """`workindex`, pointed at a fresh database."""
    return Command(urls.env)
