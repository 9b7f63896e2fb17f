"""Questions about a time read the meetings that can matter to it, not all that there were."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

FOLDER = Path(__file__).with_name("0003_meetings_by_time")
BEFORE = Path(__file__).with_name("0002_bounded_reads_and_operations")


def upgrade() -> None:
    _replace(FOLDER)


def downgrade() -> None:
    _replace(BEFORE)


def _replace(functions: Path) -> None:
    for path in (FOLDER / "drop.sql", functions / "functions.sql"):
        op.get_bind().exec_driver_sql(_text(path))


def _text(path: Path) -> str:
    # The driver reads a percent sign as a bind.
    return path.read_text(encoding="utf-8").replace("%", "%%")
