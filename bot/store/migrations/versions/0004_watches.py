"""Watched prices, and who looks after them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("thread_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("subject", sa.String(40), nullable=False),
        sa.Column("sign", sa.String(2), nullable=False),
        sa.Column("amount", sa.String(40), nullable=False),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("armed", sa.Boolean, nullable=False),
        sa.Column("fired", sa.Integer, nullable=False),
        sa.Column("changed_at", _moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_watches"),
        sa.UniqueConstraint(
            "bot_id", "chat_id", "thread_id", "number", name="uq_watches_bot_id_chat_id_thread_id_number"
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "leases",
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("leased_until", _moment, nullable=False),
        sa.PrimaryKeyConstraint("bot_id", "name", name="pk_leases"),
    )


def downgrade() -> None:
    op.drop_table("leases")
    op.drop_table("watches")
