"""Encryption at rest beside none, as ratios in one run.

``python -m benchmarks.speed.encryption`` with the environment of `make test-encrypted`. Both
daemons run side by side and take turns, so that what else the machine does meets both.
"""

import argparse
import json
import secrets
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.speed import cpu
from tests.daemons import Daemon

OWNER = {"provider": "bench", "user_id": "owner"}
THINGS = ("lamp", "violin", "oven", "clock", "boat", "ladder", "kettle", "anchor", "piano", "drill")
PLACES = ("attic", "cellar", "garden", "kitchen", "shed", "studio", "garage", "hall")


def facts(count: int) -> Iterator[str]:
    """Sentences that differ."""
    for number in range(count):
        thing, place = THINGS[number % 10], PLACES[number * 7 % 8]
        yield f"Item N{number:05} is the {thing} in the {place} of house {number % 97}"


def daemon(folder: Path, *, encrypted: bool) -> Daemon:
    """A daemon on a new home, not started."""
    made = Daemon(folder / "home")
    if encrypted:
        key = folder / "key"
        key.write_text(secrets.token_hex())
        key.chmod(0o600)
        made.config(f'[storage]\nencryption = true\nkey_file = "{key}"\n')
    else:
        made.config("")
    return made


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds that a piece of work takes."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def start(one: Daemon) -> None:
    """Start until calls are answered."""
    one.start(wait_for="daemon_ready")


def ready(one: Daemon) -> None:
    """Wait until the embedder is loaded, and nothing is left to do of the start."""
    while one.call("system.status")["embedder"] == "loading":
        time.sleep(0.02)
    cpu.until_rest(one)


def search(one: Daemon, number: int) -> object:
    """Search for one of the facts."""
    query = f"{THINGS[number % 10]} in the {PLACES[number % 8]} of house {number % 97}"
    return one.call("memory.search", scope=OWNER, query=query)


def measure(pair: dict[str, Daemon], rows: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return the median milliseconds of each step, for each of the two."""
    taken: dict[str, dict[str, list[float]]] = {}

    def turn(step: str, work: Callable[[Daemon], object]) -> None:
        # Each is the first one every second time.
        order = list(pair.items())[:: -1 if len(taken.get(step, {}).get("plain", ())) % 2 else 1]
        for name, one in order:
            taken.setdefault(step, {}).setdefault(name, []).append(timed(lambda o=one: work(o)))

    for one in pair.values():
        one.start()
        texts = list(facts(rows))
        for begin in range(0, rows, 50):
            batch = [{"content": text} for text in texts[begin : begin + 50]]
            one.call("memory.add", scope=OWNER, facts=batch)
    for number in range(rounds * 8):
        turn(
            "add",
            lambda o, n=number: o.call("memory.add", scope=OWNER, content=f"Visit {n} was late"),
        )
        turn("search", lambda o, n=number: search(o, n))
    for number in range(rounds):
        turn("backup", lambda o: o.call("db.backup"))
        for one in pair.values():
            one.stop()
        turn("start", start)
        for one in pair.values():
            ready(one)
        turn("cold search", lambda o, n=number: search(o, n))
    return {
        step: {name: statistics.median(found) for name, found in each.items()}
        for step, each in taken.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ash-encryption-"))
    for name in ("plain", "encrypted"):
        (folder / name).mkdir()
    pair = {
        name: daemon(folder / name, encrypted=name == "encrypted")
        for name in ("plain", "encrypted")
    }
    if not (folder / "encrypted" / "home" / "config.toml").exists():
        sys.exit("no configuration")
    try:
        found = measure(pair, given.rows, given.rounds)
    finally:
        for one in pair.values():
            one.remove()
        shutil.rmtree(folder)
    for step, each in found.items():
        ratio = round(each["encrypted"] / each["plain"], 2)
        print(
            json.dumps(
                {"step": step, **{n: round(ms, 2) for n, ms in each.items()}, "ratio": ratio}
            )
        )


if __name__ == "__main__":
    main()
