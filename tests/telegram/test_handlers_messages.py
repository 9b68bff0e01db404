"""Messages: which are answered, where the answer goes, and what is remembered."""

from __future__ import annotations

from html import escape
from typing import Any

import pytest
from telegram import Update

import telegram_updates as tg
from bot.reader.question import Question, Slots
from bot.telegram.actions import Edit, Effects, Place, Remembered, Send
from bot.telegram.handlers import DecideContext, decide, place_of
from bot.telegram.letters import write_letters

NOTHING = Effects()
FRESH = Remembered()
GROUPS = [tg.GROUP, tg.SMALL_GROUP]


def only_send(effects: Effects) -> Send:
    (action,) = effects.actions
    assert isinstance(action, Send)
    return action


def only_question(effects: Effects) -> Question:
    (remember,) = effects.remember
    assert remember.question is not None
    return remember.question


class TestPrivateChat:
    def test_a_question_is_answered_in_its_language_and_remembered(self, context: DecideContext) -> None:
        update = tg.said("70B com LoRA?", message_id=9, **{"from": {**tg.ANA, "language_code": "de"}})
        effects = decide(update, FRESH, context)
        send = only_send(effects)
        assert send.place == Place(tg.ANA["id"], None, tg.ANA["id"])
        assert (send.reply_to, send.answers) == (None, 9)
        assert "168" in send.plain
        assert "B200" in send.html
        assert "Mais simples" in send.plain
        (remember,) = effects.remember
        assert (remember.place, remember.message_id) == (send.place, 9)
        assert only_question(effects).slots.stated() == {"params_b": 70.0, "method": "lora"}

    def test_a_followup_is_read_with_what_is_remembered(self, context: DecideContext) -> None:
        asked = Question(intent="plan", slots=Slots(params_b=70.0, method="lora"), lang="pt")
        effects = decide(tg.said("e com QLoRA?"), Remembered(questions=(asked,), question_ids=(1,)), context)
        assert only_question(effects).slots.stated() == {"params_b": 70.0, "method": "qlora"}
        assert "52,5" in only_send(effects).plain

    @pytest.mark.parametrize(
        ("chosen", "code", "expected"),
        [
            (None, "pt-br", "Escreva"),
            (None, "pt", "Escreva"),
            (None, "en-GB", "Type"),
            (None, "es", "Escribe"),
            (None, None, "Escreva"),
            (None, "", "Escreva"),
            (None, "i-klingon", "Escreva"),
            ("es", "en", "Escribe"),
        ],
    )
    def test_pitfall_47_the_chosen_language_wins_over_telegrams(
        self, context: DecideContext, chosen: str | None, code: str | None, expected: str
    ) -> None:
        user = {name: value for name, value in {**tg.ANA, "language_code": code}.items() if value is not None}
        update = tg.said(sticker={**tg.FILE, "type": "regular", "width": 1, "height": 1, "is_animated": False,
                                  "is_video": False}, **{"from": user})  # fmt: skip
        assert expected in only_send(decide(update, Remembered(language=chosen), context)).plain

    def test_pitfall_20_a_message_from_a_chat_marked_unreachable_marks_it_reachable(
        self, context: DecideContext
    ) -> None:
        effects = decide(tg.said("70B"), Remembered(reachable=False), context)
        assert effects.reachable == (tg.ANA["id"], True)
        assert decide(tg.said("70B"), FRESH, context).reachable is None

    def test_pitfall_40_a_topic_of_a_private_chat_gets_the_answer_but_has_no_memory_of_its_own(
        self, context: DecideContext
    ) -> None:
        update = tg.said("70B", message_thread_id=5, is_topic_message=True)
        effects = decide(update, FRESH, context)
        assert only_send(effects).place.thread_id == 5
        assert effects.remember[0].place == place_of(update) == Place(tg.ANA["id"], None, tg.ANA["id"])


