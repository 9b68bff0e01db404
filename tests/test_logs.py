"""Logs: secrets are masked in whatever comes out; no text of a message goes in."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from bot.logs import MASK, Masking, request_id

TOKEN = "123456789:AAH-secret_secret_secret_secret_abc"


def written(formatter: Masking, *args: object, exc: bool = False, **fields: object) -> str:
    record = logging.LogRecord("bot.x", logging.INFO, "f", 1, str(args[0]), args[1:], sys.exc_info() if exc else None)
    for name, value in fields.items():
        setattr(record, name, value)
    return formatter.format(record)


@pytest.mark.parametrize("style", ["text", "json"])
def test_pitfall_25_secrets_are_masked_wherever_they_stand(style: str) -> None:
    formatter = Masking([TOKEN, "hook-secret"], style)  # type: ignore[arg-type]
    url = f"https://api.telegram.org/bot{TOKEN}/getMe"
    lines = [
        written(formatter, "calling %s", url),
        written(formatter, "failed", fault=ValueError(url)),
        written(formatter, "quoted " + TOKEN.replace(":", "%3A")),
        written(formatter, "secret hook-secret"),
        written(formatter, "a stranger's 987654321:BBH-other_other_other_other_other_x"),
        written(formatter, "postgresql://gpubot:sesame@db/gpubot"),
    ]
    try:
        raise RuntimeError(f"cannot reach {url}") from ValueError(TOKEN)
    except RuntimeError:
        lines.append(written(formatter, "broken", exc=True))
    for line in lines:
        assert MASK in line
        for secret in (TOKEN, TOKEN[12:], "hook-secret", "BBH-other", "sesame"):
            assert secret not in line


def test_a_line_is_one_line_and_carries_the_request() -> None:
    token = request_id.set("u7")
    line = written(Masking([], "text"), "a\nb", kind="message")
    assert json.loads(written(Masking([], "json"), "a\nb", kind="message"))["request"] == "u7"
    request_id.reset(token)
    assert line.endswith("[u7] a\\nb kind=message")
