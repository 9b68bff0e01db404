"""Start, stop, kill: nothing is lost, and an operator's mistakes end in one line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import URL

from crash import Report, crash
from peer import BotApi, slow
from process import Bot, Mode, check_log, running


def database(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> URL:
    if kind == "sqlite":
        return URL.create("sqlite+aiosqlite", database=str(tmp_path / "crash.db"))
    url: URL = request.getfixturevalue("new_database")
    return url


CELLS = pytest.mark.parametrize(
    ("mode", "kind"),
    [("polling", "sqlite"), ("webhook", "sqlite"), ("polling", "postgresql"), ("webhook", "postgresql")],
)


def judge(report: Report) -> None:
    assert report.faults == []
    assert report.asked > 0
    assert (report.lost, report.out_of_order) == (0, 0), report
    assert report.doubled <= report.uncertain, report


@CELLS
async def test_kill_9_loses_nothing(
    api: BotApi, tmp_path: Path, request: pytest.FixtureRequest, mode: Mode, kind: str
) -> None:
    judge(await crash(api, tmp_path, mode, database(kind, tmp_path, request), kills=3, seed=1))


@pytest.mark.soak
@CELLS
async def test_fifty_times_kill_9_loses_nothing(
    api: BotApi, tmp_path: Path, request: pytest.FixtureRequest, mode: Mode, kind: str
) -> None:
    api.checking = False
    report = await crash(api, tmp_path, mode, database(kind, tmp_path, request), kills=50, seed=50)
    print(f"\n{mode}, {kind}: {report}")
    judge(report)


@pytest.mark.parametrize("mode", ["polling", "webhook"])
async def test_pitfall_31_sigterm_finishes_what_came_and_confirms_it(api: BotApi, tmp_path: Path, mode: Mode) -> None:
    async with running(api, tmp_path, mode) as bot:
        api.say("1B", chat=1)
        await api.until(lambda: api.chat(1))
        api.script("sendMessage", slow(0.7), chat=1)  # still on its way when SIGTERM comes
        for n in range(100):
            api.say(f"{n + 2}B", chat=n % 10 + 1)
        await asyncio.sleep(0.02)
        assert await bot.stop() == 0
        taken = 101 - len(api.pending)
        assert sum(len(api.chat(chat)) for chat in range(1, 11)) == taken
    api.say("200B", chat=1)
    async with running(api, tmp_path, mode):
        await api.until(lambda: sum(len(api.chat(chat)) for chat in range(1, 11)) == 102)
    for chat in range(1, 11):
        sizes = [int(message["text"].split("B")[0]) for message in api.chat(chat)]
        assert sizes == sorted(sizes)


async def test_a_token_that_telegram_refuses_ends_in_one_line(api: BotApi, tmp_path: Path) -> None:
    bot = Bot(api.url, tmp_path, token="123456789:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB")
    await bot.start()
    assert await bot.exit() == 2
    assert bot.lines().splitlines() == [
        "gpubot: GPUBOT_TOKEN, GPUBOT_API_URL: the Bot API at that address does not know this token"
    ]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"token": "sesame"}, "GPUBOT_TOKEN: must look like"),
        ({"database_url": "postgresql://u:sesame@127.0.0.1:9/x"}, "GPUBOT_DATABASE_URL: the database is not there"),
        ({"webhook_secret": "se same"}, "GPUBOT_WEBHOOK_SECRET: must be"),
        ({"tokn": "sesame"}, "did you mean GPUBOT_TOKEN?"),
    ],
)
async def test_pitfall_54_a_wrong_setting_ends_in_one_line_without_its_value(
    api: BotApi, tmp_path: Path, settings: dict[str, str], says: str
) -> None:
    bot = Bot(api.url, tmp_path, **settings)
    await bot.start()
    assert await bot.exit() == 2
    (line,) = bot.lines().splitlines()[-1:]
    assert says in line
    assert "sesame" not in bot.lines()
    check_log(bot.lines())


async def test_a_port_that_is_taken_ends_in_one_line(api: BotApi, tmp_path: Path) -> None:
    taken = api.url.removeprefix("http://")
    bot = Bot(api.url, tmp_path, webhook_url="http://127.0.0.1/", webhook_listen=taken)
    await bot.start()
    assert await bot.exit() == 2
    assert "GPUBOT_WEBHOOK_LISTEN" in bot.lines().splitlines()[-1]


async def test_a_telegram_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    async with BotApi() as gone:
        url = gone.url
    bot = Bot(url, tmp_path)
    await bot.start()
    await asyncio.sleep(1.5)
    assert bot.running
    assert "Telegram does not answer" in bot.lines()
    assert await bot.stop() == 0
    assert bot.lines().splitlines()[-1].endswith("stopped")
    check_log(bot.lines())


async def test_two_bots_on_one_file_are_refused(api: BotApi, tmp_path: Path) -> None:
    async with running(api, tmp_path, "polling"):
        api.say("70B", chat=1)
        await api.until(lambda: api.chat(1))
        second = Bot(api.url, tmp_path)
        second.log = tmp_path / "second.log"
        await second.start()
        assert await second.exit() == 2
        assert "another gpubot runs on it" in second.lines().splitlines()[-1]
