"""Measure what a model's ordinary faults cost: facts stored of the right ones, calls, tokens.

    python -m benchmarks.extraction.faults

The model is the scripted one of the tests (`tests/endpoint/faulty.py`): it answers rightly, but for
one fault in a share of its answers. So the figures are of the daemon, not of any model.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[2]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "tests" / "rpc")]

from scripted_model import ModelWorld  # noqa: E402  found by the path added above

from tests.endpoint import faulty  # noqa: E402  found by the path added above


class Cost(NamedTuple):
    """The figures of one fault at one rate."""

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

    def answer(request: dict[str, Any]) -> Any:
        facts = faulty.right(request)
        if not facts or chance.random() >= rate:
            return faulty.text(facts)
        return faulty.FAULTS[fault](facts).answer

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
    told = {faulty.content_of(number) for number in range(turns)}
    stored = _stored(world, scope)
    jobs = world.daemon.call("jobs.list", scope=scope, kind="extract_facts", limit=100)["jobs"]
    return Cost(
        right=len(told),
        stored=len(told & stored),
        wrong_stored=len(stored - told),
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
    parser.add_argument("--rates", type=float, nargs="+", default=[0.0, 0.1, 0.5])
    options = parser.parse_args()
    print("| fault | rate | stored of right | wrong stored | calls | tokens | set aside |")
    print("|---|---|---|---|---|---|---|")
    with ModelWorld.running() as world:
        for fault in faulty.FAULTS:
            for rate in options.rates:
                cost = measure(world, fault, rate, options.turns)
                print(
                    f"| {fault} | {rate:.0%} | {cost.stored}/{cost.right} | {cost.wrong_stored} |"
                    f" {cost.calls} | {cost.tokens:,} | {cost.set_aside} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