class TestGroup:
    @pytest.mark.parametrize("chat", GROUPS)
    @pytest.mark.parametrize(
        "text",
        ["70B com LoRA?", "hello", "@other_bot 70B", "mail me@shop_bot.example", "/unknown", "/unknown@shop_bot", ""],
    )
    def test_pitfall_34_what_is_not_for_the_bot_gets_silence(
        self, context: DecideContext, chat: dict[str, Any], text: str
    ) -> None:
        assert decide(tg.said(text, chat=chat), FRESH, context) == NOTHING

    @pytest.mark.parametrize(
        "text",
        [
            "@shop_bot 70B com LoRA?",
            "😀 @shop_bot 70B com LoRA?",
            "👩‍👩‍👧‍👦𝕏 70B com LoRA? @Shop_Bot",
            "70B @shop_bot com LoRA?",
        ],
    )
    def test_pitfall_35_a_mention_is_found_by_utf16_offsets_and_taken_out(
        self, context: DecideContext, text: str
    ) -> None:
        effects = decide(tg.said(text, chat=tg.GROUP, message_id=31), FRESH, context)
        send = only_send(effects)
        assert only_question(effects).slots.stated() == {"params_b": 70.0, "method": "lora"}
        assert (send.reply_to, send.answers) == (31, 31)
        assert send.place == effects.remember[0].place == Place(tg.GROUP["id"], None, tg.ANA["id"])

    def test_pitfall_35_an_entity_that_cuts_a_surrogate_pair_does_no_harm(self, context: DecideContext) -> None:
        update = tg.said("😀 70B", chat=tg.GROUP, entities=[{"type": "mention", "offset": 1, "length": 900}])
        assert decide(update, FRESH, context) == NOTHING

    def test_a_mention_by_name_without_username_is_understood(self, context: DecideContext) -> None:
        text = "GPU 13B qlora"
        marked = [tg.entity("text_mention", text, "GPU", user=tg.BOT)]
        effects = decide(tg.said(text, chat=tg.GROUP, entities=marked), FRESH, context)
        assert only_question(effects).slots.params_b == 13

    def test_a_reply_to_the_bot_is_a_question(self, context: DecideContext) -> None:
        answer = tg.message("…", chat=tg.GROUP, **{"from": tg.BOT})
        effects = decide(tg.said("70B com LoRA?", chat=tg.GROUP, reply_to_message=answer), FRESH, context)
        assert only_question(effects).slots.params_b == 70
        other = tg.message("…", chat=tg.GROUP, **{"from": tg.OTHER_BOT})
        assert decide(tg.said("70B com LoRA?", chat=tg.GROUP, reply_to_message=other), FRESH, context) == NOTHING

    def test_pitfall_40_a_topic_that_the_bot_opened_is_no_conversation_with_it(self, context: DecideContext) -> None:
        opening = tg.message(
            chat=tg.FORUM, message_id=7, forum_topic_created={"name": "x", "icon_color": 1}, **{"from": tg.BOT}
        )
        update = tg.said(
            "70B com LoRA?", chat=tg.FORUM, message_thread_id=7, is_topic_message=True, reply_to_message=opening
        )
        assert decide(update, FRESH, context) == NOTHING

    def test_a_bare_mention_points_at_the_question_it_replies_to(self, context: DecideContext) -> None:
        asked = tg.message("34B com QLoRA?", chat=tg.GROUP, **{"from": tg.BO})
        effects = decide(tg.said("@shop_bot", chat=tg.GROUP, reply_to_message=asked), FRESH, context)
        assert only_question(effects).slots.params_b == 34
        assert "@shop_bot" in only_send(decide(tg.said("@shop_bot", chat=tg.GROUP), FRESH, context)).plain

    @pytest.mark.parametrize(
        ("fields", "thread"),
        [
            ({"message_thread_id": 7, "is_topic_message": True}, 7),
            ({"message_thread_id": 55}, None),  # a reply in the General topic, or after topics were switched off
            ({}, None),
        ],
    )
    def test_pitfall_40_only_a_topic_message_is_answered_in_a_thread(
        self, context: DecideContext, fields: dict[str, Any], thread: int | None
    ) -> None:
        update = tg.said("@shop_bot 70B", chat=tg.FORUM, **fields)
        expected = Place(tg.FORUM["id"], thread, tg.ANA["id"])
        effects = decide(update, FRESH, context)
        assert place_of(update) == only_send(effects).place == effects.remember[0].place == expected

    @pytest.mark.parametrize("kind", ["voice", "sticker", "photo"])
    def test_other_content_gets_silence(self, context: DecideContext, kind: str) -> None:
        assert decide(tg.said(chat=tg.GROUP, **CONTENT[kind]), FRESH, context) == NOTHING
        answer = tg.message("…", chat=tg.GROUP, **{"from": tg.BOT})
        assert decide(tg.said(chat=tg.GROUP, reply_to_message=answer, **CONTENT[kind]), FRESH, context) == NOTHING


