"""Random and mutated messages through the reader, answers and rendering: nothing may raise, every span must hold.

usage: python fuzz_reader.py [MESSAGES] [SEED]
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from bot.answers.build import answer
from bot.reader.question import Question
from bot.reader.read import read
from bot.render.i18n import SHIPPED
from bot.render.message import render_text
from bot.shop.files import load_seeds

CORPUS = Path(__file__).parent.parent / "corpus" / "questions.jsonl"
NOW = datetime(2026, 11, 5, tzinfo=UTC)
#: One message in so many is also answered and rendered.
ANSWERED = 20
PIECES = [
    *("70B", "x", "-", "0", "9" * 30, "1e9", "١٢", "７０", "\u200b", "\u202e", "\ud800", "\0", "\n", "🙂", "lora", "%"),
    *("{0}", "<b>", "&", "h100", ",", ".", "/", "億", "?", "2) ", "acme/x-7b@v1"),
]


def mutated(lines: list[str], chance: random.Random) -> str:
    text = chance.choice(lines)
    for _ in range(chance.randint(1, 6)):
        where = chance.randint(0, len(text))
        match chance.randrange(6):
            case 0:
                text = text[:where] + chance.choice(PIECES) + text[where:]
            case 1:
                text = text[:where] + text[where + chance.randint(1, 8) :]
            case 2:
                other = chance.choice(lines)
                text = text[:where] + other[chance.randint(0, len(other)) :]
            case 3:
                text = text[:where] + chr(chance.randrange(0x110000)) + text[where:]
            case 4:
                text = text[:where] + text[:where][-20:] * chance.randint(1, 5) + text[where:]
            case _:
                text = "".join(chance.choice((char, char.upper())) for char in text)
    return text


def messages(lines: list[str], count: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    for number in range(count):
        if number % 10 == 0:
            yield "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(0, 80)))
        else:
            yield mutated(lines, chance)


def run(count: int, seed: int) -> int:
    lines = [json.loads(line)["text"] for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    shop = load_seeds()
    history: list[Question] = []
    for number, text in enumerate(messages(lines, count, seed)):
        try:
            question = read(text, history[-3:])
            for mention in (*question.mentions, *(one for other in question.also for one in other.mentions)):
                assert mention.text == text[mention.start : mention.end], mention
            if number % ANSWERED == 0:
                for locale in SHIPPED:
                    assert render_text(answer(question, shop, NOW), locale).html
        except Exception as error:
            raise SystemExit(
                f"{type(error).__name__}: {error}\nmessage: {text!r}\nseed {seed}, number {number}"
            ) from error
        history = [*history[-2:], question] if number % 3 else []
    return count


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    workers = os.cpu_count() or 1
    parts = workers * 20
    started = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        done = sum(pool.map(run, [count // parts + 1] * parts, range(seed, seed + parts)))
    print(
        f"{done} messages read from seed {seed} on in {time.monotonic() - started:.0f} s: none raised, every span held"
    )


if __name__ == "__main__":
    main()
