"""``python -m bot.reader.compile``: compile the lexicons, so that a cold start needs no YAML."""

from __future__ import annotations

from bot.reader.lexicon import write_compiled

if __name__ == "__main__":
    print(write_compiled().name)