STICKER = {**tg.FILE, "type": "regular", "width": 512, "height": 512, "is_animated": False, "is_video": False}
VIDEO = {**tg.FILE, "width": 640, "height": 360, "duration": 3}
LOCATION = {"latitude": -23.5, "longitude": -46.6}
POLL = {
    "id": "1", "question": "?", "options": [{"text": "a", "voter_count": 0, "persistent_id": "x"}],
    "total_voter_count": 0,
    "is_closed": False, "is_anonymous": True, "type": "regular", "allows_multiple_answers": False,
    "allows_revoting": True, "members_only": False,
}  # fmt: skip
CONTENT: dict[str, dict[str, Any]] = {
    "voice": {"voice": {**tg.FILE, "duration": 2}},
    "audio": {"audio": {**tg.FILE, "duration": 200}},
    "video_note": {"video_note": {**tg.FILE, "duration": 2, "length": 240}},
    "photo": {"photo": tg.PHOTO},
    "video": {"video": VIDEO},
    "animation": {"animation": VIDEO, "document": tg.FILE},
    "sticker": {"sticker": STICKER},
    "dice": {"dice": {"emoji": "🎲", "value": 3}},
    "document": {"document": tg.FILE},
    "contact": {"contact": {"phone_number": "+5511", "first_name": "X"}},
    "location": {"location": LOCATION},
    "venue": {"venue": {"location": LOCATION, "title": "t", "address": "a"}, "location": LOCATION},
    "poll": {"poll": POLL},
    "game": {"game": {"title": "t", "description": "d", "photo": tg.PHOTO}},
    "story": {"story": {"id": 1, "chat": tg.CHANNEL}},
    "rich_message": {"rich_message": {"blocks": []}},
    "empty text": {"text": ""},
    "blank text": {"text": " \n"},
}


class TestContent:
    @pytest.mark.parametrize("kind", CONTENT)
    def test_pitfall_36_every_kind_gets_a_short_answer_in_the_users_language(
        self, context: DecideContext, kind: str
    ) -> None:
        effects = decide(tg.said(**CONTENT[kind]), FRESH, context)
        send = only_send(effects)
        assert 20 < len(send.plain) < 300
        assert "70B" in send.plain
        assert effects.remember == ()
        english = only_send(decide(tg.said(**CONTENT[kind], **{"from": tg.BO}), FRESH, context))
        assert english.plain != send.plain

    @pytest.mark.parametrize("kind", ["photo", "video", "document", "voice", "audio", "animation"])
    def test_pitfall_36_a_caption_is_read_as_text(self, context: DecideContext, kind: str) -> None:
        effects = decide(tg.said(**CONTENT[kind], caption="13B com QLoRA?"), FRESH, context)
        assert only_question(effects).slots.stated() == {"params_b": 13.0, "method": "qlora"}

    def test_pitfall_35_a_mention_in_a_caption_counts(self, context: DecideContext) -> None:
        effects = decide(tg.said(photo=tg.PHOTO, caption="😀 @shop_bot 13B?", chat=tg.GROUP), FRESH, context)
        assert only_question(effects).slots.params_b == 13

    def test_pitfall_37_parts_of_an_album_are_told_from_its_text(self, context: DecideContext) -> None:
        parts = [tg.said(photo=tg.PHOTO, media_group_id="13", caption=text) for text in ("13B com LoRA?", "70B")]
        bare = tg.said(photo=tg.PHOTO, media_group_id="13")
        keys = [
            letter.key
            for part in (*parts, bare)
            for letter in write_letters(part.update_id, decide(part, FRESH, context).actions)
        ]
        assert keys[0] == keys[1]  # recorded once
        assert keys[2] != keys[0]

    @pytest.mark.parametrize(
        "fields",
        [
            {"new_chat_members": [tg.BO]},
            {"left_chat_member": tg.BO},
            {"new_chat_title": "x"},
            {"pinned_message": tg.message("x")},
            {"group_chat_created": True},
            {"message_auto_delete_timer_changed": {"message_auto_delete_time": 60}},
            {"write_access_allowed": {}},
            {"forum_topic_closed": {}},
            {"video_chat_started": {}},
        ],
    )
    def test_service_messages_get_silence(self, context: DecideContext, fields: dict[str, Any]) -> None:
        for chat in (tg.PRIVATE, tg.GROUP):
            assert decide(tg.said(chat=chat, **fields), FRESH, context) == NOTHING

    def test_pitfall_21_a_group_that_became_a_supergroup_is_followed(self, context: DecideContext) -> None:
        old = tg.said(chat=tg.SMALL_GROUP, migrate_to_chat_id=-1001)
        new = tg.said(chat={**tg.GROUP, "id": -1001}, migrate_from_chat_id=-77)
        assert decide(old, FRESH, context) == decide(new, FRESH, context) == Effects(moved=(-77, -1001))


