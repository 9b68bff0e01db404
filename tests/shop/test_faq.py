"""The shop's own texts: what a file may hold, and what an answer makes of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bot.chat import Voice, take_turn
from bot.render.i18n import SHIPPED
from bot.shop.faq import FaqList, FaqText, faq_from_json, faq_to_json, read_faq_file, with_texts
from bot.shop.files import ShopFileError
from bot.shop.shop import Shop

TODAY = date(2026, 12, 1)
TOPICS = ("refund", "software", "payment")
HEAD = 'locale = "en"\nas_of = 2026-11-20\nsource = "Support"\n'
PT = FaqList("pt_BR", TODAY, "Suporte", (FaqText("refund", "policy", "Devolvemos em 7 dias <b>&"),))
EN = FaqList("en", TODAY, "Support", (FaqText("refund", "policy", "Paid back within 7 days"),))


def said(shop: Shop, text: str, locale: str) -> str:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    turn = take_turn(text, history=[], shop=shop, now=now, voice=Voice(chosen=locale))
    return turn.text().plain.replace("\u00a0", " ")


def test_a_file_is_read_and_survives_the_store(tmp_path: Path) -> None:
    path = tmp_path / "faq.toml"
    path.write_text(HEAD + '[refund]\npolicy = "Paid  back\\nwithin 7 days"\n', encoding="utf-8-sig")
    found = read_faq_file(path, TODAY, SHIPPED, TOPICS)
    assert found == FaqList(
        "en", date(2026, 11, 20), "Support", (FaqText("refund", "policy", "Paid back within 7 days"),)
    )
    assert faq_from_json(faq_to_json(found)) == found


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (HEAD.replace('"en"', '"xx"') + '[refund]\nx = "y"', "locale has to be one of"),
        (HEAD.replace("2026-11-20", "2027-01-01") + '[refund]\nx = "y"', "in the future"),
        (HEAD.replace("2026-11-20", '"soon"') + '[refund]\nx = "y"', "as_of"),
        (HEAD.replace('"Support"', '""') + '[refund]\nx = "y"', "source"),
        (HEAD + '[refunds]\nx = "y"', "did you mean refund"),
        (HEAD + 'refund = "y"', "must be a [section]"),
        (HEAD + "[refund]\nx = 3", "refund.x has to be a text"),
        (HEAD + '[refund]\nx = " "', "refund.x has to be a text"),
        (HEAD + f'[refund]\nx = "{"y" * 601}"', "at most 600"),
        (HEAD + '[refund]\n"a b" = "y"', "a name of letters"),
        (HEAD, "holds 0 texts"),
        (HEAD + "[refund\n", "not valid TOML"),
    ],
)
def test_a_bad_file_is_one_line_that_names_the_field(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "faq.toml"
    path.write_text(text)
    with pytest.raises(ShopFileError, match=r"faq\.toml") as caught:
        read_faq_file(path, TODAY, SHIPPED, TOPICS)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_text_answers_what_was_not_published_in_the_readers_language_or_another(shop: Shop) -> None:
    both = with_texts(shop, [PT, EN])
    assert "not published" in said(shop, "can I get a refund?", "en")
    assert "Paid back within 7 days (Support, 1 Dec 2026)" in said(both, "can I get a refund?", "en")
    assert "not published" not in said(both, "can I get a refund?", "en")
    portuguese = said(both, "vocês fazem reembolso?", "pt_BR")
    assert "Devolvemos em 7 dias <b>&" in portuguese
    assert "Paid back" not in portuguese
    assert "Paid back within 7 days" in said(both, "¿puedo pedir un reembolso?", "es")
    assert "Devolvemos" in said(with_texts(shop, [PT]), "can I get a refund?", "en")


def test_the_list_of_a_locale_imported_last_counts(shop: Shop) -> None:
    newer = FaqList("en", TODAY, "Support", (FaqText("refund", "policy", "Within 14 days"),))
    text = said(with_texts(shop, [EN, newer]), "can I get a refund?", "en")
    assert "Within 14 days" in text
    assert "7 days" not in text
