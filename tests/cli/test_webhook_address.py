"""What GPUBOT_WEBHOOK_URL may be."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.settings import Settings


@pytest.mark.parametrize("url", ["https://a.example/b", "http://localhost:80/x", "http://127.0.0.1"])
def test_https_and_loopback_are_taken(url: str) -> None:
    assert Settings(webhook_url=url).webhook_url == url


@pytest.mark.parametrize("url", ["http://localhost.example.com/x", "http://127.0.0.1.example.com", "http://a.example"])
def test_a_host_that_only_begins_like_loopback_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="https"):
        Settings(webhook_url=url)
