"""What customers thought of answers: 👍 and 👎, with the typed Question; no text."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.records import KEPT_VOTES_DAYS, NewVote, Place, Vote, question_from_json, question_to_json
from bot.store.tables import NONE, votes


async def add_vote(connection: AsyncConnection, bot_id: int, place: Place, new: NewVote, now: datetime) -> None:
    """Keep a vote in the stead of the same user's earlier one on the same message."""
    voter = {"bot_id": bot_id, "chat_id": place.chat_id, "user_id": place.user_id or NONE}
    message = new.message_id or NONE
    mine = [votes.c[name] == value for name, value in voter.items()]
    await connection.execute(delete(votes).where(*mine, votes.c.message_id == message))
    await connection.execute(
        insert(votes).values(
            **voter, message_id=message, helped=new.helped, question=question_to_json(new.question), voted_at=now
        )
    )


async def forget_votes(connection: AsyncConnection, bot_id: int, chat_id: int, user_id: int) -> None:
    """Erase a user's votes in a chat."""
    own = (votes.c.bot_id == bot_id, votes.c.chat_id == chat_id, votes.c.user_id == user_id)
    await connection.execute(delete(votes).where(*own))


async def drop_old_votes(connection: AsyncConnection, now: datetime) -> None:
    """Erase the votes that were kept long enough."""
    await connection.execute(delete(votes).where(votes.c.voted_at < now - timedelta(days=KEPT_VOTES_DAYS)))


async def all_votes(connection: AsyncConnection) -> list[Vote]:
    """Every vote, oldest first, without who gave it."""
    rows = await connection.execute(select(votes).order_by(votes.c.id))
    found = ((row.voted_at, question_from_json(row.question), row.helped) for row in rows)
    return [Vote(at=at, question=question, helped=helped) for at, question, helped in found if question is not None]
