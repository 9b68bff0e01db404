"""Short notices: language, privacy, what can't be read, buttons that are no longer good, inline results."""

from __future__ import annotations

import re
from typing import Final, Literal

from bot.render.document import Builder, Span, visible
from bot.render.i18n import LANGUAGE_NAMES, SHIPPED, _, negotiate, speaker
from bot.render.text import Text, units
from bot.render.views.commands import finished
from bot.render.views.talk import example_lines

Unread = Literal["sound", "picture", "sticker", "file", "personal", "other", "nothing"]

_UNREAD: Final[dict[Unread, str]] = {
    "sound": _("I can't listen to recordings yet. Please type your question."),
    "picture": _("I can't look at pictures, but I read the text under them. Please type your question."),
    "sticker": _("Nice one! Type a question and I answer it."),
    "file": _("I can't open files. Please type your question."),
    "personal": _("I don't need contacts or places, and keep none. Please type your question."),
    "other": _("I can only read text. Please type your question."),
    "nothing": _("I found no text in that message. Please type your question."),
}


def _only(locale: str, message: str) -> Text:
    """A notice of one line."""
    build = Builder()
    build.line(speaker(locale).line(message))
    return finished(build)


def view_language(locale: str, chosen: str | None, *, unknown: bool) -> Text:
    """The language in force, above the buttons that change it."""
    say, build = speaker(locale), Builder()
    if unknown:
        build.line(say.line(_("I don't speak that language yet. I understand several, and answer in these:")))
    elif chosen in LANGUAGE_NAMES:
        build.line(say.line(_("The language of my answers: <b>{language}</b>."), language=LANGUAGE_NAMES[chosen]))
        build.line(say.line(_("If you write in another of these, I follow you. Choose one:")))
    else:
        build.line(say.line(_("I answer in the language you write in. Or choose one:")))
    return finished(build)


def view_languages(locale: str, chosen: str | None) -> list[tuple[str | None, str]]:
    """The choices: each language in its own name, and following the messages."""
    say = speaker(locale)
    mark = {True: "✓ ", False: ""}
    return [
        *((code, mark[code == chosen] + LANGUAGE_NAMES[code]) for code in SHIPPED),
        (None, mark[chosen is None] + say.text(_("Like my messages"))),
    ]


def view_language_set(locale: str, chosen: str | None) -> Text:
    """That the choice is kept."""
    say, build = speaker(locale), Builder()
    if chosen is None:
        build.line(say.line(_("Done: I answer in the language you write in.")))
    else:
        # Said in the chosen language: each translation names its own.
        build.line(
            say.line(_("Done: from now on I answer in English. If you write in another of my languages, I follow it."))
        )
    return finished(build)


def named_locale(name: str) -> str | None:
    """The shipped locale that a code or a name stands for: "es-MX", "português (Brasil)", "English".  None for any
    other."""
    wish = name.strip().casefold()
    named = _WORD.match(wish)
    if named is not None and named[0] in _NAMES:
        return _NAMES[named[0]]
    # Only what looks like a code: "pt", "pt-br"; "ptolemaic" is none.
    code = wish.replace("-", "_").partition("_")[0]
    return negotiate(wish) if len(code) == 2 else None


_WORD: Final = re.compile(r"[^\W\d_]+")
_NAMES: Final = {
    "português": "pt_BR",
    "portugues": "pt_BR",
    "portuguese": "pt_BR",
    "portugués": "pt_BR",
    "brasileiro": "pt_BR",
    "english": "en",
    "inglês": "en",
    "ingles": "en",
    "inglés": "en",
    "español": "es",
    "espanol": "es",
    "espanhol": "es",
    "spanish": "es",
    "castellano": "es",
    "français": "fr",
    "francais": "fr",
    "francês": "fr",
    "frances": "fr",
    "francés": "fr",
    "french": "fr",
    "französisch": "fr",
    "francese": "fr",
    "deutsch": "de",
    "german": "de",
    "alemão": "de",
    "alemao": "de",
    "alemán": "de",
    "aleman": "de",
    "allemand": "de",
    "tedesco": "de",
    "italiano": "it",
    "italian": "it",
    "italien": "it",
    "italienisch": "it",
}


