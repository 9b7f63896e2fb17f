"""What bounded reads, catch-up and the operator's commands need beside the first schema."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

FOLDER = Path(__file__).with_name("0002_bounded_reads_and_operations")
BEFORE = Path(__file__).with_name("0001_log_and_work_index")


def upgrade() -> None:
    for path in (FOLDER / "up.sql", FOLDER / "functions.sql"):
        op.get_bind().exec_driver_sql(_text(path))


def downgrade() -> None:
    for path in (FOLDER / "down.sql", BEFORE / "functions.sql"):
        op.get_bind().exec_driver_sql(_text(path))


def _text(path: Path) -> str:
    # The driver reads a percent sign as a bind.
    return path.read_text(encoding="utf-8").replace("%", "%%")