class TestSenders:
    def test_pitfall_38_posts_and_copies_of_channels_get_silence(self, context: DecideContext) -> None:
        post = tg.message("/prices", chat=tg.CHANNEL, **{"from": None})
        copy = tg.said(
            "@shop_bot 70B", chat=tg.GROUP, sender_chat=tg.CHANNEL, is_automatic_forward=True,
            **{"from": {"id": 777000, "is_bot": False, "first_name": "Telegram"}},
        )  # fmt: skip
        for update in (tg.update("channel_post", post), tg.update("edited_channel_post", post), copy):
            assert decide(update, FRESH, context) == NOTHING
        assert place_of(tg.update("channel_post", post)) is None

    @pytest.mark.parametrize(
        ("user", "sender_chat"),
        [
            ({"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}, tg.GROUP),
            ({"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}, tg.CHANNEL),
        ],
    )
    def test_pitfall_38_anonymous_senders_are_answered_and_have_no_user(
        self, context: DecideContext, user: dict[str, Any], sender_chat: dict[str, Any]
    ) -> None:
        update = tg.said("/prices@shop_bot", chat=tg.GROUP, sender_chat=sender_chat, **{"from": user})
        assert place_of(update) == Place(tg.GROUP["id"], None, None)
        assert only_send(decide(update, FRESH, context)).place == place_of(update)

    @pytest.mark.parametrize("chat", [tg.PRIVATE, tg.GROUP])
    def test_other_bots_and_own_inline_results_get_silence(self, context: DecideContext, chat: dict[str, Any]) -> None:
        assert decide(tg.said("@shop_bot 70B", chat=chat, **{"from": tg.OTHER_BOT}), FRESH, context) == NOTHING
        assert decide(tg.said("@shop_bot 70B", chat=chat, via_bot=tg.BOT), FRESH, context) == NOTHING

    @pytest.mark.parametrize("kind", ["business_message", "edited_business_message"])
    def test_pitfall_39_business_messages_get_silence(self, context: DecideContext, kind: str) -> None:
        update = tg.update(kind, tg.message("70B", business_connection_id="b"))
        assert decide(update, FRESH, context) == NOTHING
        assert place_of(update) is None

    def test_pitfall_22_large_ids_are_kept(self, context: DecideContext) -> None:
        chat = {"id": -1003895315077, "type": "supergroup", "title": "x", "is_forum": True}
        update = tg.said("@shop_bot 70B", chat=chat, message_thread_id=3895315077, is_topic_message=True)
        assert only_send(decide(update, FRESH, context)).place == Place(-1003895315077, 3895315077, 5234567890123)

    @pytest.mark.parametrize("name", ["<b", "/> &amp;", "\u202egnp.exe", "x" * 64])
    def test_pitfall_01_names_are_never_shown(self, context: DecideContext, name: str) -> None:
        user = {**tg.ANA, "first_name": name, "last_name": name, "username": "abcde"}
        for text in ("/start", "/help", "70B", "hi", "/language"):
            send = only_send(decide(tg.said(text, **{"from": user}), FRESH, context))
            assert name not in send.plain
            assert escape(name) not in send.html


class TestEdits:
    def test_pitfall_27_an_edited_question_corrects_its_answer(self, context: DecideContext) -> None:
        seven = Question(intent="plan", slots=Slots(params_b=7.0, method="lora"), lang="pt")
        remembered = Remembered(questions=(seven,), question_ids=(4,), answered={4: (5, 6)})
        effects = decide(tg.edited("70B com QLoRA?", message_id=4), remembered, context)
        (edit,) = effects.actions
        assert isinstance(edit, Edit)
        assert (edit.message_id, edit.answers, edit.place.chat_id) == (None, 4, tg.ANA["id"])
        assert "52,5" in edit.plain
        assert effects.remember[0].message_id == 4

    def test_pitfall_27_an_edit_is_read_with_the_memory_before_it(self, context: DecideContext) -> None:
        questions = tuple(
            Question(intent="plan", slots=Slots(params_b=size, method="lora"), lang="pt") for size in (13.0, 34.0, 70.0)
        )
        remembered = Remembered(questions=questions, question_ids=(1, 4, 8), answered={4: (5,)})
        effects = decide(tg.edited("e com QLoRA?", message_id=4), remembered, context)
        assert only_question(effects).slots.stated() == {"params_b": 13.0, "method": "qlora"}

    def test_pitfall_27_an_edited_reply_still_refers_to_the_answer_that_it_replies_to(
        self, context: DecideContext
    ) -> None:
        questions = tuple(
            Question(intent="plan", slots=Slots(params_b=size, method="lora"), lang="pt") for size in (13.0, 34.0, 70.0)
        )
        remembered = Remembered(questions=questions, question_ids=(1, 3, 6), quoted=questions[:1], answered={6: (7,)})
        answer = tg.message("x", message_id=2, **{"from": tg.BOT})
        effects = decide(tg.edited("e com QLoRA?", message_id=6, reply_to_message=answer), remembered, context)
        assert only_question(effects).slots.stated() == {"params_b": 13.0, "method": "qlora"}

    def test_pitfall_27_an_answer_still_waiting_to_be_sent_is_corrected(self, context: DecideContext) -> None:
        effects = decide(tg.edited("70B", message_id=4), Remembered(answered={4: ()}), context)
        assert isinstance(effects.actions[0], Edit)

    def test_pitfall_27_an_edited_command_corrects_its_answer(self, context: DecideContext) -> None:
        effects = decide(tg.edited("/prices h100", message_id=4), Remembered(answered={4: (5,)}), context)
        (edit,) = effects.actions
        assert isinstance(edit, Edit)
        assert "2,32" in edit.plain
        assert "4,61" not in edit.plain

    @pytest.mark.parametrize(
        "update",
        [
            tg.edited("70B com LoRA?", message_id=4),
            tg.edited("/prices", message_id=4),
            tg.edited("@shop_bot 70B", message_id=4, chat=tg.GROUP),
        ],
    )
    def test_pitfall_27_what_was_not_answered_stays_so(self, context: DecideContext, update: Update) -> None:
        assert decide(update, Remembered(answered={3: (5,)}), context) == NOTHING
        assert decide(update, FRESH, context) == NOTHING

    @pytest.mark.parametrize("fields", [{"location": LOCATION}, {"photo": tg.PHOTO}])
    def test_edits_without_text_get_silence(self, context: DecideContext, fields: dict[str, Any]) -> None:
        assert decide(tg.edited(message_id=4, **fields), Remembered(answered={4: (5,)}), context) == NOTHING
