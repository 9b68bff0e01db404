"""Commands, buttons and inline queries: what each leads to."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Update

import telegram_updates as tg
from bot.reader.question import Question, Slots
from bot.render.i18n import SHIPPED
from bot.shop.shop import Links
from bot.store.records import Recorded
from bot.telegram.actions import Call, Edit, Effects, Remembered, Send
from bot.telegram.callbacks import Ask, ChooseLanguage, Forget, encode
from bot.telegram.commands import GROUP, PRIVATE, command_calls
from bot.telegram.handlers import ALLOWED_UPDATES, DecideContext, decide, failure, place_of
from bot.telegram.handlers.replies import ALIASES, COMMANDS
from bot.telegram.letters import read_letter, sending, write_letters
from peer.spec import check

FRESH = Remembered()


def send_of(effects: Effects) -> Send:
    (action,) = [action for action in effects.actions if isinstance(action, Send)]
    return action


def call_of(effects: Effects) -> Call:
    return next(action for action in effects.actions if isinstance(action, Call))


class TestCommands:
    @pytest.mark.parametrize("locale", SHIPPED)
    def test_start_shows_three_examples_as_buttons_that_ask_them(self, context: DecideContext, locale: str) -> None:
        chosen = Remembered(language=locale)
        send = send_of(decide(tg.said("/start"), chosen, context))
        assert send.keyboard is not None
        rows = send.keyboard["inline_keyboard"]
        assert len(rows) == 3
        for row in rows:
            shown = send_of(decide(tg.pressed(row[0]["callback_data"]), chosen, context)).plain
            assert row[0]["text"] in shown
            assert "GB" in shown or "Go" in shown or "$" in shown

    @pytest.mark.parametrize("payload", ["70b_lora", "70B-LoRA", "llama_3_70b_qlora"])
    def test_pitfall_43_a_start_link_asks_its_question(self, context: DecideContext, payload: str) -> None:
        effects = decide(tg.said(f"/start {payload}"), FRESH, context)
        assert effects.remember[0].question is not None
        assert effects.remember[0].question.slots.params_b == 70.0 or effects.remember[0].question.slots.model

    def test_pitfall_43_a_start_links_words_do_not_choose_the_language(self, context: DecideContext) -> None:
        assert "Preços" in send_of(decide(tg.said("/start prices"), FRESH, context)).plain

    @pytest.mark.parametrize("payload", ["../../x", "x" * 500, "ação", "a.b", "hello", "<b>", "70b lora"])
    def test_pitfall_43_any_other_payload_is_a_plain_welcome(self, context: DecideContext, payload: str) -> None:
        effects = decide(tg.said(f"/start {payload}"), FRESH, context)
        assert not effects.remember
        assert send_of(effects).keyboard is not None

    @pytest.mark.parametrize("chat", [tg.PRIVATE, tg.GROUP])
    @pytest.mark.parametrize(
        "text", ["/prices", "/PRICES", "/prices@shop_bot", "/Prices@Shop_Bot", "/prices?", "/prices@shop_bot, please"]
    )
    def test_pitfall_33_a_command_counts_in_any_case_and_with_our_name(
        self, context: DecideContext, text: str, chat: dict[str, Any]
    ) -> None:
        assert "B200" in send_of(decide(tg.said(text, chat=chat), FRESH, context)).plain
        captioned = tg.said(photo=tg.PHOTO, caption=text, chat=chat)
        assert "B200" in send_of(decide(captioned, FRESH, context)).plain

    @pytest.mark.parametrize("chat", [tg.PRIVATE, tg.GROUP])
    @pytest.mark.parametrize("text", ["/prices@other_bot", "/prices@other_bot, H100", "/prices@shop_bot_2"])
    def test_pitfall_33_another_bots_command_is_not_ours(
        self, context: DecideContext, text: str, chat: dict[str, Any]
    ) -> None:
        assert decide(tg.said(text, chat=chat), FRESH, context) == Effects()

    @pytest.mark.parametrize("text", ["/prices/today", "/help<b>", "see /prices", "/preços", "//prices"])
    def test_pitfall_33_what_only_looks_like_a_command_gets_silence_in_groups(
        self, context: DecideContext, text: str
    ) -> None:
        assert decide(tg.said(text, chat=tg.GROUP), FRESH, context) == Effects()

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("/métodos", "/methods"),
            ("/Métodos@shop_bot", "/methods"),
            ("/preços", "/prices"),
            ("/me\u0301todos", "/methods"),
        ],
    )
    def test_a_command_typed_with_accents_is_the_one_without(
        self, context: DecideContext, typed: str, meant: str
    ) -> None:
        assert (
            send_of(decide(tg.said(typed), FRESH, context)).html == send_of(decide(tg.said(meant), FRESH, context)).html
        )
        assert decide(tg.said(typed.partition("@")[0], chat=tg.GROUP), FRESH, context) == Effects()

    def test_a_word_of_another_script_behind_a_slash_is_read_as_text(self, context: DecideContext) -> None:
        assert "/цены" not in send_of(decide(tg.said("/цены"), FRESH, context)).plain

    def test_an_unknown_command_shows_help_in_private_and_nothing_in_groups(self, context: DecideContext) -> None:
        text = send_of(decide(tg.said("/dance"), FRESH, context)).plain
        assert text.startswith("Não conheço o comando /dance.")
        assert "/plan" in text
        assert decide(tg.said("/dance", chat=tg.GROUP), FRESH, context) == Effects()

    def test_prices_of_one_gpu(self, context: DecideContext) -> None:
        text = send_of(decide(tg.said("/prices h100"), FRESH, context)).plain
        assert "2,32" in text
        assert "4,61" not in text

    @pytest.mark.parametrize(
        ("command", "has"),
        [
            ("/plan 70B LoRA", "168"),
            ("/gpus", "180"),
            ("/compare H100 H200", "H200"),
            ("/cost 2x H100 24h", "111,36"),
            ("/methods", "0,75"),
            ("/sources", "2305.14314"),  # the rules
            ("/sources", "2205.05198"),  # the peaks
            ("/sources", "Thunder Compute"),
            ("/sources", "29/10/2026"),
            ("/gpus", "Preços de 29/10/2026."),
            ("/privacy", "7 dias"),
            ("/help", "@shop_bot"),
            ("/ajuda", "@shop_bot"),
            ("/precos", "4,61"),
            ("/plan", "/plan 70B LoRA"),
            ("/cost", "/cost 2x H100 24h"),
            ("/compare", "/compare H100 H200"),
        ],
    )
    def test_each_command_answers(self, context: DecideContext, command: str, has: str) -> None:
        assert has in send_of(decide(tg.said(command), FRESH, context)).plain

    @pytest.mark.parametrize("arguments", ["lora qlora", "70B lora qlora", "70B lora vs qlora"])
    def test_compare_takes_methods_that_are_only_named(self, context: DecideContext, arguments: str) -> None:
        question = decide(tg.said(f"/compare {arguments}"), FRESH, context).remember[0].question
        assert question is not None
        assert (question.intent, question.slots.methods) == ("compare", ("lora", "qlora"))

    def test_pitfall_50_old_prices_are_said_to_be_old(self, context: DecideContext) -> None:
        later = replace(context, now=context.now + timedelta(days=40))
        for command in ("/gpus", "/prices"):
            assert "⚠" in send_of(decide(tg.said(command), FRESH, later)).plain
            assert "⚠" not in send_of(decide(tg.said(command), FRESH, context)).plain

    def test_a_person_is_reached_through_the_shops_contact(self, context: DecideContext) -> None:
        shop = replace(context.shop, links=Links(support_contact="@shop_people"))
        text = send_of(decide(tg.said("/person"), FRESH, replace(context, shop=shop))).plain
        assert "@shop_people" in text

    def test_every_command_of_the_menus_and_every_alias_is_known(self) -> None:
        assert set(PRIVATE) | set(GROUP) <= set(COMMANDS)
        assert set(ALIASES.values()) <= set(COMMANDS)
        assert not set(ALIASES) & set(COMMANDS)

    def test_pitfall_57_menus_are_set_for_every_language_and_scope(self) -> None:
        calls = command_calls("pt_BR")
        for call in calls:
            assert check(call.method, call.params) == []
        described = {
            (call.params.get("language_code"), call.params["scope"]["type"])
            for call in calls
            if call.method == "setMyCommands"
        }
        languages = {None, *(locale[:2] for locale in SHIPPED)}
        assert described == {(one, scope) for one in languages for scope in ("all_private_chats", "all_group_chats")}


class TestLanguage:
    @pytest.mark.parametrize(
        ("name", "locale"),
        [
            ("es", "es"),
            ("es-MX", "es"),
            ("português", "pt_BR"),
            ("English", "en"),
            ("PT", "pt_BR"),
            ("português do Brasil", "pt_BR"),
            ("Español (México)", "es"),
            ("fr-CA", "fr"),
            ("français", "fr"),
            ("Deutsch", "de"),
            ("italiano", "it"),
        ],
    )
    def test_a_named_language_is_kept(self, context: DecideContext, name: str, locale: str) -> None:
        effects = decide(tg.said(f"/language {name}"), FRESH, context)
        assert effects.remember[0].settings == {"language": locale}

    @pytest.mark.parametrize("name", ["", "xx", "klingon", "ptolemaic"])
    def test_otherwise_the_languages_are_offered(self, context: DecideContext, name: str) -> None:
        effects = decide(tg.said(f"/language {name}"), FRESH, context)
        assert not effects.remember
        keyboard = send_of(effects).keyboard
        assert keyboard is not None
        assert len(keyboard["inline_keyboard"]) == len(SHIPPED) + 1

    def test_a_chosen_language_answers_in_it_at_once(self, context: DecideContext) -> None:
        effects = decide(tg.pressed(encode(ChooseLanguage("es", tg.ANA["id"]))), FRESH, context)
        assert effects.remember[0].settings == {"language": "es"}
        (edit,) = [action for action in effects.actions if isinstance(action, Edit)]
        assert "español" in edit.plain


class TestButtons:
    def test_pitfall_45_a_press_is_answered_first(self, context: DecideContext) -> None:
        effects = decide(tg.pressed(encode(Ask("70B QLoRA"))), FRESH, context)
        assert isinstance(effects.actions[0], Call)
        assert effects.actions[0].method == "answerCallbackQuery"
        assert "52,5" in send_of(effects).plain

    @pytest.mark.parametrize("data", ["v0|x", "", "é" * 32, "1z:x", "1l:*:xx_XX", "2a:70B", None])
    def test_pitfall_08_old_and_foreign_data_gets_a_notice_and_a_fresh_start(
        self, context: DecideContext, data: str | None
    ) -> None:
        effects = decide(tg.pressed(data), FRESH, context)
        assert call_of(effects).params["text"]
        assert send_of(effects).keyboard is not None
        group = tg.pressed(data, message=tg.message("x", chat=tg.GROUP, **{"from": tg.BOT}))
        assert [action for action in decide(group, FRESH, context).actions if isinstance(action, Send)] == []

    def test_only_the_owner_may_choose(self, context: DecideContext) -> None:
        for press in (Forget(True, tg.BO["id"]), ChooseLanguage("es", tg.BO["id"])):
            effects = decide(tg.pressed(encode(press)), FRESH, context)
            assert not effects.remember
            assert call_of(effects).params["text"]

    def labels(self, action: Send | Edit) -> dict[str, str]:
        assert action.keyboard is not None
        rows = action.keyboard["inline_keyboard"]
        return {cell["text"]: cell["callback_data"] for row in rows for cell in row if "callback_data" in cell}

    def press(self, data: str, context: DecideContext) -> tuple[Edit, Effects]:
        effects = decide(tg.pressed(data), FRESH, context)
        assert isinstance(effects.actions[0], Call), "the press is answered first"
        (edit,) = [action for action in effects.actions if isinstance(action, Edit)]
        return edit, effects

    def test_a_press_changes_the_answer_in_place_and_is_remembered(self, context: DecideContext) -> None:
        plan = self.labels(send_of(decide(tg.said("70B LoRA"), FRESH, context)))
        edit, effects = self.press(plan["24 h"], context)
        assert "110,64" in edit.plain
        assert effects.remember[0].question is not None
        assert effects.remember[0].message_id == edit.message_id
        cost = self.labels(edit)
        assert "✓ 24 h" in cost
        qlora, _effects = self.press(cost["QLoRA"], context)
        assert "QLoRA" in qlora.plain
        assert "110,64" in qlora.plain, "the hours stay"

    def test_an_answer_changed_by_a_button_keeps_its_language(self, context: DecideContext) -> None:
        plan = self.labels(send_of(decide(tg.said("which GPU for 70B LoRA please?"), FRESH, context)))
        edit, _effects = self.press(plan["Full"], context)
        assert "Memory" in edit.plain

    def test_why_opens_the_arithmetic_and_details_lead_to_context_and_batch(self, context: DecideContext) -> None:
        send = send_of(decide(tg.said("llama 3.1 8b lora ctx 8192 batch 4"), Remembered(language="en"), context))
        assert "<blockquote expandable>" in send.html
        opened, _ = self.press(self.labels(send)["Por quê?" if "Por quê?" in self.labels(send) else "Why?"], context)
        assert "<blockquote>" in opened.html
        details, _ = self.press(self.labels(send)["⚙ Context, batch"], context)
        assert "✓ batch 4" in self.labels(details)
        longer, _ = self.press(self.labels(details)["32k tokens"], context)
        assert "32" in longer.plain
        assert "✓ 32k tokens" in self.labels(longer), "one more can be changed without going back"

    def test_a_vote_is_kept_and_thanked_for_and_changes_no_message(self, context: DecideContext) -> None:
        plan = self.labels(send_of(decide(tg.said("70B LoRA"), FRESH, context)))
        effects = decide(tg.pressed(plan["👎"]), FRESH, context)
        (call,) = effects.actions
        assert isinstance(call, Call)
        assert call.params["text"]
        (remember,) = effects.remember
        assert remember.vote is not None
        assert (remember.vote.helped, remember.vote.question.slots.params_b) == (False, 70.0)

    def test_asking_for_a_person_leaves_the_answer_where_it_is(self, context: DecideContext) -> None:
        context = replace(context, shop=replace(context.shop, links=Links(support_contact="@shop_help")))
        plan = self.labels(send_of(decide(tg.said("70B LoRA"), FRESH, context)))
        person = send_of(decide(tg.pressed(plan["👤 Uma pessoa"]), FRESH, context))
        assert "@shop_help" in person.plain

    def test_forgetting_asks_first(self, context: DecideContext) -> None:
        asked = send_of(decide(tg.said("/forget"), FRESH, context))
        assert asked.keyboard is not None
        erase, keep = asked.keyboard["inline_keyboard"][0]
        assert not decide(tg.pressed(keep["callback_data"]), FRESH, context).remember
        (remember,) = decide(tg.pressed(erase["callback_data"]), FRESH, context).remember
        assert remember.forget

    def test_pitfall_11_an_inaccessible_message_gets_a_new_one(self, context: DecideContext) -> None:
        message = {"chat": tg.PRIVATE, "message_id": 5, "date": 0}
        effects = decide(tg.pressed(encode(ChooseLanguage("es", None)), message=message), FRESH, context)
        assert send_of(effects).place.chat_id == tg.PRIVATE["id"]

    def test_pitfall_11_an_inline_message_is_edited_by_its_own_id(self, context: DecideContext) -> None:
        update = tg.pressed(encode(Ask("70B")), message=None, inline_message_id="x")
        _answer, edit = decide(update, FRESH, context).actions
        assert isinstance(edit, Call)
        assert (edit.method, edit.params["inline_message_id"]) == ("editMessageText", "x")
        assert check(edit.method, {**edit.params, "link_preview_options": {"is_disabled": True}}) == []


class TestReplies:
    def test_a_reply_to_an_answer_refers_to_its_question(self, context: DecideContext) -> None:
        first = Question(intent="plan", slots=Slots(params_b=70.0, method="lora"), lang="pt")
        second = Question(intent="price", slots=Slots(gpu="l40s"), lang="pt")
        remembered = Remembered(questions=(first, second), question_ids=(1, 3), quoted=(first,))
        reply = tg.message("x", message_id=2, **{"from": tg.BOT})
        effects = decide(tg.said("e com QLoRA?", reply_to_message=reply), remembered, context)
        assert effects.remember[0].question is not None
        assert effects.remember[0].question.slots.stated() == {"params_b": 70.0, "method": "qlora"}


class TestInline:
    def results(self, effects: Effects) -> list[dict[str, Any]]:
        call = call_of(effects)
        assert check(call.method, call.params) == []
        assert call.params["is_personal"] is True
        assert call.params["cache_time"] <= 60
        return call.params["results"]  # type: ignore[no-any-return]

    def test_pitfall_44_an_empty_query_offers_prices_and_examples(self, context: DecideContext) -> None:
        results = self.results(decide(tg.searched(""), FRESH, context))
        assert len(results) == 4
        assert "B200" in results[0]["input_message_content"]["message_text"]

    def test_pitfall_44_a_query_is_answered_and_prices_stand_beside(self, context: DecideContext) -> None:
        results = self.results(decide(tg.searched("70b lora"), FRESH, context))
        assert "168" in results[0]["input_message_content"]["message_text"]
        assert len({result["id"] for result in results}) == len(results)

    def test_pitfall_44_a_cut_query_says_so(self, context: DecideContext) -> None:
        effects = decide(tg.searched("70b lora " + "x" * 247), FRESH, context)
        self.results(effects)
        assert "256" in call_of(effects).params["button"]["text"]

    def test_a_second_page_is_empty(self, context: DecideContext) -> None:
        assert self.results(decide(tg.searched("70b", offset="50"), FRESH, context)) == []


class TestMembers:
    def test_pitfall_20_blocking_and_coming_back_are_noted(self, context: DecideContext) -> None:
        gone = decide(tg.member(tg.PRIVATE, "kicked", until_date=0), FRESH, context)
        assert gone.reachable == (tg.PRIVATE["id"], False)
        assert decide(tg.member(tg.PRIVATE, "member"), FRESH, context).reachable == (tg.PRIVATE["id"], True)
        assert decide(tg.member(tg.GROUP, "left"), FRESH, context).reachable == (tg.GROUP["id"], False)


def test_a_group_that_puts_the_bot_in_is_told_how_to_ask(context: DecideContext) -> None:
    sent = send_of(decide(tg.member(tg.SMALL_GROUP, "member", before="left"), FRESH, context))
    assert sent.place.chat_id == tg.SMALL_GROUP["id"]
    assert "@shop_bot" in sent.plain
    for chat, before in ((tg.PRIVATE, "left"), (tg.CHANNEL, "left"), (tg.SMALL_GROUP, "member")):
        assert decide(tg.member(chat, "member", before=before), FRESH, context).actions == ()


def test_an_inline_result_says_what_it_answers(context: DecideContext) -> None:
    (call,) = decide(tg.searched("70B com LoRA"), FRESH, context).actions
    assert isinstance(call, Call)
    assert "168" in call.params["results"][0]["description"]


def test_pitfall_32_the_list_of_updates_is_what_handlers_take(context: DecideContext) -> None:
    samples = {
        "message": tg.said("70B"),
        "edited_message": tg.edited("70B"),
        "callback_query": tg.pressed("x"),
        "inline_query": tg.searched(""),
        "my_chat_member": tg.member(tg.PRIVATE, "member"),
    }
    assert set(ALLOWED_UPDATES) == set(samples)
    answered = Remembered(answered={samples["edited_message"].edited_message.message_id: (1,)})  # type: ignore[union-attr]
    for kind, update in samples.items():
        remembered = answered if kind == "edited_message" else FRESH
        assert decide(update, remembered, context) != Effects(), kind


@pytest.mark.parametrize("update", [tg.said("70B"), tg.pressed("x"), tg.searched("70B")])
def test_a_fault_of_ours_is_said_where_somebody_waits(context: DecideContext, update: Update) -> None:
    (action,) = failure(update, FRESH, context).actions
    assert isinstance(action, Send | Call)
    if isinstance(action, Call):
        assert check(action.method, action.params) == []


REORDERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
texts = st.text(st.sampled_from("70Bb llorQA<>&\"'😀\n@/_shop\u202e\u200b٧７ pricesh100x24"), max_size=40)
chats = st.sampled_from([tg.PRIVATE, tg.GROUP, tg.FORUM, tg.SMALL_GROUP, tg.CHANNEL])
users = st.sampled_from([tg.ANA, tg.BO, tg.OTHER_BOT, None, {"id": 1087968824, "is_bot": True, "first_name": "Group"}])
replies = st.sampled_from([None, tg.message("x", message_id=2, **{"from": tg.BOT}), tg.message("70B", message_id=3)])
contents = st.one_of(
    st.builds(lambda text: {"text": text, "entities": tg.entities(text)}, texts),
    st.builds(lambda text: {"photo": tg.PHOTO, "caption": text}, texts),
    st.sampled_from(
        [{"photo": tg.PHOTO}, {"voice": {**tg.FILE, "duration": 1}}, {"poll": None}, {"new_chat_title": "x"}]
    ),
)
updates = st.one_of(
    st.builds(
        lambda kind, content, chat, user, reply, thread: tg.update(
            kind,
            tg.message(None, **{
                **content, "chat": chat, "from": user, "reply_to_message": reply,
                "message_thread_id": thread, "is_topic_message": bool(thread) or None, "edit_date": 1,
            }),
        ),
        st.sampled_from(["message", "edited_message", "channel_post", "business_message"]),
        contents, chats, users, replies, st.sampled_from([None, 7]),
    ),
    st.builds(
        lambda data, fields: tg.pressed(data, **fields),
        st.none() | texts.map(lambda text: f"1a:{text}") | st.text(max_size=64)
        | st.sampled_from(["1l:*:es", "1l:*:", "1l:42:en", "1f:*:yes", "1f:42:no"]),
        st.sampled_from([
            {}, {"message": None}, {"message": None, "inline_message_id": "x"},
            *({"message": {"chat": chat, "message_id": 5, "date": 0}} for chat in (tg.PRIVATE, tg.GROUP)),
        ]),
    ),
    st.builds(tg.member, chats, st.sampled_from(["member", "left"])),
    st.builds(tg.searched, texts | st.just("x" * 256)),
)  # fmt: skip


@given(update=updates, language=st.sampled_from([None, *SHIPPED]))
def test_pitfalls_09_and_14_whatever_comes_leads_to_calls_that_telegram_takes(
    context: DecideContext, update: Update, language: str | None
) -> None:
    remembered = Remembered(language=language, answered={2: (1,)})
    effects = decide(update, remembered, context)
    place_of(update)
    for number, letter in enumerate(write_letters(1, effects.actions)):
        row = Recorded(id=number, chat_id=letter.chat_id, payload=letter.payload, answers=letter.answers)
        for plain in (False, True):
            params = sending(read_letter(row), plain=plain, in_thread=True, as_reply=True)
            assert check("sendMessage", params) == []
            assert re.sub(r"<[^>]*>", "", params["text"]).strip()
            assert not REORDERS.search(params["text"])
    for action in effects.actions:
        if isinstance(action, Call):
            assert check(action.method, action.params) == []
