"""Numbers, dollars, gigabytes, dates and formulas as each locale writes them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from bot.render.i18n import SHIPPED, Speaker


@pytest.mark.parametrize(
    ("locale", "dollars", "memory", "day"),
    [
        ("pt_BR", "US$\u00a01.670,40", "52,5\u00a0GB", "09/10/2026"),
        ("en", "$1,670.40", "52.5\u00a0GB", "9 Oct 2026"),
        ("es", "US$\u00a01.670,40", "52,5\u00a0GB", "09/10/2026"),
        ("fr", "1\u202f670,40\u00a0$US", "52,5\u00a0Go", "09/10/2026"),
        ("de", "1.670,40\u00a0$", "52,5\u00a0GB", "09.10.2026"),
        ("it", "1.670,40\u00a0$", "52,5\u00a0GB", "09/10/2026"),
        ("ru", "1\u00a0670,40\u00a0$", "52,5\u00a0ГБ", "09.10.2026"),
        ("zh_Hans", "$1,670.40", "52.5\u00a0GB", "2026年10月9日"),
        ("tr", "1.670,40\u00a0$", "52,5\u00a0GB", "09.10.2026"),
        ("id", "US$1.670,40", "52,5\u00a0GB", "9 Okt 2026"),
    ],
)
def test_figures_are_written_as_the_locale_writes_them(locale: str, dollars: str, memory: str, day: str) -> None:
    say = Speaker(locale)
    assert say.usd(Decimal("1670.4")) == dollars
    assert say.gb(52.5) == memory
    assert say.date(date(2026, 10, 9)) == day


@pytest.mark.parametrize("locale", SHIPPED)
def test_dollars_are_the_amount_with_a_sign(locale: str) -> None:
    say = Speaker(locale)
    price = Decimal("0.8215")
    assert say.cents(price) in say.usd(price)
    assert "$" in say.usd(price)
    assert "$" not in say.cents(price)


def test_a_formula_has_the_locales_units() -> None:
    said = Speaker("fr").formula("70 x 0.5 bytes = 35 GB")
    assert said == "70 × 0,5 octets = 35 Go"
