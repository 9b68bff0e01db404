"""What was learnt of a model hub's repositories."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "hub_models",
        sa.Column("id", sa.String(300), nullable=False),
        sa.Column("read_at", _moment, nullable=False),
        sa.Column("expires_at", _moment, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hub_models"),
    )
    op.create_index("ix_hub_models_expires_at", "hub_models", ["expires_at"])


def downgrade() -> None:
    op.drop_table("hub_models")
