"""Measure the time `ashd http` adds to a chat, and the cost of a thousand idle connections.

    python -m benchmarks.speed.gateway [--models FOLDER] [--memories N]

An upstream on the loopback answers at once. A chat is measured straight to it, through the gateway
without memory, and through it with memory; `memory.search` on the daemon's own socket with and
without idle connections to the gateway, half of them in the middle of a header.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ashd.providers import registry
from benchmarks.speed import daemons, note_vectors, personal_notes, stored
from benchmarks.speed.machine import resident_mib
from benchmarks.speed.timing import interleaved, ratio
from tests.daemons import Daemon
from tests.http.gateways import Gateway, Reply, started

_AGENT = "bench"
_IDLE = 1_000
_ANSWER = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"}}]}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=Path)
    parser.add_argument("--memories", type=int, default=10_000)
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    provider = "minilm" if models else "none"
    daemon = daemons.prepared(provider, models)
    filled = partial(_fill, daemon, provider, models, arguments.memories)
    with started(daemon, seconds=300, before=filled) as one:
        one.upstream.reply = Reply((_ANSWER,))
        print(json.dumps(_measured(one), indent=1))


def _fill(daemon: Daemon, provider: str, models: Path | None, count: int) -> None:
    """Write the agent's memories into the database of a daemon that does not run."""
    embedder = registry.load(provider, models_dir=models or Path())
    daemon.start()
    daemon.stop()
    texts = list(itertools.islice(personal_notes.notes(), count))
    embed = None
    if embedder is not None:
        embed = note_vectors.of(embedder, texts)
    owner = {"provider": "http", "user_id": _AGENT}
    stored.fill(daemon.home / "data" / "ash.db", owner, texts, embed)


def _measured(gateway: Gateway) -> dict[str, object]:
    questions = personal_notes.questions(4)

    def chat(port: int, **headers: str) -> Callable[[], None]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        sent = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {gateway.key}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }

        def ask() -> None:
            body = {"model": "m", "messages": [{"role": "user", "content": next(questions)}]}
            connection.request("POST", "/v1/chat/completions", json.dumps(body), sent)
            connection.getresponse().read()

        return ask

    times = interleaved(
        {
            "straight": chat(gateway.upstream.server_port),
            "without memory": chat(gateway.port),
            "with memory": chat(gateway.port, X_Ash_Agent_Id=_AGENT),
        },
        rounds=40,
        calls=3,
    )
    straight = times["straight"].row()["p50_ms"]
    return {
        **{name: one.row() for name, one in times.items()},
        "added_without_memory_ms": round(times["without memory"].row()["p50_ms"] - straight, 2),
        "added_with_memory_ms": round(times["with memory"].row()["p50_ms"] - straight, 2),
        "gateway_resident_mib": resident_mib(gateway.pid),
        "search_beside_idle_connections": _beside_idle(gateway),
    }


def _beside_idle(gateway: Gateway) -> float:
    """Ratio of a search's time on the daemon beside idle connections to its time without them."""
    with gateway.daemon.client() as client:

        def search() -> None:
            client.call("memory.search", query="tea", scope=daemons.owner("nobody"))

        with _idle(gateway.port, _IDLE):
            held = interleaved({"search": search}, rounds=10, calls=5)["search"]
        free = interleaved({"search": search}, rounds=10, calls=5)["search"]
        return ratio(held, free)


@contextlib.contextmanager
def _idle(port: int, count: int) -> Iterator[None]:
    with contextlib.ExitStack() as opened:
        for number in range(count):
            one = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            if number % 2:
                one.sendall(b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        yield


if __name__ == "__main__":
    main()
