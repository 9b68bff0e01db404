"""Tables.  Every moment is UTC; ids are Telegram's, 64 bits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """An aware moment: kept as UTC without a zone where the database knows none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


#: Only a plain INTEGER key numbers itself in SQLite; it holds 64 bits there too.
_Serial: Final = BigInteger().with_variant(Integer(), "sqlite")

#: A part of a place's key that is absent: no topic, no known user.  Telegram uses 0 for neither.
NONE: Final = 0

#: Updates whose handling is over, so that a repeated delivery finds its work done.
updates: Final = Table(
    "updates",
    metadata,
    Column("bot_id", BigInteger, primary_key=True),
    Column("update_id", BigInteger, primary_key=True),
    Column("handled_at", Moment, nullable=False, index=True),
    Column("outcome", String(16), nullable=False),  # "handled", or "unreadable", "failed": given up on
)

#: Updates that Telegram was told have come and that wait for their turn, as they came; none stays once it is handled.
inbox: Final = Table(
    "inbox",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("bot_id", BigInteger, nullable=False),
    Column("update_id", BigInteger, nullable=False),
    Column("payload", Text, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("lane", BigInteger),  # what is handled in order: the chat, or the user where there is no chat
    Column("owner", String(64), nullable=False, server_default=""),  # the replica that handles it
    Column("leased_until", Moment, nullable=False, server_default="2000-01-01 00:00:00"),
    UniqueConstraint("bot_id", "update_id"),
    sqlite_autoincrement=True,
)

#: What is known of a chat as a whole.
chats: Final = Table(
    "chats",
    metadata,
    Column("chat_id", BigInteger, primary_key=True, autoincrement=False),
    Column("reachable", Boolean, nullable=False),
    Column("moved_to", BigInteger),
    Column("changed_at", Moment, nullable=False),
)

#: Settings of a place: a private chat, or one user in one topic of a group.
places: Final = Table(
    "places",
    metadata,
    Column("chat_id", BigInteger, primary_key=True),
    Column("thread_id", BigInteger, primary_key=True),
    Column("user_id", BigInteger, primary_key=True),
    Column("settings", Text, nullable=False),  # a JSON object of strings
    Column("changed_at", Moment, nullable=False),
)

#: The last questions of a place, typed; never their text.
questions: Final = Table(
    "questions",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("chat_id", BigInteger, nullable=False),
    Column("thread_id", BigInteger, nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("message_id", BigInteger),
    Column("asked_at", Moment, nullable=False, index=True),
    Column("question", Text, nullable=False),
    Index(None, "chat_id", "user_id", "thread_id"),
    sqlite_autoincrement=True,
)

#: Every message to send, recorded before it is sent.  Its text is dropped once its outcome is known.
outbox: Final = Table(
    "outbox",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("key", String(96), nullable=False, unique=True),
    Column("bot_id", BigInteger, nullable=False),
    Column("chat_id", BigInteger, nullable=False),
    Column("payload", Text),  # a JSON object; null once the outcome is known
    Column("answers", BigInteger),  # the user's message that this answers
    Column("state", String(12), nullable=False),  # waiting, sent, failed
    Column("owner", String(64), nullable=False),  # the replica that sends it
    Column("leased_until", Moment, nullable=False),
    Column("uncertain", Integer, nullable=False),  # tries whose outcome is unknown: each may have arrived
    Column("message_id", BigInteger),
    Column("fault", String(200)),
    Column("recorded_at", Moment, nullable=False, index=True),
    sqlite_autoincrement=True,
)
Index(
    "ix_outbox_waiting",
    outbox.c.bot_id,
    outbox.c.id,
    sqlite_where=text("state = 'waiting'"),
    postgresql_where=text("state = 'waiting'"),
)
Index("ix_outbox_answers", outbox.c.chat_id, outbox.c.answers)
Index("ix_outbox_message", outbox.c.chat_id, outbox.c.message_id)

#: Every price list that was imported.  The one in force on a day has the latest date up to it.
price_lists: Final = Table(
    "price_lists",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("as_of", String(10), nullable=False),
    Column("imported_at", Moment, nullable=False),
    Column("imported_by", String(200), nullable=False),
    Column("document", Text, nullable=False),
    sqlite_autoincrement=True,
)

#: Votes on answers: the bot's message, what it answered, and whether that helped.
votes: Final = Table(
    "votes",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("bot_id", BigInteger, nullable=False),
    Column("chat_id", BigInteger, nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("helped", Boolean, nullable=False),
    Column("question", Text, nullable=False),
    Column("voted_at", Moment, nullable=False),
    Index(None, "chat_id", "user_id"),
    sqlite_autoincrement=True,
)

#: Imported lists that no longer count.
withdrawals: Final = Table(
    "withdrawals",
    metadata,
    Column("kind", String(10), primary_key=True),  # prices or faq
    Column("list_id", BigInteger, primary_key=True, autoincrement=False),
    Column("withdrawn_at", Moment, nullable=False),
    Column("withdrawn_by", String(200), nullable=False),
)

#: The shop's own texts for frequent questions: of each locale the list imported last counts.
faq_lists: Final = Table(
    "faq_lists",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("locale", String(10), nullable=False),
    Column("imported_at", Moment, nullable=False),
    Column("imported_by", String(200), nullable=False),
    Column("document", Text, nullable=False),  # a JSON object, see bot/shop/faq.py
    sqlite_autoincrement=True,
)

#: What sources agreed on, a row a refresh, and what the operator set.
rates: Final = Table(
    "rates",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("recorded_at", Moment, nullable=False, index=True),
    Column("recorded_by", String(200), nullable=False),
    Column("manual", Boolean, nullable=False),
    Column("document", Text, nullable=False),  # a JSON array of rates; amounts as strings
    sqlite_autoincrement=True,
)

#: What was learnt of a model hub's repositories: nobody's question, only the repository's name.
hub_models: Final = Table(
    "hub_models",
    metadata,
    Column("id", String(300), primary_key=True),  # owner/name, perhaps with @revision
    Column("read_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
    Column("document", Text, nullable=False),  # a JSON object, see bot/hub/values.py
)

#: Prices that a chat, or a topic of a group, is told of when they pass a limit.
watches: Final = Table(
    "watches",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("bot_id", BigInteger, nullable=False),
    Column("chat_id", BigInteger, nullable=False),
    Column("thread_id", BigInteger, nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),  # what /unwatch names it by
    Column("message_id", BigInteger),  # the user's message that set it
    Column("subject", String(40), nullable=False),  # a GPU's id or a coin
    Column("sign", String(2), nullable=False),
    Column("amount", String(40), nullable=False),  # the limit in dollars
    Column("locale", String(16), nullable=False),
    Column("armed", Boolean, nullable=False),  # False: it has told, and waits for the price to go back
    Column("fired", Integer, nullable=False),  # how often it has told
    Column("changed_at", Moment, nullable=False),
    UniqueConstraint("bot_id", "chat_id", "thread_id", "number"),
    sqlite_autoincrement=True,
)

#: Which replica does what only one may do, and until when unless it says so again.
leases: Final = Table(
    "leases",
    metadata,
    Column("bot_id", BigInteger, primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("leased_until", Moment, nullable=False),
)
