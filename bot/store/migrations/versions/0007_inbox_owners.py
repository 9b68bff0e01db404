"""Parked updates have an owner, whose hold ends unless it is renewed, and the lane that they are handled in."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_LONG_AGO = "2000-01-01 00:00:00"


def upgrade() -> None:
    # What an older version parked belongs to nobody: the next to look takes it up.
    with op.batch_alter_table("inbox") as inbox:
        inbox.add_column(sa.Column("lane", sa.BigInteger))
        inbox.add_column(sa.Column("owner", sa.String(64), nullable=False, server_default=""))
        inbox.add_column(
            sa.Column("leased_until", sa.DateTime(timezone=True), nullable=False, server_default=_LONG_AGO)
        )


def downgrade() -> None:
    with op.batch_alter_table("inbox") as inbox:
        inbox.drop_column("leased_until")
        inbox.drop_column("owner")
        inbox.drop_column("lane")
