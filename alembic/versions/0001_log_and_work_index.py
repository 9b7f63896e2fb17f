"""The log, the Work Index and the functions between them."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

FOLDER = Path(__file__).with_name("0001_log_and_work_index")


def upgrade() -> None:
    for name in ("log.sql", "projections.sql", "functions.sql"):
        op.get_bind().exec_driver_sql(_text(name))
    op.execute("GRANT SELECT ON workindex_revision TO workindex_app, workindex_maint")


def downgrade() -> None:
    op.get_bind().exec_driver_sql(_text("down.sql"))


def _text(name: str) -> str:
    # The driver reads a percent sign as a bind.
    return (FOLDER / name).read_text(encoding="utf-8").replace("%", "%%")
