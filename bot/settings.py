"""Settings: GPUBOT_* variables and .env.  Faults name the field and the mend, never a value."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo

import platformdirs
from dotenv.parser import parse_stream
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.shop.shop import Links
from planner.errors import OperatorError

PREFIX: Final = "GPUBOT_"
#: The database's file in the data directory, unless another database is set.
DATABASE: Final = "gpubot.db"

if TYPE_CHECKING:
    from sqlalchemy import URL


#: pydantic's kinds of errors in an operator's words.
_WORDS: Final = {
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
}


class SettingsError(OperatorError):
    """A setting that can't be used: one line that says which and how to mend it, without its value."""


def _blank(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


Optional = BeforeValidator(_blank)


class Settings(BaseSettings):
    """What an operator can set.  Each field's description is what --help and the README say."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", hide_input_in_errors=True)

    token: Annotated[SecretStr | None, Optional] = Field(None, description="Telegram bot token from @BotFather")
    api_url: str = Field("https://api.telegram.org", description="base address of the Bot API")
    database_url: Annotated[SecretStr | None, Optional] = Field(
        None, description="database address; default: SQLite in the data directory"
    )
    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("gpubot", appauthor=False)),
        description="directory of the database, caches and history",
    )
    lang: Annotated[str | None, Optional] = Field(None, description="default locale of answers (pt_BR, en, es, ...)")
    timezone: str = Field("UTC", description="time zone of office hours and digests")
    webhook_url: Annotated[str | None, Optional] = Field(
        None, description="public https address for updates; unset: polling"
    )
    webhook_listen: str = Field("127.0.0.1:8080", description="address and port the webhook server listens on")
    webhook_secret: Annotated[SecretStr | None, Optional] = Field(
        None, description="secret Telegram sends with each update"
    )
    shop_url: Annotated[str | None, Optional] = Field(None, description="where to rent; shown with answers")
    dashboard_url: Annotated[str | None, Optional] = Field(None, description="the customer's dashboard")
    support_contact: Annotated[str | None, Optional] = Field(None, description="how to reach a person")
    price_stale_days: int = Field(30, ge=1, le=3650, description="days after which prices are said to be old")
    memory_days: int = Field(7, ge=1, le=90, description="days a chat's questions are kept")
    rates: str = Field(
        "kraken,coinbase,bitstamp,coingecko",
        description="sources of exchange rates that gpubot run asks each minute (also: binance), or off",
    )
    rates_url: Annotated[str | None, Optional] = Field(
        None, description="base address of a proxy for these sources: <address>/kraken/0/public/Ticker..."
    )
    hub_url: Annotated[str | None, Optional] = Field(
        "https://huggingface.co",
        description="model hub whose config.json is read for a model that is named by its id or address; empty: off",
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    log_format: Literal["text", "json"] = Field("text", description="text or json: one line an event")
    drain_seconds: int = Field(
        8, ge=1, le=300, description="seconds for updates, and then for messages, to be finished when it is stopped"
    )
    lease_seconds: int = Field(
        30, ge=3, le=3600, description="seconds of silence after which another replica sends what one left unsent"
    )

    @field_validator("api_url", "shop_url", "dashboard_url", "rates_url", "hub_url")
    @classmethod
    def _http(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return value.rstrip("/") if value else value

    @field_validator("rates")
    @classmethod
    def _sources(cls, value: str) -> str:
        from bot.rates.shapes import SOURCES

        names = [name.strip().lower() for name in value.split(",") if name.strip()]
        if names != ["off"] and (not names or not set(names) <= SOURCES.keys()):
            raise ValueError(f"must be off, or of {', '.join(SOURCES)} with commas between")
        return ",".join(dict.fromkeys(names))

    @field_validator("webhook_url")
    @classmethod
    def _https(cls, value: str | None) -> str | None:
        loopback = value is not None and re.match(r"http://(127\.0\.0\.1|localhost)([:/]|$)", value)
        if value is not None and not value.startswith("https://") and not loopback:
            raise ValueError("must start with https:// (Telegram accepts no other)")
        return value

    @field_validator("token")
    @classmethod
    def _token(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[0-9]{3,18}:[A-Za-z0-9_-]{10,}", value.get_secret_value().strip()):
            raise ValueError("must look like 123456789:AAE..., as @BotFather gives it")
        return None if value is None else SecretStr(value.get_secret_value().strip())

    @field_validator("webhook_secret")
    @classmethod
    def _secret(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value.get_secret_value()):
            raise ValueError("must be 1 to 256 of A-Z, a-z, 0-9, _ and -")
        return value

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("must be an IANA name such as America/Sao_Paulo") from None
        return value

    @field_validator("lang")
    @classmethod
    def _shipped(cls, value: str | None) -> str | None:
        from bot.render.i18n import SHIPPED, negotiate

        if value is None:
            return None
        found = negotiate(value)
        if found is None:
            raise ValueError(f"must be one of {', '.join(SHIPPED)}")
        return found

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        if value.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return value.upper()

    @field_validator("webhook_listen")
    @classmethod
    def _address(cls, value: str) -> str:
        host, _colon, port = value.rpartition(":")
        if not host or not port.isdigit() or not 0 <= int(port) <= 65535:
            raise ValueError("must be HOST:PORT, e.g. 127.0.0.1:8080")
        return value

    @property
    def database(self) -> URL:
        """The database's address.  Raises StoreError for one that is none."""
        from bot.store.engine import database_url

        configured = self.database_url
        return database_url(None if configured is None else configured.get_secret_value(), self.data_dir / DATABASE)

    @property
    def rate_sources(self) -> tuple[str, ...]:
        """The sources of exchange rates to ask; none where that is off."""
        return () if self.rates == "off" else tuple(self.rates.split(","))

    @property
    def links(self) -> Links:
        """The addresses that answers may carry."""
        return Links(self.shop_url, self.dashboard_url, self.support_contact)


def load_settings(env_file: Path | None = None) -> Settings:
    """Settings from the environment, then .env.  Raises SettingsError for an unknown name or a bad value."""
    file = env_file or Path(".env")
    _refuse_unknown([*os.environ, *_names_in(file)])
    try:
        return Settings(_env_file=file)
    except ValidationError as error:
        raise SettingsError(_one_line(error)) from None


def _names_in(file: Path) -> list[str]:
    """The names that a .env file sets.  Raises SettingsError for a line that is none: python-dotenv would skip it."""
    if not file.exists():
        return []
    try:
        with file.open(encoding="utf-8") as lines:
            bindings = list(parse_stream(lines))
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{file}: cannot be read; it must be a text file of NAME=value lines") from None
    for binding in bindings:
        if binding.error:
            raise SettingsError(f"{file}, line {binding.original.line}: must be NAME=value; mind the quotes")
    return [binding.key for binding in bindings if binding.key is not None]


def _refuse_unknown(names: Iterable[str]) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in names:
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = get_close_matches(name.upper(), known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"
            raise SettingsError(f"{name} is not a setting{hint}")


def _one_line(error: ValidationError) -> str:
    first: Mapping[str, Any] = error.errors(include_url=False, include_input=False)[0]
    field = str(first["loc"][0]) if first["loc"] else "settings"
    message = _WORDS.get(first["type"], str(first["msg"])).format(**first.get("ctx", {})).removeprefix("Value error, ")
    return f"{PREFIX}{field.upper()}: {message[0].lower()}{message[1:]}"


def describe() -> list[tuple[str, str, str]]:
    """(name, default, description) of every setting, for --help and the README."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None or field.default_factory is not None else str(field.default)
        if name == "data_dir":
            default = "the user data directory"
        rows.append((PREFIX + name.upper(), default, field.description or ""))
    return rows
