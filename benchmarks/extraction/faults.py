"""Measure what a model's ordinary faults cost: facts stored of the right ones, calls, tokens.

    python -m benchmarks.extraction.faults [--turns 200] [--rates 0.1 0.5] [--write]

The model is the scripted one of the tests (`tests/endpoint/faulty.py`): it answers rightly, but for
one fault in its first answer and in a share of the others. So the figures are of the daemon, not of
any model.
"""

import argparse
import random
import sys
from typing import Any, NamedTuple

from benchmarks import readme
from benchmarks.extraction import faults_table
from benchmarks.extraction.scripted import ModelWorld, faulty
from benchmarks.speed import machine

NO_FAULT = "none"


class Cost(NamedTuple):
    """The figures of one fault at one rate; `right`: the facts that were right in some answer.

    `faulty` counts the answers that had the fault: at a low rate they are few.
    """

    fault: str
    rate: float
    faulty: int
    right: int
    stored: int
    wrong_stored: int
    calls: int
    tokens: int
    set_aside: int


def measure(world: ModelWorld, fault: str, rate: float, turns: int) -> Cost:
    """Let the model read so many turns, ten at a time, with the fault in a share of its answers."""
    chance = random.Random(f"{fault} {rate}")
    world.endpoint.requests.clear()
    right: set[str] = set()
    struck = 0

    def answer(request: dict[str, Any]) -> Any:
        nonlocal struck
        facts = faulty.right(request)
        told = {fact["content"] for fact in facts}
        # The first answer has the fault: at a low rate chance alone may spare them all.
        if not facts or not rate or (struck and chance.random() >= rate):
            right.update(told)
            return faulty.text(facts)
        struck += 1
        made = faulty.FAULTS[fault](facts)
        right.update(told - made.wrong)
        return made.answer

    world.endpoint.always("extract_facts", answer)
    scope = {"provider": "bench", "user_id": f"{fault} {rate}", "username": "david"}
    texts = [faulty.said(number) for number in range(turns)]
    for first in range(0, turns, 100):
        messages = [{"content": text} for text in texts[first : first + 100]]
        world.daemon.call(
            "conversation.ingest", scope=scope, conversation_id="talk", messages=messages
        )
    while world.daemon.call("jobs.flush")["waiting"]:
        pass
    stored = _stored(world, scope)
    jobs = world.daemon.call("jobs.list", scope=scope, kind="extract_facts", limit=100)["jobs"]
    return Cost(
        fault=fault,
        rate=rate,
        faulty=struck,
        right=len(right),
        stored=len(right & stored),
        wrong_stored=len(stored - right),
        calls=len(world.endpoint.asked_for("extract_facts")),
        tokens=sum(job["tokens"] for job in jobs),
        set_aside=sum(job["state"] == "set_aside" for job in jobs),
    )


def _stored(world: ModelWorld, scope: dict[str, Any]) -> set[str]:
    """Return the contents that were stored, replaced ones included."""
    found: set[str] = set()
    cursor: dict[str, str] = {}
    while True:
        page = world.daemon.call(
            "memory.list", scope=scope, include_superseded=True, limit=100, **cursor
        )
        found |= {one["content"] for one in page["memories"]}
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.1, 0.5])
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    options = parser.parse_args()
    wanted = [(NO_FAULT, 0.0)]
    wanted += [(fault, rate) for fault in faulty.FAULTS for rate in options.rates]
    result = {"machine": machine.describe(("ashd",)), "turns": options.turns}
    with ModelWorld.running() as world:
        rows = []
        for fault, rate in wanted:
            rows.append(measure(world, fault, rate, options.turns)._asdict())
            print(rows[-1], file=sys.stderr, flush=True)
    result["rows"] = rows
    print(faults_table.page(result))
    if options.write:
        readme.keep_faults(result)


if __name__ == "__main__":
    main()
