"""How a message was read, for people: tokens, mentions with their roles, the intent and its evidence."""

from __future__ import annotations

from bot.reader.read import trace


def explanation(text: str) -> str:
    """The trace of one message as text."""
    found = trace(text)
    question = found.question
    lines = [f"tokens   {' | '.join(token.text for token in found.scan.tokens)}"]
    lines.extend(
        f"mention  {mention.role:<8} {mention.text!r} [{mention.start}:{mention.end}] -> {mention.value}"
        for mention in sorted(question.mentions, key=lambda m: (m.start, m.end))
    )
    lines.append(f"language {question.lang or 'not clear'}")
    lines.append(f"intent   {question.intent}, because of {', '.join(found.decision.evidence) or 'nothing recognised'}")
    lines.extend(f"slot     {name} = {value}" for name, value in question.slots.stated().items())
    if question.notes:
        lines.append(f"notes    {', '.join(question.notes)}")
    if question.problem is not None:
        lines.append(f"problem  {question.problem.field} must be {question.problem.allowed}")
    return "\n".join(lines)
