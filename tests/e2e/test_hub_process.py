"""Models from a hub with the real process: looked up, kept over a restart, and never in anybody's way."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from aiohttp import web
from hubs import WIDGET, model_hub, refusal
from test_conversation import Chat

from peer import BotApi
from process import running

ID = "acme/widget-one"


async def test_a_model_is_looked_up_once_and_kept_over_a_restart(api: BotApi, tmp_path: Path) -> None:
    ana, bob = Chat(api, 1), Chat(api, 2)
    async with model_hub() as hub:
        hub.configs[ID] = WIDGET
        async with running(api, tmp_path, "polling", hub_url=hub.url):
            assert "config.json" in (await ana.says(f"{ID} com LoRA?"))["text"]
            assert "config.json" in (await bob.says(f"cabe {ID} numa L40S?"))["text"]
            missing = (await bob.says("acme/nothing-13B com LoRA?"))["text"]
            assert "31,2 GB" in missing
            assert "acme/nothing-13B" in missing.splitlines()[-3] or "hub" in missing
        async with running(api, tmp_path, "polling", hub_url=hub.url) as bot:
            assert "QLoRA" in (await ana.says("e com QLoRA?"))["text"]
        assert "a model was read" in bot.lines()
        assert "acme" not in bot.lines()
        assert len([path for path in hub.files() if ID in path]) == 1
        assert all("LoRA" not in path and "cabe" not in path for path in hub.asked)


async def test_a_hub_that_hangs_delays_its_own_chat_only(api: BotApi, tmp_path: Path) -> None:
    ana, bob = Chat(api, 1), Chat(api, 2)

    async def hang(_request: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    async with model_hub() as hub:
        hub.faults["/"] = hang
        async with running(api, tmp_path, "polling", hub_url=hub.url):
            waiting = asyncio.create_task(ana.says("acme/widget-13B com LoRA?"))
            await api.until(lambda: bool(hub.asked))
            assert "168 GB" in (await bob.says("70B com LoRA?"))["text"]
            assert not waiting.done()
            assert "31,2 GB" in (await waiting)["text"]


async def test_the_command_line_looks_up_the_same_way(tmp_path: Path) -> None:
    async with model_hub() as hub:
        hub.configs[ID] = WIDGET
        hub.faults["/acme/closed"] = lambda _: refusal(401, "GatedRepo")
        lines = [
            {"text": f"{ID} LoRA"},
            {"text": "QLoRA?", "context": [f"{ID} LoRA"]},
            {"text": "acme/closed-13B LoRA"},
        ]
        answers = await asyncio.to_thread(_ask, tmp_path, hub.url, lines)
        off = await asyncio.to_thread(_ask, tmp_path, "", lines)
        assert len(hub.files()) == 2
    assert [answer["answer"]["notes"][0] for answer in answers] == ["hub_read", "hub_read", "hub_gated"]
    assert answers[0]["answer"]["methods"][0]["plan_gb"] == 15.816
    hub_says = answers[2]["answer"]["hub"]
    assert (hub_says["id"], hub_says["state"], hub_says["params_b"]) == ("acme/closed-13B", "gated", None)
    assert [answer["answer"]["notes"][0] for answer in off] == ["hub_off"] * 3
    assert not (tmp_path / "data").exists()


def _ask(home: Path, url: str, lines: list[dict[str, object]]) -> list[dict[str, Any]]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "GPUBOT_DATA_DIR": str(home / "data"), "GPUBOT_HUB_URL": url}
    ran = subprocess.run(
        [sys.executable, "-m", "bot.cli", "ask", "--stdin", "--json", "--lang", "en"],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        cwd=home,
        env=env,
        check=True,
        timeout=60,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]
