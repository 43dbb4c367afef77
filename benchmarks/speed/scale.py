"""Measure the cost of a call as the memories of an owner and of strangers grow: `make bench`.

    python -m benchmarks.speed.scale [--quick] [--models FOLDER] [--write]

The memories are notes that resemble each other as those of one person do, each with its own vectors
by MiniLM (`note_vectors`); they are written into the database before the daemon starts. A round has
every call once, on a daemon without an embedder and on one with MiniLM, and the floors beside them.
Figures are CPU of the whole daemon, medians over rounds; what it does after an answer is apart.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ashd.providers import registry
from ashd.providers.embedder import Embedder
from benchmarks import readme
from benchmarks.speed import (
    beside_others,
    cpu,
    daemons,
    floors,
    machine,
    note_vectors,
    personal_notes,
    scale_tables,
    stored,
    transaction,
)
from tests.daemons import Client, Daemon

PACKAGES: Final = ("ashd", "apsw", "sqlite-vec", "numpy", "onnxruntime", "msgspec", "anyio")
_OF_A_STRANGER: Final = 500
"""Memories of each of the strangers."""
_IMPORTED: Final = 500
_UNCOUNTED: Final = 3
"""Rounds of each size in which caches fill."""
_IN_A_ROW: Final = 5
"""Calls of a kind in a row in each round, of which the median counts."""
_Round = dict[str, float]


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a few calls of each: does it run")
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    result = measure(daemons.models_folder(arguments.models), quick=arguments.quick)
    print(scale_tables.page(result))
    if arguments.write:
        readme.keep_scale(result)


def measure(models: Path | None, *, quick: bool) -> dict[str, Any]:
    """A row for each embedder and size, and for each embedder what many calls at once cost."""
    sizes = [20, 40] if quick else [1_000, 10_000, 50_000]
    calls = 5 if quick else 60
    texts = list(islice(personal_notes.notes(), sizes[-1]))
    new = islice(personal_notes.notes(), sizes[-1], None)
    embedders: dict[str, Embedder | None] = {"none": None}
    if models is not None:
        embedders["minilm"] = registry.load("minilm", models_dir=models)
    described = machine.describe(PACKAGES)
    rows, many = [], []
    with ExitStack() as held:
        running = {}
        for name, embedder in embedders.items():
            embed = None if embedder is None else note_vectors.of(embedder, texts)
            filled = _filled(name, models, sizes, texts, embed)
            running[name] = held.enter_context(filled)
        for size in sizes:
            _report(f"{size:,} memories")
            rows += _at_size(running, embedders.get("minilm"), size, new, calls)
        _report("imports and many at once")
        for name, daemon in running.items():
            imported = _import(daemon, sizes[1], list(islice(new, calls if quick else _IMPORTED)))
            many.append({"embedder": name, **imported, **beside_others.measure(daemon, new, calls)})
        for name, daemon in running.items():
            daemon.stop()
            for row in rows:
                if row["embedder"] == name:
                    row["transaction_ms"] = transaction.measure(
                        *(_database(daemon), _owner(row["stored"])),
                        *(embedders[name], list(islice(new, calls))),
                    )
    return {"machine": described, "quick": quick, "rows": rows, "many": many}


def _report(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _owner(size: int) -> dict[str, str]:
    return daemons.owner(f"owner-{size}")


@contextmanager
def _filled(
    provider: str,
    models: Path | None,
    sizes: Sequence[int],
    texts: Sequence[str],
    embed: stored.Embed | None,
) -> Iterator[Daemon]:
    """A daemon on memories of an owner of each size, and as many of strangers as of the largest."""
    daemon = daemons.prepared(provider, models)
    try:
        daemon.start()
        daemon.stop()
        for size in sizes:
            stored.fill(_database(daemon), _owner(size), texts[:size], embed)
        for first in range(0, len(texts), _OF_A_STRANGER):
            part = texts[first : first + _OF_A_STRANGER]
            stored.fill(_database(daemon), daemons.owner(f"stranger-{first}"), part, embed)
        yield daemon.start()
    finally:
        daemon.remove()


def _database(daemon: Daemon) -> Path:
    return daemon.home / "data" / "ash.db"


def _at_size(
    running: Mapping[str, Daemon],
    embedder: Embedder | None,
    size: int,
    new: Iterator[str],
    calls: int,
) -> list[dict[str, Any]]:
    """Return a row for each embedder."""
    ask, scope = personal_notes.questions(4), _owner(size)
    with ExitStack() as held:
        clients = {name: held.enter_context(one.client()) for name, one in running.items()}
        first = {
            name: cpu.of_call(one, _searching(clients[name], scope, ask))
            for name, one in running.items()
        }
        insert = held.enter_context(
            floors.bare_inserts(
                _database(running["none"]), scope["user_id"], (calls + _UNCOUNTED) * _IN_A_ROW
            )
        )
        rounds = []
        before = next(new)
        for number in range(calls + _UNCOUNTED):
            text = next(new)
            taken: _Round = {} if embedder is None else floors.of_models(embedder, before, text)
            for name, daemon in running.items():
                _calls(taken, name, daemon, clients[name], scope, text, ask)
            taken["in_a_row"] = statistics.median(
                cpu.of_call(running["none"], _adding(clients["none"], scope, next(new)))
                for _ in range(_IN_A_ROW)
            )
            taken["floor"] = statistics.median(insert() for _ in range(_IN_A_ROW))
            if number >= _UNCOUNTED:
                rounds.append(taken)
            before = text
    return [_row(name, size, rounds, first[name]) for name in running]


def _calls(
    taken: _Round,
    name: str,
    daemon: Daemon,
    client: Client,
    scope: dict[str, str],
    text: str,
    ask: Iterator[str],
) -> None:
    """Add once from rest, then read again and again; note what each call takes."""
    cpu.until_rest(daemon)
    taken[f"add {name}"] = cpu.of_call(daemon, _adding(client, scope, text))
    taken[f"after {name}"] = cpu.until_rest(daemon)
    search = _searching(client, scope, ask)
    taken[f"search_after_add {name}"] = cpu.of_call(daemon, search)
    for call, made in {
        "search": search,
        "context": lambda: client.call("context.get", scope=scope, message=next(ask)),
        "list": lambda: client.call("memory.list", scope=scope),
    }.items():
        taken[f"{call} {name}"] = statistics.median(
            cpu.of_call(daemon, made) for _ in range(_IN_A_ROW)
        )


def _adding(client: Client, scope: dict[str, str], text: str) -> Callable[[], object]:
    return lambda: client.call("memory.add", scope=scope, content=text)


def _searching(client: Client, scope: dict[str, str], ask: Iterator[str]) -> Callable[[], object]:
    return lambda: client.call("memory.search", scope=scope, query=next(ask))


def _row(name: str, size: int, rounds: Sequence[_Round], first: float) -> dict[str, Any]:
    """Medians; ratios and differences are taken within rounds."""

    def median(of: Callable[[_Round], float]) -> float:
        return round(statistics.median(map(of, rounds)), 2)

    row: dict[str, Any] = {"embedder": name, "stored": size, "first_search_ms": round(first, 2)}
    for call in ("add", "after", "search", "search_after_add", "context", "list"):
        row[f"{call}_ms"] = median(lambda one, call=call: one[f"{call} {name}"])
    if name == "none":
        row["floor_ms"] = median(lambda one: one["floor"])
        row["in_a_row_ms"] = median(lambda one: one["in_a_row"])
        row["in_floors"] = median(lambda one: one["in_a_row"] / one["floor"])
    else:
        row["embedding_ms"] = median(lambda one: one["embedding"])
        row["pair_ms"] = median(lambda one: one["pair"])
        row["over_ms"] = median(
            lambda one: one["add minilm"] - one["add none"] - one["embedding"] - one["pair"]
        )
    return row


def _import(daemon: Daemon, size: int, texts: Sequence[str]) -> dict[str, Any]:
    """Import a file of another system for an owner: CPU a row, until the answer and after it."""
    file = daemon.home / "memories.json"
    rows = [{"id": str(number), "memory": text} for number, text in enumerate(texts)]
    file.write_text(json.dumps({"results": rows}), encoding="utf-8")
    asked = {"path": str(file), "format": "mem0", "scope": _owner(size)}
    cpu.until_rest(daemon)
    with daemon.client() as client:
        taken = cpu.of_call(daemon, lambda: client.call("db.import", **asked))
    return {
        "imported": len(rows),
        "imported_beside": size,
        "import_ms": round(taken / len(rows), 2),
        "after_import_ms": round(cpu.until_rest(daemon) / len(rows), 2),
    }


if __name__ == "__main__":
    main()
