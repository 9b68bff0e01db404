"""Logs: one line an event, as text or JSON, with every secret masked after all is rendered.

No message text is ever logged, at any level: libraries that log what they carry stay at WARNING.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import quote

#: The update that is being handled ("u700000001"); every line logged meanwhile carries it.
request_id: Final[ContextVar[str]] = ContextVar("request_id", default="-")

MASK: Final = "***"
#: What any bot's token looks like; a stranger's token in a message of Telegram's is masked too.
_TOKEN: Final = re.compile(r"\d{5,}(:|%3[Aa])[A-Za-z0-9_-]{20,}")
_PASSWORD: Final = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)@")

#: What logging puts on every record; the rest are fields that the caller gave.
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Masking(logging.Formatter):
    """Renders a record whole, arguments and traceback included, and masks secrets in what came out."""

    def __init__(self, secrets: Iterable[str], style: Literal["text", "json"]) -> None:
        super().__init__()
        self._json = style == "json"
        parts = {form for secret in secrets if secret for form in (secret, quote(secret, safe=""))}
        longest_first = sorted(parts, key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, longest_first))) if parts else None

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        fields: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "from": record.name,
            "request": request_id.get(),
            "event": record.getMessage(),
        }
        fields |= {name: value for name, value in vars(record).items() if name not in _OWN}
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return self.mask(json.dumps(fields, ensure_ascii=False, default=str) if self._json else _as_text(fields))

    def mask(self, text: str) -> str:
        """A text without secrets."""
        if self._secrets is not None:
            text = self._secrets.sub(MASK, text)
        return _PASSWORD.sub(rf"\1:{MASK}@", _TOKEN.sub(MASK, text))


def _as_text(fields: dict[str, Any]) -> str:
    head = f"{fields.pop('at')} {fields.pop('level'):<7} {fields.pop('from')} [{fields.pop('request')}]"
    event, traceback = fields.pop("event"), fields.pop("traceback", None)
    rest = "".join(f" {name}={value}" for name, value in fields.items())
    line = f"{head} {event}{rest}".replace("\n", "\\n").replace("\r", "\\r")
    return line if traceback is None else f"{line}\n{traceback}"


def set_up_logs(level: str, style: Literal["text", "json"], secrets: Iterable[str]) -> None:
    """Log to standard error: our own events from ``level`` on, warnings of everything else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Masking(secrets, style))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    for ours in ("bot", "planner"):
        logging.getLogger(ours).setLevel(level)
