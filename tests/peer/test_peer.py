"""The test server answers as Telegram does and lets no bad request pass; asked by python-telegram-bot's client."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from telegram import (
    Bot,
    BotCommand,
    BotCommandScopeAllGroupChats,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQueryResultArticle,
    InputTextMessageContent,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.error import BadRequest, Forbidden, TelegramError

from peer import FORUM, PRIVATE, TOKEN, BotApi

PNG = b"\x89PNG\r\n\x1a\n"


def button(data: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton("More", callback_data=data)]])


async def test_every_method_the_bot_needs_answers_what_its_library_can_read(api: BotApi, bot: Bot) -> None:
    api.say("70B com LoRA?")
    sent = await bot.send_message(1, "<b>B200</b> &amp; 4 &lt; 5", "HTML")
    await bot.edit_message_text("changed", 1, sent.message_id, reply_markup=button("p:1"))
    await bot.edit_message_reply_markup(1, sent.message_id)
    photo = await bot.send_photo(1, PNG, caption="<i>chart</i>", parse_mode="HTML")
    await bot.edit_message_caption(1, photo.message_id, caption="chart")
    file = await bot.send_document(1, b"a,b", filename="plan.csv", reply_parameters=ReplyParameters(1))
    await bot.send_document(1, file.document.file_id if file.document else "")
    copy = await bot.copy_message(-1001, 1, 1)
    await bot.copy_messages(-1001, 1, [1, 2, 99])
    await bot.forward_message(-1001, 1, 1)
    await bot.delete_message(-1001, copy.message_id)
    await bot.delete_messages(1, [file.message_id, 98])
    await bot.set_message_reaction(1, 1, [ReactionTypeEmoji("👍")])
    await bot.send_chat_action(1, "typing")
    await bot.set_my_description("d", language_code="pt")
    await bot.set_my_short_description("s")
    await bot.set_my_commands([BotCommand("prices", "Preços")], BotCommandScopeAllGroupChats(), "pt")
    await bot.set_my_commands([BotCommand("help", "Ajuda")])
    await bot.delete_my_commands()
    assert [c.command for c in await bot.get_my_commands(BotCommandScopeAllGroupChats(), "pt")] == ["prices"]
    assert api.commands.keys() == {("all_group_chats", "pt")}
    topic = await bot.create_forum_topic(-1002, "Ticket 1")
    await bot.send_message(-1002, "in the topic", message_thread_id=topic.message_thread_id)
    await bot.close_forum_topic(-1002, topic.message_thread_id)
    api.members[-1002, 7] = "administrator"
    assert (await bot.get_chat_member(-1002, 7)).status == "administrator"
    assert len(await bot.get_chat_administrators(-1002)) == 1
    assert (await bot.get_chat(-1002)).is_forum
    await bot.pin_chat_message(1, sent.message_id)
    await bot.set_webhook("")
    assert (await bot.get_webhook_info()).pending_update_count == 1

    assert [(m["message_id"], m["text"], m["kind"], m["edited"]) for m in api.chat(1)] == [
        (2, "changed", "text", True),
        (3, "chart", "photo", True),
        (5, "", "document", False),
    ]
    assert api.chat(1)[1]["uploads"]["photo"].data == PNG
    assert [m["text"] for m in api.chat(-1001)] == ["70B com LoRA?", "changed", "70B com LoRA?"]
    assert api.chat(-1002)[0]["message_thread_id"] == topic.message_thread_id
    first = api.called("sendMessage")[0]
    assert first.params == {"chat_id": 1, "text": "<b>B200</b> &amp; 4 &lt; 5", "parse_mode": "HTML"}
    assert (first.answered, first.faults) == ("ok", [])


Asked = Callable[[Bot], Awaitable[Any]]


def refused(name: str, reason: str, ask: Asked, kind: type[TelegramError] = BadRequest) -> Any:
    return pytest.param(reason, ask, kind, id=name)


@pytest.mark.parametrize(
    ("reason", "ask", "kind"),
    [
        refused(
            "user text put raw into HTML",
            'Can\'t parse entities: Unsupported start tag "lora" at byte offset 4',
            lambda b: b.send_message(1, "70B <LoRA> & 4k", "HTML"),
        ),
        refused(
            "inline result with broken HTML",
            "Can't parse inline query result: can't parse entities: Unclosed start tag at byte offset 0",
            lambda b: b.answer_inline_query(
                "1", [InlineQueryResultArticle("1", "t", InputTextMessageContent("<b", "HTML"))]
            ),
        ),
        refused("nothing but markup", "Message text is empty", lambda b: b.send_message(1, "<b> \n</b>", "HTML")),
        refused("4097 units", "Message is too long", lambda b: b.send_message(1, "😀" * 2048 + "x")),
        refused("long edit", "Message_too_long", lambda b: b.edit_message_text("x" * 4097, 1, 2)),
        refused("long caption", "Message caption is too long", lambda b: b.send_photo(1, PNG, caption="x" * 1025)),
        refused("no picture", "Image_process_failed", lambda b: b.send_photo(1, b"<svg/>")),
        refused(
            "same text and keyboard",
            "Message is not modified: specified new message content and reply markup are exactly the same as a "
            "current content and reply markup of the message",
            lambda b: b.edit_message_text("<b>Hello</b>", 1, 2, parse_mode="HTML", reply_markup=button("p:1")),
        ),
        refused("edit of a deleted message", "Message to edit not found", lambda b: b.edit_message_text("x", 1, 99)),
        refused("edit of a user's message", "Message can't be edited", lambda b: b.edit_message_text("x", 1, 1)),
        refused(
            "reply to a deleted message",
            "Message to be replied not found",
            lambda b: b.send_message(1, "x", reply_parameters=ReplyParameters(99)),
        ),
        refused("delete twice", "Message to delete not found", lambda b: b.delete_message(1, 99)),
        refused("copy of nothing", "Message to copy not found", lambda b: b.copy_message(1, 1, 99)),
        refused("deleted topic", "Message thread not found", lambda b: b.send_message(-1002, "x", message_thread_id=7)),
        refused(
            "General as a thread", "Message thread not found", lambda b: b.send_message(-1002, "x", message_thread_id=1)
        ),
        refused(
            "thread that is no topic",
            "Message thread not found",
            lambda b: b.send_message(-1002, "x", message_thread_id=55),
        ),
        refused("unknown chat", "Chat not found", lambda b: b.send_message(404, "x")),
        refused(
            "blocked by the user", "Forbidden: bot was blocked by the user", lambda b: b.send_message(8, "x"), Forbidden
        ),
        refused(
            "callback query that never was",
            "Query is too old and response timeout expired or query id is invalid",
            lambda b: b.answer_callback_query("99"),
        ),
        refused("language 'pt-br'", "Invalid language code specified", lambda b: b.set_my_commands([], None, "pt-br")),
    ],
)
async def test_refuses_in_telegrams_words(
    api: BotApi, bot: Bot, reason: str, ask: Asked, kind: type[TelegramError]
) -> None:
    api.unknown_chats.add(404)
    api.blocked.add(8)
    api.missing_threads.add((-1002, 7))
    api.say("hi")
    api.say("in a topic that is deleted later", chat=FORUM, message_thread_id=7, is_topic_message=True)
    await bot.send_message(1, "<b>Hello</b>", "HTML", reply_markup=button("p:1"))
    with pytest.raises(kind) as caught:
        await ask(bot)
    assert caught.value.message.lower() == reason.lower()
    assert api.calls[-1].answered == (403 if kind is Forbidden else 400)
    api.faults.clear()


async def test_takes_what_only_looks_like_a_mistake(api: BotApi, bot: Bot) -> None:
    api.say("hi")
    await bot.send_message(1, "x", reply_parameters=ReplyParameters(99, allow_sending_without_reply=True))
    await bot.send_message(1, "<b>" + "x" * 4096 + "</b>", "HTML")
    update_id = api.press(PRIVATE, 2, "p:1")
    query = next(u["callback_query"] for u in api.pending if u["update_id"] == update_id)
    assert query["message"]["text"] == "x"
    await bot.answer_callback_query(query["id"])
    await bot.answer_callback_query(query["id"], "again")
    await bot.edit_message_text("by inline id", inline_message_id="abc")
    with pytest.raises(BadRequest, match="not modified"):
        await bot.edit_message_text("by inline id", inline_message_id="abc")


async def test_a_wrong_token_or_method_or_path_is_refused(api: BotApi) -> None:
    async with aiohttp.ClientSession() as session:

        async def get(path: str, **fields: str) -> tuple[int, dict[str, Any]]:
            async with session.get(api.url + path, params=fields) as response:
                return response.status, await response.json()

        unauthorized = {"ok": False, "error_code": 401, "description": "Unauthorized"}
        assert await get("/bot1:wrong/getMe") == (401, unauthorized)
        status, answer = await get(f"/bot{TOKEN}/sendMesage", chat_id="1", text="x")
        assert (status, answer["description"]) == (404, "Not Found: method not found")
        assert (await get("/"))[0] == 404
        status, answer = await get(f"/bot{TOKEN}/sendmessage", chat_id="1", text="[GET, in small letters]")
        assert answer["result"]["text"] == "[GET, in small letters]"
    assert api.faults == ["sendMesage: no such method"]
    api.faults.clear()


ARTICLE = {"type": "article", "id": "1", "title": "t", "input_message_content": {"message_text": "m"}}


def keyboard(**fields: str) -> dict[str, Any]:
    return {"chat_id": 1, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "x"} | fields]]}}


@pytest.mark.parametrize(
    ("method", "params", "fault"),
    [
        ("sendMessage", keyboard(callback_data="é" * 33), "Button>.callback_data: 66 bytes, allowed 1-64"),
        ("sendMessage", keyboard(), "<InlineKeyboardButton>: 0 actions, exactly one wanted"),
        ("sendMessage", keyboard(url="gpus"), "<InlineKeyboardButton>.url: 'gpus' is no link"),
        ("sendMessage", {"chat_id": 1, "text": "x", "reply_to_message_id": 1}, ".reply_to_message_id: no such field"),
        ("sendMessage", {"chat_id": 1, "text": ["x"]}, ".text: list, wanted String"),
        ("sendMessage", {"chat_id": 1, "text": "<b>x</b> " * 101, "parse_mode": "HTML"}, "101 entities, 100 shown"),
        ("sendMessage", {"chat_id": 1, "text": "Q&A", "parse_mode": "HTML"}, ".text: unescaped & at byte offset 1"),
        ("sendMessage", {"chat_id": 1}, ".text: required"),
        ("sendPhoto", {"chat_id": 1, "photo": "attach://x"}, "sendPhoto: attach://x is not in the request"),
        ("answerCallbackQuery", {"callback_query_id": "1", "text": "x" * 201}, ".text: 201 characters, allowed 0-200"),
        ("setMyCommands", {"commands": [{"command": "gpus?", "description": "x"}]}, "characters outside a-z0-9_"),
        ("answerInlineQuery", {"inline_query_id": "1", "results": [ARTICLE] * 2}, ".results: ids repeat"),
        (
            "answerInlineQuery",
            {"inline_query_id": "1", "results": [ARTICLE | {"type": "artikel"}]},
            "<InlineQueryResultArticle>: type 'artikel' is none of InlineQueryResult",
        ),
        ("setWebhook", {"url": "", "max_connections": 101}, ".max_connections: 101, allowed [1, 100]"),
    ],
)  # fmt: skip
async def test_what_the_schema_forbids_is_a_fault_in_form_and_json(
    api: BotApi, method: str, params: dict[str, Any], fault: str
) -> None:
    form = {name: value if isinstance(value, str) else json.dumps(value) for name, value in params.items()}
    async with aiohttp.ClientSession() as session:
        for body in [{"json": params}] + ([] if "list" in fault else [{"data": form}]):
            api.faults.clear()
            async with session.post(f"{api.url}/bot{TOKEN}/{method}", **body):
                assert api.faults == api.calls[-1].faults
                assert [found[-len(fault) :] for found in api.faults] == [fault]
        api.checking = False
        api.faults.clear()
        async with session.post(f"{api.url}/bot{TOKEN}/{method}", json=params):
            assert api.faults == []
