"""Alembic's entry: runs on the connection that bot.store.migrate holds, inside its transaction."""

from alembic import context

from bot.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
