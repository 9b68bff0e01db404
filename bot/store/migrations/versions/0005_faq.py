"""The shop's own texts for frequent questions; lists of prices and texts can be withdrawn."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "faq_lists",
        sa.Column("id", _serial, autoincrement=True, nullable=False),
        sa.Column("locale", sa.String(10), nullable=False),
        sa.Column("imported_at", _moment, nullable=False),
        sa.Column("imported_by", sa.String(200), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_faq_lists"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "withdrawals",
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("list_id", sa.BigInteger, nullable=False),
        sa.Column("withdrawn_at", _moment, nullable=False),
        sa.Column("withdrawn_by", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("kind", "list_id", name="pk_withdrawals"),
    )


def downgrade() -> None:
    op.drop_table("withdrawals")
    op.drop_table("faq_lists")
