"""Votes on answers."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "votes",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("chat_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.Column("helped", sa.Boolean, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("voted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_votes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_votes_chat_id_user_id", "votes", ["chat_id", "user_id"])


def downgrade() -> None:
    op.drop_table("votes")
