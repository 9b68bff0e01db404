"""Logs: one line an event, as text or JSON, with every secret masked after all is rendered.

No message text is ever logged, at any level: libraries that log what they carry stay at WARNING.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Literal
from urllib.parse import quote

#: The update that is being handled ("u700000001"); every line logged meanwhile carries it.
request_id: Final[ContextVar[str]] = ContextVar("request_id", default="-")

#: Lines that wait to be written, and seconds they get at the end.
_QUEUED: Final = 10_000
_FLUSH: Final = 1.0
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


class Dropping(logging.Handler):
    """Writes lines to a file descriptor from a thread of its own, and drops what nobody reads.

    A log whose pipe is full, or whose disk is, must not hold up the bot, nor its end.
    """

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd = fd
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._dropped = 0
        self._thread = Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Put a line in the queue; it is rendered here, where its request is known."""
        if self._lines.qsize() >= _QUEUED:
            self._dropped += 1
            return
        try:
            self._lines.put(f"{self.format(record)}\n".encode("utf-8", "backslashreplace"))
        except Exception:
            self._dropped += 1

    def close(self) -> None:
        """Write what is queued, for a moment at most."""
        self._lines.put(None)
        self._thread.join(_FLUSH)
        super().close()

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            if self._dropped:
                line, self._dropped = line + f"{self._dropped} log lines were dropped\n".encode(), 0
            with suppress(OSError):
                while line:
                    line = line[os.write(self._fd, line) :]


def set_up_logs(level: str, style: Literal["text", "json"], secrets: Iterable[str]) -> None:
    """Log to standard error: our own events from ``level`` on, warnings of everything else."""
    # Where it is closed, its number may be another file's.
    handler = logging.NullHandler() if sys.stderr is None else Dropping(sys.stderr.fileno())
    handler.setFormatter(Masking(secrets, style))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    for ours in ("bot", "planner"):
        logging.getLogger(ours).setLevel(level)
