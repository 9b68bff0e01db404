"""Telegram: handlers decide, receivers take updates in, the sender delivers."""

import os

# python-telegram-bot's way of asking for durations as timedelta, which the next version gives anyway.
os.environ.setdefault("PTB_TIMEDELTA", "1")
