"""``python -m bot.render.extract``: collect the code's messages into the .po files and list what is not translated.

English is the language of the code, so its own catalogue is filled by itself.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from bot.render.i18n import DOMAIN, SHIPPED
from planner.resources import folder

#: Functions whose arguments are messages; many() and many_text() take singular and plural.
KEYWORDS: dict[str, tuple[int, ...] | None] = {"_": None, "many": (1, 2), "many_text": (1, 2)}

MessageId = str | tuple[str, ...]


def messages() -> list[MessageId]:
    """Every message in the code, in the order of files and lines."""
    root = Path(__file__).resolve().parent.parent
    found = extract_from_dir(str(root), [("**.py", "python")], keywords=KEYWORDS)
    return list(
        dict.fromkeys(message for _file, _line, message, _comments, _context in sorted(found, key=lambda m: m[:2]))
    )


def catalogue_path(locale: str) -> Path:
    """Where a locale's .po file is."""
    return folder("locales") / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(locale: str) -> Catalog:
    """A locale's catalogue as it stands."""
    with catalogue_path(locale).open("rb") as file:
        return read_po(file, locale=locale)


def field_names(message: str) -> set[str]:
    """The {fields} of a message."""
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(message) if name is not None}


def complete(message: MessageId, said: MessageId) -> bool:
    """Whether every form is translated and has the message's fields."""
    forms = (said,) if isinstance(said, str) else said
    model = message if isinstance(message, str) else message[1]
    return bool(forms) and all(form and field_names(form) == field_names(model) for form in forms)


def _said(stored: str | Sequence[str] | None) -> MessageId:
    return stored if isinstance(stored, str) else tuple(stored or ())


def update(locale: str, wanted: list[MessageId]) -> Iterator[MessageId]:
    """Rewrite one catalogue to hold exactly the wanted messages; yields those without a full translation."""
    old = read(locale)
    new = Catalog(locale=locale, project=DOMAIN, charset="utf-8", fuzzy=False, copyright_holder="The gpubot developers")
    new.header_comment = f"# {DOMAIN}: what the bot says in {locale}."
    new.creation_date = old.creation_date
    new.revision_date = old.revision_date
    for message in wanted:
        known = old.get(message if isinstance(message, str) else message[0])
        said: MessageId = message
        if locale != "en":
            said = _said(known.string) if known is not None else ""
        new.add(message, said)
        if not complete(message, said):
            yield message
    with catalogue_path(locale).open("wb") as file:
        write_po(file, new, width=120)


def main() -> int:
    """Update every catalogue; 1 when something lacks a translation."""
    wanted = messages()
    missing = [(locale, message) for locale in SHIPPED for message in update(locale, wanted)]
    for locale, message in missing:
        print(f"{locale}: {message!r}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
