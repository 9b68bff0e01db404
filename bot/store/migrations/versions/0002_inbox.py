"""Updates that wait for their turn."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("bot_id", sa.BigInteger, nullable=False),
        sa.Column("update_id", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.UniqueConstraint("bot_id", "update_id", name="uq_inbox_bot_id_update_id"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("inbox")
