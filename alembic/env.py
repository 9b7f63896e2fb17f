"""Runs migrations on the connection that workindex.eventlog.migrate hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table=context.config.attributes["version_table"],
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
