"""``python -m bot.render.compile``: write the .mo files, so that a cold start parses no .po file."""

from __future__ import annotations

from bot.render.i18n import write_compiled

if __name__ == "__main__":
    for path in write_compiled():
        print(path.name, path.parent.parent.name)
