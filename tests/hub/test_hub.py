"""A model hub may do whatever it likes: an answer is right, or absent with the reason, and never late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from hubs import WIDGET, ModelHub, float_counts, missing, model_hub, no_entry, refusal

from bot.hub.ask import Hub
from bot.hub.fetch import MAX_BYTES
from bot.hub.values import HubModel, from_document, parse_id, to_document

ID = "acme/widget-one"
FILE = f"/{ID}/resolve"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 5, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Shelf:
    """A cache that a dictionary stands in for."""

    def __init__(self, clock: Clock) -> None:
        self.rows: dict[str, tuple[HubModel, datetime]] = {}
        self._clock = clock

    async def hub_model(self, hub_id: str) -> HubModel | None:
        found, until = self.rows.get(hub_id, (None, self._clock.now))
        return found if until > self._clock.now else None

    async def keep_hub_model(self, found: HubModel, until: datetime) -> None:
        self.rows[found.id] = (found, until)


async def one(hub: Hub, name: str = ID) -> HubModel:
    return (await hub.find([name]))[name]


async def asked(state: ModelHub, name: str = ID) -> HubModel:
    hub = Hub(state.url, clock=Clock())
    try:
        return await one(hub, name)
    finally:
        await hub.close()


async def test_a_config_becomes_the_architecture_and_only_the_id_is_sent() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        found = await asked(state)
    assert found.state == "read"
    assert found.model is not None
    assert (found.model.layers, found.model.kv_heads, found.model.id) == (32, 8, ID)
    assert found.params_b == pytest.approx(6.595, abs=0.01)
    assert sorted(state.asked) == [
        "/acme/widget-one/resolve/main/config.json",
        "/api/models/acme/widget-one?expand=safetensors&expand=gguf",
    ]
    assert all(request.headers["User-Agent"] == "gpubot" and not request.cookies for request in state.seen)


async def test_a_revision_is_asked_for_as_one_part_of_the_path() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        found = await asked(state, f"{ID}@refs/pr/3")
    assert found.state == "read"
    assert "/acme/widget-one/resolve/refs%2Fpr%2F3/config.json" in state.asked
    assert any(path.startswith("/api/models/acme/widget-one/revision/refs%2Fpr%2F3?") for path in state.asked)


async def _hang(_request: web.Request) -> web.Response:
    await asyncio.sleep(30)
    return web.Response()


async def _drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(300):
        await response.write(b" ")
        await asyncio.sleep(0.1)
    return response


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(2 * MAX_BYTES // 65_536):
        await response.write(b" " * 65_536)
    return response


async def _cut(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"model_type": "lla')
    assert request.transport is not None
    request.transport.close()
    return response


def _says(text: str) -> Callable[[web.Request], str]:
    return lambda _request: text


def _without(key: str) -> Callable[[web.Request], web.Response]:
    return lambda _request: web.json_response({name: value for name, value in WIDGET.items() if name != key})


FAULTS: dict[str, tuple[Callable[[web.Request], Any], str, str | None]] = {
    "gated by its code": (lambda _: refusal(401, "GatedRepo"), "gated", None),
    "403": (lambda _: refusal(403), "gated", None),
    "401 without a code": (lambda _: refusal(401), "missing", None),
    "404": (lambda _: refusal(404), "missing", None),
    "no repository": (lambda _: missing(), "missing", None),
    "no such revision": (lambda _: refusal(404, "RevisionNotFound"), "no_revision", None),
    "no config.json": (lambda _: no_entry(), "no_config", None),
    "429": (lambda _: refusal(429), "busy", None),
    "500": (lambda _: refusal(500), "away", None),
    "hangs": (_hang, "slow", None),
    "drips": (_drip, "slow", None),
    "too long": (_endless, "unreadable", None),
    "cut off": (_cut, "away", None),
    "HTML": (_says("<html>Just a moment...</html>"), "unreadable", "config.json"),
    "a list": (_says("[]"), "unreadable", "config.json"),
    "nested without end": (_says("[" * 100_000), "unreadable", "config.json"),
    "NaN": (_says('{"model_type": "llama", "hidden_size": NaN}'), "unreadable", "hidden_size"),
    "without layers": (_without("num_hidden_layers"), "unreadable", "num_hidden_layers"),
    "without a type": (_without("model_type"), "unreadable", "model_type"),
    "another type": (_says('{"model_type": "mystery"}'), "unknown_type", "mystery"),
    "a type that is no word": (_says('{"model_type": "pay me at evil.example!"}'), "unknown_type", None),
    "pictures": (_says('{"_class_name": "UNet2DConditionModel"}'), "not_language", "UNet2DConditionModel"),
    "another host": (lambda _: refusal(302, Location="http://127.0.0.1:9/secret"), "unreadable", None),
    "another scheme": (lambda _: refusal(302, Location="file:///etc/passwd"), "unreadable", None),
    "no target": (lambda _: refusal(302), "unreadable", None),
    "in a circle": (lambda request: refusal(307, Location=request.path), "unreadable", None),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_gives_its_reason(fault: str) -> None:
    handler, state, detail = FAULTS[fault]
    async with model_hub() as served:
        served.configs[ID] = WIDGET
        served.faults[FILE] = handler
        hub = Hub(served.url, clock=Clock(), budget=1 if state == "slow" else 10)
        found = await one(hub)
        await hub.close()
    assert (found.state, found.detail, found.model) == (state, detail, None)


async def test_redirects_on_the_same_host_are_followed() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        cached = "/api/resolve-cache/models/acme/widget-one/abc/config.json"
        state.faults[FILE] = lambda _: refusal(307, Location=cached)
        state.faults[cached] = lambda _: web.json_response(WIDGET)
        assert (await asked(state)).state == "read"


@pytest.mark.parametrize("said", ["[]", "{", '{"safetensors": {"total": "many"}}', '{"safetensors": 3, "gguf": []}'])
async def test_an_api_at_fault_spoils_no_config(said: str) -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        state.faults["/api/"] = _says(said)
        assert (await asked(state)).state == "read"


@pytest.mark.parametrize(
    ("config", "counts", "state", "size"),
    [
        ({"model_type": "mystery"}, float_counts(12_300_000_000), "unknown_type", 12.3),
        (None, {"gguf": {"total": 7_000_000_000, "architecture": "llama"}}, "no_config", 7.0),
        # Packed weights are no parameters.
        ({"model_type": "mystery"}, {"safetensors": {"parameters": {"I32": 9, "F16": 9}, "total": 10**9}},
         "unknown_type", None),
        # Layers that account for half of the weights are not those of these weights.
        (WIDGET, float_counts(14_000_000_000), "unreadable", 14.0),
    ],
)  # fmt: skip
async def test_the_hubs_own_count_stands_in_for_an_unknown_architecture(
    config: Any, counts: Any, state: str, size: float | None
) -> None:
    async with model_hub() as served:
        served.configs[ID], served.counts[ID] = config, counts
        found = await asked(served)
    assert (found.state, found.params_b, found.model) == (state, size, None)


async def test_a_hub_that_refuses_everything_has_no_gated_models() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        state.faults["/"] = lambda _: refusal(403)
        assert (await asked(state)).state == "away"


@pytest.mark.parametrize(("tied", "counted", "params_b"), [(False, 7.5, 7.5), (True, 6.4, 6.181), (True, 6.6, 6.181)])
async def test_what_the_layers_leave_out_counts_but_tied_embeddings_once(
    tied: bool, counted: float, params_b: float
) -> None:
    async with model_hub() as state:
        state.configs[ID] = {**WIDGET, "tie_word_embeddings": tied}
        state.counts[ID] = float_counts(round(counted * 1e9))
        found = await asked(state)
    assert found.model is not None
    assert found.model.params_b == pytest.approx(params_b, abs=0.001)


async def test_a_gated_models_size_is_still_known() -> None:
    async with model_hub() as state:
        state.configs[ID], state.counts[ID] = WIDGET, float_counts(6_600_000_000)
        state.faults[FILE] = lambda _: refusal(401, "GatedRepo")
        found = await asked(state)
    assert (found.state, found.params_b) == ("gated", 6.6)


async def test_a_tower_for_images_counts_with_the_weights_but_not_with_the_layers() -> None:
    async with model_hub() as state:
        state.configs[ID] = {"model_type": "llava", "text_config": WIDGET, "vision_config": {"hidden_size": 1024}}
        state.counts[ID] = float_counts(7_000_000_000)
        found = await asked(state)
    assert found.model is not None
    assert found.model.params_b == 7.0
    assert found.model.text_params_b == pytest.approx(6.595, abs=0.01)


async def test_other_questions_go_on_while_one_is_slow_and_it_is_known_later() -> None:
    async with model_hub() as state:
        go = asyncio.Event()

        async def late(_request: web.Request) -> web.Response:
            await go.wait()
            return web.json_response(WIDGET)

        state.configs |= {ID: WIDGET, "acme/quick-3b": WIDGET}
        state.faults[FILE] = late
        hub = Hub(state.url, clock=Clock(), budget=0.3)
        slow, quick = await asyncio.gather(one(hub), one(hub, "acme/quick-3b"))
        assert (slow.state, quick.state) == ("slow", "read")
        go.set()
        while (again := await one(hub)).state == "slow":
            pass
        assert again.state == "read"
        assert len([path for path in state.files() if ID in path]) == 1
        await hub.close()


async def test_many_who_ask_for_one_model_ask_the_hub_once() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        hub = Hub(state.url, clock=Clock())
        found = await asyncio.gather(*(one(hub) for _ in range(20)))
        assert {model.state for model in found} == {"read"}
        assert len(state.files()) == 1


async def test_what_was_read_is_kept_until_it_expires() -> None:
    clock = Clock()
    shelf = Shelf(clock)
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        read_at = (await one(Hub(state.url, shelf, clock))).read_at
        clock.now += timedelta(days=6)
        assert (await one(Hub(state.url, shelf, clock))).read_at == read_at  # also after a restart
        assert len(state.files()) == 1
        clock.now += timedelta(days=2)
        assert (await one(Hub(state.url, shelf, clock))).read_at == clock.now
        assert len(state.files()) == 2


async def test_what_is_missing_is_not_asked_for_again_for_an_hour() -> None:
    clock = Clock()
    async with model_hub() as state:
        hub = Hub(state.url, Shelf(clock), clock)
        for _ in range(3):
            assert (await one(hub)).state == "missing"
        assert len(state.files()) == 1
        clock.now += timedelta(hours=2)
        state.configs[ID] = WIDGET
        assert (await one(hub)).state == "read"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "120"}, 120), ({"RateLimit": '"resolvers";r=0;t=90'}, 91), ({}, 60)],
)
async def test_a_hub_that_wants_a_pause_gets_it(headers: dict[str, str], seconds: int) -> None:
    clock = Clock()
    async with model_hub() as state:
        state.configs |= {ID: WIDGET, "acme/other-3b": WIDGET}
        state.faults[FILE] = lambda _: refusal(429, **headers)
        hub = Hub(state.url, clock=clock)
        assert (await one(hub)).state == "busy"
        before = len(state.asked)
        assert (await one(hub, "acme/other-3b")).state == "busy"
        clock.now += timedelta(seconds=seconds - 1)
        assert (await one(hub, "acme/other-3b")).state == "busy"
        assert len(state.asked) == before
        clock.now += timedelta(seconds=1)
        assert (await one(hub, "acme/other-3b")).state == "read"


async def test_a_hub_that_is_down_is_left_alone_ever_longer() -> None:
    clock = Clock()
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        state.faults[FILE] = lambda _: refusal(503)
        hub = Hub(state.url, clock=clock)
        for seconds in (10, 20, 40):
            assert (await one(hub)).state == "away"
            before = len(state.asked)
            clock.now += timedelta(seconds=seconds - 1)
            assert (await one(hub)).state == "away"
            assert len(state.asked) == before
            clock.now += timedelta(seconds=1)
        del state.faults[FILE]
        assert (await one(hub)).state == "read"


async def test_a_hub_that_nobody_listens_for_is_away() -> None:
    assert (await one(Hub("http://127.0.0.1:9", clock=Clock()))).state == "away"


async def test_whoever_names_hundreds_of_models_does_not_make_us_a_nuisance() -> None:
    clock = Clock()
    async with model_hub() as state:
        hub = Hub(state.url, clock=clock)
        names = [f"acme/widget-{n}" for n in range(70)]
        found = {name: (await one(hub, name)).state for name in names}
        assert len(state.files()) == 60
        assert [found[name] for name in names[60:]] == ["busy"] * 10
        assert set((await hub.find([f"acme/part-{n}" for n in range(5)])).keys()) == {
            f"acme/part-{n}" for n in range(5)
        }


async def test_a_database_that_is_away_keeps_nobody_from_an_answer() -> None:
    class Broken:
        async def hub_model(self, hub_id: str) -> HubModel | None:
            raise OSError

        async def keep_hub_model(self, found: HubModel, until: datetime) -> None:
            raise OSError

    async with model_hub() as state:
        state.configs[ID] = WIDGET
        assert (await one(Hub(state.url, Broken(), Clock()))).state == "read"


async def test_a_hub_that_is_turned_off_is_never_asked() -> None:
    assert (await one(Hub(None, clock=Clock()))).state == "off"


@pytest.mark.parametrize(
    "text",
    [
        *("acme", "acme/", "/x", "a/b/c", "../etc/passwd", "acme/..", "acme/a..b", "acme/a--b", "acme/x@../../etc"),
        *("acme/x y", "acme/x?y=1", "acme/x#y", "acme/x%2f", "user@host/x", "http://a/b", "acme/x\n", "acme/é"),
        *("acme/repo.git", "a" * 97 + "/x", "acme/" + "b" * 97, "acme/x@", "acme/x@" + "r" * 101, "acme:80/x", "-a/b"),
    ],
)
async def test_only_ids_are_asked_for(text: str) -> None:
    assert parse_id(text) is None
    async with model_hub() as state:
        assert (await asked(state, text)).state == "missing"
        assert state.asked == []


def test_ids_with_their_revisions_are_understood() -> None:
    assert parse_id("01-ai/Yi_x.5-9B@v1.0") is not None
    assert parse_id("a/b") is not None


async def test_what_is_kept_comes_back_as_it_was() -> None:
    async with model_hub() as state:
        state.configs[ID] = WIDGET
        found = await asked(state)
    assert from_document(to_document(found)) == found
    assert from_document({"id": ID}) is None
    assert from_document({**to_document(found), "state": "else"}) is None