def view_privacy(locale: str, days: int, kept: int, votes_days: int) -> Text:
    """What is kept, for how long, and how to erase it."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("<b>What I keep</b>")))
    build.line(
        say.many(
            "• Your last {kept} questions as figures (size, method, GPU, hours), for {n} day, so that you can ask on.",
            "• Your last {kept} questions as figures (size, method, GPU, hours), for {n} days, so that you can ask on.",
            days,
            kept=kept,
        )
    )
    build.line(say.line(_("• The language and the coin you chose.")))
    build.line(say.line(_("• The prices you asked me to watch, until you remove them.")))
    build.line(
        say.line(_("• Your 👍 and 👎, with the question as figures, for {days} days."), days=say.number(votes_days))
    )
    build.line(say.line(_("• The numbers of our messages, so that an edit of yours corrects my answer.")))
    build.line(say.line(_("• Names of models that I looked up on a model hub: nothing else of yours goes there.")))
    build.gap()
    build.line(
        say.line(_("I don't keep the text of a message once it is answered, nor your name. /forget erases everything."))
    )
    return finished(build)


def view_forget(locale: str) -> Text:
    """The question before erasing."""
    return _only(locale, _("Erase your questions, your settings and your watches here?"))


def view_forget_choices(locale: str) -> tuple[str, str]:
    """Erase, keep."""
    say = speaker(locale)
    return say.text(_("Erase")), say.text(_("Keep"))


def view_forgotten(locale: str) -> Text:
    """That everything is erased."""
    return _only(locale, _("Done: everything I kept about you here is erased."))


def view_kept(locale: str) -> Text:
    """That nothing was erased."""
    return _only(locale, _("Nothing was erased."))


def view_unread(locale: str, unread: Unread) -> Text:
    """What can't be read, and what to do instead."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_UNREAD[unread]))
    build.lines(example_lines(say))
    return finished(build)


def view_failure(locale: str, contact: str | None) -> Text:
    """That a fault of ours kept the answer away."""
    say, build = speaker(locale), Builder()
    build.line(say.line(_("Sorry, I failed to answer that: a fault of mine, not of your question.")))
    if contact:
        build.line(say.line(_("You can reach a person here: <b>{contact}</b>"), contact=contact))
    else:
        build.line(say.line(_("Please put it in other words.")))
    return finished(build)


def view_old_button(locale: str) -> str:
    """A notice over the chat, at most 200 characters."""
    return speaker(locale).text(_("This button is from an older version. Please ask again."))


def view_foreign_button(locale: str) -> str:
    """A notice over the chat, at most 200 characters."""
    return speaker(locale).text(_("This button is for whoever asked."))


def view_fresh_start(locale: str) -> Text:
    """What to do instead of an old button."""
    return _only(locale, _("That button no longer works. Ask anew, or try one of these:"))


def view_asked(text: str, answer: Text) -> Text:
    """A question above its answer, for questions that were not typed into the chat."""
    asked = visible(text).replace("\n", " ").strip()
    build = Builder()
    build.line((Span(asked, "bold"),))
    head = finished(build)
    return Text(f"{head.html}\n\n{answer.html}", f"{head.plain}\n\n{answer.plain}") if asked else answer


def view_cut_query(locale: str, limit: int) -> str:
    """Above inline results: the query was cut."""
    return speaker(locale).text(_("Only the first {limit} characters were read. Ask me here"), limit=limit)


def view_price_list_title(locale: str) -> str:
    """The price list's title among inline results."""
    return speaker(locale).text(_("Price list"))


def shorten(text: str, limit: int) -> str:
    """A text on one line, cut at a word when it is over ``limit`` UTF-16 units."""
    line = " ".join(visible(text).split())
    if units(line) <= limit:
        return line
    cut = line.encode("utf-16-le")[: 2 * (limit - 1)].decode("utf-16-le", "ignore")
    head = cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut
    return f"{head}…"


def summary(text: Text, limit: int = 120) -> str:
    """The answer's first lines, under an inline result's title."""
    return shorten(" · ".join(line for line in text.plain.splitlines()[:3] if line.strip()), limit)
