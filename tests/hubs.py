"""A model hub on loopback: repositories with their configs and counts, and every fault that a test names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

#: A dense model of 6.9 billion parameters that no catalogue knows.
WIDGET = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 11264,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 100_000,
    "max_position_embeddings": 16384,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}

Handler = Callable[[web.Request], Any]


class ModelHub:
    """``configs`` by owner/name, ``counts`` (what the API says of weights), ``faults`` (path's beginning -> a handler
    in its stead), and the paths that were asked, with their queries."""

    def __init__(self) -> None:
        self.configs: dict[str, Any] = {}
        self.counts: dict[str, Any] = {}
        self.faults: dict[str, Handler] = {}
        self.asked: list[str] = []
        self.seen: list[web.Request] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.raw_path)
        self.seen.append(request)
        for start, fault in self.faults.items():
            if request.path.startswith(start):
                said = fault(request)
                said = await said if asyncio.iscoroutine(said) else said
                return said if isinstance(said, web.StreamResponse) else web.Response(text=said)
        parts = request.path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            name = "/".join(parts[2:4])
            if name not in self.configs:
                return missing()
            return web.json_response({"id": name, **self.counts.get(name, {})})
        name = "/".join(parts[:2])
        if name not in self.configs:
            return missing()
        config = self.configs[name]
        return no_entry() if config is None else web.json_response(config)

    def files(self) -> list[str]:
        """The config.json files that were asked for."""
        return [path for path in self.asked if path.endswith("config.json")]


def refusal(status: int, code: str = "", **headers: str) -> web.Response:
    """As the hub refuses: with a code in a header, and a short text."""
    extra = {"X-Error-Code": code} if code else {}
    return web.Response(status=status, text="refused", headers={**extra, **headers})


def missing() -> web.Response:
    return refusal(401, "RepoNotFound")


def no_entry() -> web.Response:
    return refusal(404, "EntryNotFound")


def float_counts(total: int) -> dict[str, Any]:
    """What the API says of unquantised weights."""
    return {"safetensors": {"parameters": {"BF16": total}, "total": total}}


@asynccontextmanager
async def model_hub() -> AsyncIterator[ModelHub]:
    """Serve on loopback."""
    state = ModelHub()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", state.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    state.url = f"http://{host}:{port}"
    try:
        yield state
    finally:
        await runner.cleanup()
