"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "updates",
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("update_id", sa.BigInteger, nullable=False),
        sa.Column("handled_at", _moment, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("bot_id", "update_id", name="pk_updates"),
    )
    op.create_index("ix_updates_handled_at", "updates", ["handled_at"])
    op.create_table(
        "chats",
        sa.Column("chat_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("reachable", sa.Boolean, nullable=False),
        sa.Column("moved_to", sa.BigInteger),
        sa.Column("changed_at", _moment, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", name="pk_chats"),
    )
    op.create_table(
        "places",
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("thread_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("changed_at", _moment, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "user_id", name="pk_places"),
    )
    op.create_table(
        "questions",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("thread_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("asked_at", _moment, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_questions_asked_at", "questions", ["asked_at"])
    op.create_index("ix_questions_chat_id_user_id_thread_id", "questions", ["chat_id", "user_id", "thread_id"])
    op.create_table(
        "outbox",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("key", sa.String(96), nullable=False),
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.Text),
        sa.Column("answers", sa.BigInteger),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("leased_until", _moment, nullable=False),
        sa.Column("uncertain", sa.Integer, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("fault", sa.String(200)),
        sa.Column("recorded_at", _moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_recorded_at", "outbox", ["recorded_at"])
    op.create_index("ix_outbox_answers", "outbox", ["chat_id", "answers"])
    op.create_index("ix_outbox_message", "outbox", ["chat_id", "message_id"])
    waiting = sa.text("state = 'waiting'")
    op.create_index("ix_outbox_waiting", "outbox", ["bot_id", "id"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_table(
        "price_lists",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("as_of", sa.String(10), nullable=False),
        sa.Column("imported_at", _moment, nullable=False),
        sa.Column("imported_by", sa.String(200), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_price_lists"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    for table in ("price_lists", "outbox", "questions", "places", "chats", "updates"):
        op.drop_table(table)
