"""Messages a second over loopback: the real bot by polling and webhook, beside bare echo bots, in one run.

usage: python throughput.py [UPDATES] [ROUNDS]

Each bot has a core to itself, the Bot API server the other one.  Echo bots answer with the text that came; gpubot
reads, plans, renders, keeps its books in the database and answers with the whole plan.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
UPDATES = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
CORES = sorted(os.sched_getaffinity(0))
TOKEN = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
TICK = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def pinned(core: int) -> Callable[[], None]:
    return lambda: os.sched_setaffinity(0, {core})


def stats(base: str) -> dict[str, float]:
    with urllib.request.urlopen(f"{base}/stats", timeout=30) as answer:  # noqa: S310
        found: dict[str, float] = json.load(answer)
        return found


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(command: Callable[[str, Path], tuple[list[str], dict[str, str]]]) -> tuple[float, float]:
    """Messages a second, and microseconds of processor time a message."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, str(HERE / "server.py"), str(port), str(UPDATES)], preexec_fn=pinned(CORES[-1])
    )
    with tempfile.TemporaryDirectory() as home:
        try:
            for _ in range(100):
                try:
                    stats(base)
                    break
                except OSError:
                    time.sleep(0.05)
            line, env = command(base, Path(home))
            log = (Path(home) / "log").open("wb")
            bot = subprocess.Popen(
                line, env={"PATH": os.environ["PATH"], "HOME": home, **env}, cwd=home, stdout=log, stderr=log,
                preexec_fn=pinned(CORES[0]),
            )  # fmt: skip
            try:
                start = time.monotonic()
                before = 0.0
                while (found := stats(base))["sent"] < UPDATES:
                    if not found["sent"]:
                        before = cpu_seconds(bot.pid)
                    if time.monotonic() - start > 120 or bot.poll() is not None:
                        raise SystemExit((Path(home) / "log").read_text()[-3000:])
                    time.sleep(0.05)
                used = cpu_seconds(bot.pid) - before
            finally:
                bot.send_signal(signal.SIGTERM)
                bot.wait(30)
        finally:
            server.terminate()
            server.wait()
    return UPDATES / found["seconds"], used / UPDATES * 1e6


def gpubot(mode: str) -> Callable[[str, Path], tuple[list[str], dict[str, str]]]:
    def command(base: str, home: Path) -> tuple[list[str], dict[str, str]]:
        env = {"GPUBOT_TOKEN": TOKEN, "GPUBOT_API_URL": base, "GPUBOT_DATA_DIR": str(home), "GPUBOT_RATES": "off"}
        if mode == "webhook":
            address = f"127.0.0.1:{free_port()}"
            env |= {"GPUBOT_WEBHOOK_LISTEN": address, "GPUBOT_WEBHOOK_URL": f"http://{address}/"}
        return [sys.executable, "-m", "bot.cli", "run"], env

    return command


def echo(name: str, python: str) -> Callable[[str, Path], tuple[list[str], dict[str, str]]]:
    return lambda base, _home: ([python, str(HERE / f"echo_{name}.py"), base], {})


def main() -> None:
    """Print a table; figures are medians, with the lowest and the highest of the rounds."""
    aiogram = os.path.abspath(os.environ.get("BENCH_PYTHON", sys.executable))
    rows = {
        "echo, python-telegram-bot": echo("ptb", sys.executable),
        "echo, aiogram": echo("aiogram", aiogram),
        "gpubot, polling, SQLite": gpubot("polling"),
        "gpubot, webhook, SQLite": gpubot("webhook"),
    }
    print(f"{UPDATES} messages from 500 chats, {ROUNDS} rounds; Python {platform.python_version()}, {len(CORES)} cores")
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, command in rows.items():
            found[name].append(measure(command))
    base = statistics.median(rate for rate, _cpu in found["echo, python-telegram-bot"])
    print(f"{'':28}{'messages/s':>12}{'(range)':>16}{'us CPU each':>14}{'ratio':>8}")
    for name, runs in found.items():
        rates = sorted(rate for rate, _cpu in runs)
        rate, cpu = statistics.median(rates), statistics.median(cpu for _rate, cpu in runs)
        print(f"{name:28}{rate:>12.0f}{f'({rates[0]:.0f}-{rates[-1]:.0f})':>16}{cpu:>14.0f}{rate / base:>8.2f}")


if __name__ == "__main__":
    main()
