"""Durable adds and searches of the daemon beside its peers: `make bench-peers`, half an hour.

    python -m benchmarks.speed.beside_peers [--quick] [--models FOLDER] [--python FILE] [--write]

One namespace of 1,000, 10,000 and 100,000 facts; one client, then 8 and 32 at once, all in that
namespace. A peer runs in a process of the peers' own environment, its clients are threads of it;
the daemon's clients are connections. A size that takes a peer too long is given up, and reported.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ashd.providers import registry
from ashd.providers.embedder import Embedding
from benchmarks import readme
from benchmarks.recall import peers_embeddings
from benchmarks.recall.peers_process import PYTHON, ROOT, reason
from benchmarks.speed import cpu, daemons, facts, load, machine, peers_tables, stored
from benchmarks.speed.made_up_vectors import vector_of
from benchmarks.speed.peers_stores import STORES
from tests.daemons import Client, Daemon

PACKAGES = ("ashd", "apsw", "sqlite-vec", "numpy", "onnxruntime")
SIZES = (1_000, 10_000, 100_000)
_SECONDS = 240
"""For one peer and size, from its start to its end."""
_ADDS = 20
"""Adds whose syncs are counted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a few calls of each: does it run")
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--python", type=Path, default=PYTHON, help="the peers' environment")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    result = measure(models, arguments.python, quick=arguments.quick)
    print(peers_tables.page(result))
    if arguments.write:
        readme.keep_speed_peers(result)


def measure(models: Path | None, python: Path, *, quick: bool) -> dict[str, Any]:
    """The cells of every system, versions, syncs an add, and the reasons of what is missing."""
    result: dict[str, Any] = {
        "machine": machine.describe(PACKAGES),
        "quick": quick,
        "limit_s": _SECONDS,
        "embedding_ms": _embedding_ms(models),
    }
    systems = {
        **{f"ashd, {name}": partial(_daemon, name, models) for name in _providers(models)},
        **{name: partial(_peer, name, python) for name in STORES},
    }
    result["systems"] = [{"name": name, "sizes": []} for name in systems]
    with peers_embeddings.serving(_MadeUp()) as url:  # type: ignore[arg-type]  # it embeds
        os.environ["ASH_BENCH_EMBEDDINGS"] = f"{url}/embeddings"
        for size in (20, 40) if quick else SIZES:
            for (name, run), system in zip(systems.items(), result["systems"], strict=True):
                print(f"{time.strftime('%H:%M:%S')} {name} {size:,}", file=sys.stderr, flush=True)
                found = run(size, quick=quick)
                if versions := found.pop("versions", None):
                    system["versions"] = versions
                system["sizes"].append({"stored": size, "load": load.load_now(), **found})
        for name, system in zip(STORES, result["systems"][-len(STORES) :], strict=True):
            system["syncs_per_add"] = _syncs(name, python)
    return result


class _MadeUp:
    """An embedder for the one peer that wants an endpoint to be there."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(vector_of(text)) for text in texts]


def _providers(models: Path | None) -> list[str]:
    return ["no model", *(["MiniLM"] if models is not None else [])]


def _daemon(name: str, models: Path | None, size: int, *, quick: bool) -> dict[str, Any]:
    provider = "minilm" if name == "MiniLM" else "none"
    limits = load.QUICK if quick else load.FULL
    scope = daemons.owner("owner")
    with _filled(provider, models, scope, size) as daemon:
        cells = []
        with daemon.client() as client:
            client.call("memory.search", scope=scope, query="Who repaired the garden gate?")
        for method, source in (("search", facts.questions), ("add", facts.statements)):
            for clients in limits.clients:
                texts = list(islice(source(100 + clients), limits.texts(clients)))
                with ExitStack() as held:
                    calls = [held.enter_context(daemon.client()) for _ in range(clients)]
                    client_of = partial(_call, calls, method, scope, texts)
                    used = partial(cpu.used_ns, daemon)
                    cells.append(
                        {"method": method, **load.measure(client_of, clients, limits, used)}
                    )
        return {"cells": cells}


def _call(
    calls: Sequence[Client], method: str, scope: dict[str, str], texts: list[str], number: int
) -> load.Call:
    own = iter(texts[number :: len(calls)])
    if method == "add":
        return lambda: calls[number].call("memory.add", scope=scope, content=next(own))
    return lambda: calls[number].call("memory.search", scope=scope, query=next(own))


@contextmanager
def _filled(
    provider: str, models: Path | None, scope: dict[str, str], size: int
) -> Iterator[Daemon]:
    """A daemon that runs on so many memories of one owner."""
    embedder = registry.load(provider, models_dir=models or Path())
    embed = embedder and stored.made_up(embedder.dimension, embedder.token_dimension, seed=2)
    daemon = daemons.prepared(provider, models)
    try:
        daemon.start()
        daemon.stop()
        texts = islice(facts.statements(1), size)
        stored.fill(daemon.home / "data" / "ash.db", scope, texts, embed)
        yield daemon.start()
    finally:
        daemon.remove()


def _peer(name: str, python: Path, size: int, *, quick: bool) -> dict[str, Any]:
    if not python.exists():
        return {"cells": [], "reason": "not installed: make peers"}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "cells.jsonl"
        command = [*_command(name, python, size), "--out", str(out)]
        why = None
        try:
            done = subprocess.run(
                [*command, *(["--quick"] if quick else [])],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
            if done.returncode:
                why = reason(done.returncode, done.stderr)
        except subprocess.TimeoutExpired:
            why = f"did not end in {_SECONDS} s"
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    versions, *cells = map(json.loads, lines) if lines else [{}]
    return {"versions": versions, "cells": cells} | ({"reason": why} if why else {})


def _command(name: str, python: Path, size: int) -> list[str]:
    return [str(python), "-m", "benchmarks.speed.peers", name, str(size)]


def _syncs(name: str, python: Path) -> float | None:
    """The number of disk syncs of a peer per add; None where that cannot be counted."""
    if shutil.which("strace") is None or not python.exists():
        return None
    counts = [_synced(name, python, adds) for adds in (0, _ADDS)]
    none, some = counts
    return None if none is None or some is None else round((some - none) / _ADDS, 1)


def _synced(name: str, python: Path, adds: int) -> int | None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "strace"
        trace = ["strace", "-f", "-e", "trace=fsync,fdatasync,sync_file_range", "-o", str(log)]
        run = [*_command(name, python, 20), "--out", os.devnull, "--adds", str(adds)]
        try:
            subprocess.run(
                [*trace, *run], cwd=ROOT, capture_output=True, timeout=_SECONDS, check=True
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return None
        return sum("sync" in line for line in log.read_text().splitlines())


def _embedding_ms(models: Path | None) -> float | None:
    """CPU of one embedding by MiniLM: what the daemon's time holds and no peer's."""
    embedder = registry.load("minilm", models_dir=models) if models is not None else None
    if embedder is None:
        return None
    taken = []
    for text in islice(facts.statements(5), 60):
        before = time.process_time_ns()
        embedder.embed([text])
        taken.append(time.process_time_ns() - before)
    return round(statistics.median(taken) / 1e6, 2)


if __name__ == "__main__":
    main()
