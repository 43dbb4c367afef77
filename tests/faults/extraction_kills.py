"""Kill a daemon again and again while it reads a conversation for facts; count what is stored.

``python tests/faults/extraction_kills.py --turns 500 --rounds 50`` prints the figures; the suite
runs fewer rounds.
"""

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import apsw
from daemons import Daemon
from endpoint import Endpoint

SCOPE = {"provider": "test", "user_id": "u", "username": "david"}
_SYLLABLES = ("ba", "ko", "ri", "mu", "ze", "lo", "ta", "shi", "ne", "fu")


class Counts(NamedTuple):
    """Counts of facts by outcome, and of the daemon's deaths while a job ran."""

    expected: int
    lost: int
    doubled: int
    set_aside: int
    interrupted: int
    calls: int


def word(number: int) -> str:
    """Return a word that no other number has."""
    digits = f"{number:04d}"
    return "".join(_SYLLABLES[int(digit)] for digit in digits).capitalize()


def run(*, turns: int, rounds: int, seed: int) -> Counts:
    """Kill at random moments, then run to the end; return the counts."""
    chance = random.Random(seed)
    endpoint = Endpoint()
    endpoint.delay_seconds = 0.02
    daemon = Daemon()
    daemon.config(endpoint.llm_config + '[embedding]\nprovider = "none"\n')
    said = [f"I named a boat {word(number)}." for number in range(turns)]
    try:
        daemon.start(wait_for="daemon_ready")
        _ingest(daemon, said)
        for _ in range(rounds):
            _wait(endpoint, chance)
            daemon.kill()
            daemon.start(wait_for="daemon_ready")
        while daemon.call("jobs.flush")["waiting"]:
            pass
        daemon.stop()
        return _counts(daemon.home, said, len(endpoint.asked_for("extract_facts")))
    finally:
        daemon.remove()
        endpoint.end()


def _wait(endpoint: Endpoint, chance: random.Random) -> None:
    """Wait for a random moment: mostly around a call of the model and the write after it."""
    if chance.random() < 0.25:
        time.sleep(chance.uniform(0, 2.0))
        return
    asked, until = len(endpoint.requests), time.monotonic() + 5
    while len(endpoint.requests) == asked and time.monotonic() < until:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.2))


def _ingest(daemon: Daemon, said: list[str]) -> None:
    entries = [
        {"user": text, "assistant": "Noted.", "external_id": str(number)}
        for number, text in enumerate(said)
    ]
    for start in range(0, len(entries), 200):
        daemon.call(
            "conversation.ingest",
            scope=SCOPE,
            conversation_id="boats",
            turns=entries[start : start + 200],
        )


def _counts(home: Path, said: list[str], calls: int) -> Counts:
    database = apsw.Connection(str(home / "data" / "ash.db"), flags=apsw.SQLITE_OPEN_READONLY)
    stored = Counter(row[0] for row in database.execute("select content from memories"))
    # A job that ran twice would find its own facts.
    again = database.execute("select count(*) from memory_events where event = 'duplicate'").get
    aside = database.execute("select count(*) from jobs where state = 'set_aside'").get
    interrupted = database.execute("select sum(interruptions) from jobs").get
    database.close()
    return Counts(
        expected=len(said),
        lost=sum(text not in stored for text in said),
        doubled=sum(count - 1 for count in stored.values()) + again,
        set_aside=aside,
        interrupted=interrupted,
        calls=calls,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts = run(turns=options.turns, rounds=options.rounds, seed=options.seed)
    sys.stdout.write(f"{options.rounds} kills of {options.turns} turns: {counts}\n")


if __name__ == "__main__":
    main()
