"""Measure extraction: calls and tokens, others' searches meanwhile, and a host's own prompts.

    python benchmarks/extraction/bench.py

Against the scripted endpoint of the tests, in a process of its own: its answers are made by rules,
so the figures are of the daemon, and of how much text a model is sent, not of any model.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))

from daemons import Client, Daemon  # noqa: E402  found by the path added above

_PORT = 18_081
_TEMPLATES = (
    "My sister {name} moved to {place} and works as a nurse there.",
    "I would like to plan a trip to {place} with {name} in the autumn.",
    "{name} told me that the bakery in {place} is closed, what a pity.",
    "I prefer the train to {place}, the car takes my whole day.",
    "Can you tell me when the market in {place} opens?",
)
_NAMES = ("Ann", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")
_PLACES = ("Lisbon", "Porto", "Braga", "Faro", "Evora", "Tomar", "Coimbra")


def said(number: int) -> str:
    """A sentence of a conversation."""
    return _TEMPLATES[number % len(_TEMPLATES)].format(
        name=_NAMES[number % len(_NAMES)], place=_PLACES[number % len(_PLACES)]
    )


@contextmanager
def world(settings: str = "", *, delay: float = 0.0) -> Iterator[Daemon]:
    """A daemon with the scripted endpoint."""
    endpoint = subprocess.Popen(
        [sys.executable, "-m", "tests.endpoint", "--port", str(_PORT), "--delay", str(delay)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
    )
    daemon = Daemon()
    daemon.config(
        f'[llm]\nbase_url = "http://127.0.0.1:{_PORT}/v1"\nmodel = "scripted"\n'
        f'[embedding]\nprovider = "wordllama"\n[memory]\n{settings}'
    )
    try:
        yield daemon.start()
    finally:
        daemon.remove()
        endpoint.terminate()
        endpoint.wait()


def scope(user: str) -> dict[str, Any]:
    """A user."""
    return {"provider": "bench", "user_id": user, "username": user}


def flush(daemon: Daemon) -> None:
    """Run all jobs."""
    with daemon.client() as client:
        client.patience(120)
        while client.call("jobs.flush")["waiting"]:
            pass


def jobs(daemon: Daemon, **wanted: Any) -> list[dict[str, Any]]:
    """All jobs."""
    found, cursor = [], None
    while True:
        page = daemon.call(
            "jobs.list", limit=100, **wanted, **({"cursor": cursor} if cursor else {})
        )
        found += page["jobs"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def costs(turns: int) -> None:
    """Calls and tokens by kind of job, for a conversation that comes turn by turn."""
    with world() as daemon:
        for number in range(turns):
            daemon.call(
                "conversation.ingest",
                scope=scope("david"),
                conversation_id="talk",
                turns=[{"user": said(number), "assistant": "I see. Tell me more about it."}],
            )
        flush(daemon)
        for kind in ("extract_facts", "summarise", "judge_conflicts", "update_profile"):
            done = jobs(daemon, kind=kind, state="done")
            tokens = sum(job["tokens"] for job in done)
            per_100 = 100 / turns
            print(f"{kind}: {len(done) * per_100:.1f} calls, {tokens * per_100:,.0f} tokens")


def latency(count: int, searches: int) -> None:
    """Another owner's search, with the jobs waiting and then while they run."""
    with world("extraction_debounce_s = 3600\nsummary_debounce_s = 3600\n", delay=0.02) as daemon:
        mine = scope("searcher")
        for number in range(200):
            daemon.call("memory.add", scope=mine, content=f"{said(number)} Note {number}.")
        with daemon.client() as client:
            for number in range(count):
                daemon.call(
                    "conversation.ingest",
                    scope=scope(f"user {number}"),
                    conversation_id="talk",
                    messages=[{"content": said(number)}],
                )
            for _ in range(50):
                _search(client, mine)
            alone = [_search(client, mine) for _ in range(searches)]
            with daemon.client() as flusher:
                flusher.send(b'{"jsonrpc":"2.0","id":1,"method":"jobs.flush","params":{}}\n')
                beside = [_search(client, mine) for _ in range(searches)]
                left = len(jobs(daemon, state="waiting"))
        set_aside = len(jobs(daemon, state="set_aside"))
        before = statistics.median(alone)
        during = statistics.median(beside)
        print(
            f"search: {before * 1e3:.2f} ms alone, {during * 1e3:.2f} ms while {count} jobs run"
            f" ({left} were left), ratio {during / before:.2f}; {set_aside} set aside"
        )


def _search(client: Client, mine: dict[str, Any]) -> float:
    began = time.perf_counter()
    client.call("memory.search", scope=mine, query="where did my sister move")
    return time.perf_counter() - began


def own_prompts(rounds: int) -> None:
    """The size of the context when a host ingests what it sent to the model."""
    with world() as daemon:
        mine = scope("david")
        for number in range(5):
            daemon.call("memory.add", scope=mine, content=said(number))
        sizes = []
        for _ in range(rounds):
            block = daemon.call("context.get", scope=mine, message="Where is my sister?")
            sizes.append(block["token_count"])
            daemon.call(
                "conversation.ingest",
                scope=mine,
                conversation_id="talk",
                turns=[
                    {
                        "user": f"{block['text']}\n\nWhere is my sister?",
                        "assistant": "She moved to Lisbon.",
                    }
                ],
            )
        flush(daemon)
        last = daemon.call("context.get", scope=mine, message="Where is my sister?")
        print(f"context after own prompts: {sizes}, after all jobs {last['token_count']} tokens")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--searches", type=int, default=400)
    options = parser.parse_args()
    costs(options.turns)
    own_prompts(20)
    latency(options.jobs, options.searches)


if __name__ == "__main__":
    main()
