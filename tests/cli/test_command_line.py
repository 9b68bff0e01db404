"""The command as a user runs it: answers, exit codes, one-line errors, the installed wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
#: Modules that an answer must not pay for.
HEAVY = ("telegram", "matplotlib", "alembic", "sqlalchemy", "httpx", "aiohttp", "uvicorn", "prompt_toolkit", "yaml")


def gpubot(
    *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GPUBOT_")}
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", *args],
        input=data,
        capture_output=True,
        env={**clean, **(env or {})},
        cwd=cwd,
        timeout=60,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"GPUBOT_DATA_DIR": str(tmp_path / "data")}


def test_ask_answers_and_creates_nothing(home: dict[str, str]) -> None:
    done = gpubot("ask", "70B com LoRA?", env=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1×\u00a0B200" in done.stdout
    assert not Path(home["GPUBOT_DATA_DIR"]).exists()


def test_ask_imports_nothing_heavy(home: dict[str, str]) -> None:
    code = (
        "import sys\nfrom bot.cli import cli\ncli.main(['ask', '70B com LoRA?'], standalone_mode=False)\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **home}, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_many_questions_are_answered_in_order_and_a_bad_line_stands_alone(home: dict[str, str]) -> None:
    lines = [
        json.dumps({"text": "e com QLoRA?", "context": ["70B com LoRA?"]}),
        "not json",
        json.dumps({"text": "\u0000\u202e70B\ud800"}),
        json.dumps({"text": "70B", "lang": "es"}),
    ]
    done = gpubot("ask", "--stdin", "--json", stdin="\n".join(lines), env=home)
    first, bad, hostile, spanish = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0
    assert first["query"] == {"params_b": 70, "method": "qlora"}
    assert bad["error"]["field"] == "line 2"
    assert hostile["query"]["params_b"] == 70
    assert spanish["locale"] == "es"
    assert first["answer"]["methods"][0]["simplest"] == {"gpu": "a100-80", "count": 1, "usd_per_hour": "0.92"}


@pytest.mark.parametrize(
    "text", ["x" * 5000, "🙂🙂🙂", "<script>alert(1)</script>", "-70B", "0B", "70BB", "999999B", "1e400 B", "\u202e70B"]
)
def test_bad_input_gets_a_kind_answer(text: str, home: dict[str, str]) -> None:
    done = gpubot("ask", text, env=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


@pytest.mark.parametrize(
    ("args", "env", "said"),
    [
        (["ask", "70B"], {"GPUBOT_TOKN": "1"}, "GPUBOT_TOKEN"),
        (["ask", "70B"], {"GPUBOT_LANG": "klingon"}, "GPUBOT_LANG"),
        (["ask", "70B"], {"GPUBOT_TIMEZONE": "Mars"}, "GPUBOT_TIMEZONE"),
        (["ask", "70B"], {"GPUBOT_PRICE_STALE_DAYS": "soon"}, "GPUBOT_PRICE_STALE_DAYS: must be a whole number"),
        (["ask", "70B"], {"GPUBOT_SHOP_URL": "ftp://x", "GPUBOT_TOKEN": "123456789:secret_secret"}, "GPUBOT_SHOP_URL"),
        (["ask", "--jsno"], {}, "--jsno"),
        (["ask"], {}, "give a text"),
        (["ask", "--as-of", "yesterday", "70B"], {}, "2026-10-29"),
        (["ask", "--as-of", "2020-01-01", "70B"], {}, "no prices"),
        (["prices", "show"], {"GPUBOT_DATABASE_URL": "postgresql://u:secret@127.0.0.1:9/x"}, "nothing listens at that"),
        (["ask", "--lang", "xx", "70B"], {}, "pt_BR"),
        (["prices", "import", "absent.toml"], {}, "absent.toml"),
        (["rates", "import", "absent.toml"], {}, "absent.toml: no such file"),
        (["nonsense"], {}, "nonsense"),
    ],
)
def test_an_operators_mistake_is_one_line_and_exit_2(
    args: list[str], env: dict[str, str], said: str, home: dict[str, str]
) -> None:
    done = gpubot(*args, env={**home, **env})
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("content", "said"), [(b"GPUBOT_LANG=en\n=x y\n", ".env, line 2"), (b"\xff\xfe", ".env"), (None, ".env")]
)
def test_an_env_file_that_can_not_be_read_is_one_line_and_exit_2(
    content: bytes | None, said: str, tmp_path: Path, home: dict[str, str]
) -> None:
    if content is None:
        (tmp_path / ".env").mkdir()
    else:
        (tmp_path / ".env").write_bytes(content)
    done = gpubot("ask", "70B", env=home, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr


def test_piped_conversation_prints_answers_alone(home: dict[str, str]) -> None:
    done = gpubot("run", stdin="70B com LoRA?\ne com QLoRA?\n", env=home)
    assert done.returncode == 0
    assert "BotFather" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "52,5" in done.stdout


def test_imported_prices_answer_from_their_day_on(tmp_path: Path, home: dict[str, str]) -> None:
    file = tmp_path / "new.toml"
    file.write_text('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "2.10"\n')
    assert "2.32 -> 2.10" in gpubot("prices", "import", "--dry-run", str(file), env=home).stdout
    assert gpubot("prices", "import", str(file), env=home).returncode == 0
    assert "2.10" in gpubot("prices", "show", "--as-of", "2026-11-21", env=home).stdout
    assert "2.32" in gpubot("prices", "show", "--as-of", "2026-10-29", env=home).stdout
    assert "2026-11-20" in gpubot("prices", "show", "--history", env=home).stdout


def test_estimate_lines(home: dict[str, str]) -> None:
    done = gpubot("estimate", "--stdin", stdin='{"params_b": 70, "method": "lora"}\n[]\n', env=home)
    good, bad = map(json.loads, done.stdout.splitlines())
    assert good["total_gb"] == {"low": 140.0, "expected": 168.0, "high": 252.0}
    assert "error" in bad


def test_the_wheel_answers_the_same_from_anywhere(tmp_path: Path, home: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "-q", "--no-isolation", "--wheel", "-o", tmp_path, ROOT],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split("/")[0] for name in archive.namelist()}
        archive.extractall(tmp_path / "site")
    assert {name for name in names if not name.endswith(".dist-info")} == {"bot", "planner"}
    env = {**os.environ, **home, "PYTHONPATH": str(tmp_path / "site")}
    run = "from bot.cli import cli; cli.main(['ask', '70B com LoRA?'], standalone_mode=False)"
    code = f"import bot; {run}; print(bot.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path, check=True
    )
    *answer, where = done.stdout.splitlines()
    assert where.startswith(str(tmp_path))
    assert "\n".join(answer).strip() == gpubot("ask", "70B com LoRA?", env=home).stdout.strip()


def test_prices_and_texts_are_imported_shown_and_undone(home: dict[str, str], tmp_path: Path) -> None:
    prices = tmp_path / "new.toml"
    prices.write_text('as_of = 2026-11-20\n[gpus.h100]\nusd_per_hour = "2.10"\n')
    assert gpubot("prices", "undo", env=home).returncode == 2
    assert gpubot("prices", "import", str(prices), env=home).returncode == 0
    undone = gpubot("prices", "undo", env=home)
    assert (undone.returncode, undone.stdout) == (
        0, "Withdrew the prices of 2026-11-20; in force now: those of 2026-10-29.\n"
    )  # fmt: skip
    assert "withdrawn by" in gpubot("prices", "show", "--history", env=home).stdout
    texts = tmp_path / "faq.toml"
    texts.write_text('locale = "en"\nas_of = 2026-11-20\nsource = "Support"\n[refund]\npolicy = "Within 7 days"\n')
    assert gpubot("faq", "import", "--dry-run", str(texts), env=home).stdout.endswith("(--dry-run).\n")
    assert gpubot("faq", "import", str(texts), env=home).returncode == 0
    assert "refund.policy: Within 7 days" in gpubot("faq", "show", "en", env=home).stdout
    assert "Within 7 days (Support" in gpubot("ask", "--lang", "en", "can I get a refund?", env=home).stdout
    assert "Within" not in gpubot("ask", "--as-of", "2026-11-01", "can I get a refund?", env=home).stdout
    assert gpubot("faq", "undo", "en", env=home).returncode == 0
    assert gpubot("faq", "undo", "en", env=home).returncode == 2
    assert "withdrawn by" in gpubot("faq", "history", env=home).stdout


def test_a_rate_set_by_hand_can_be_taken_back(home: dict[str, str]) -> None:
    assert gpubot("rates", "unset", "BTC", env=home).returncode == 2
    assert gpubot("rates", "set", "BTC", "84000", env=home).returncode == 0
    assert "84000" in gpubot("rates", "show", env=home).stdout
    assert gpubot("rates", "unset", "btc", env=home).returncode == 0
    assert "No rate may be used now" in gpubot("rates", "show", env=home).stdout
    assert gpubot("rates", "set", "BTC", "85000", env=home).returncode == 0
    assert "85000" in gpubot("rates", "show", env=home).stdout
