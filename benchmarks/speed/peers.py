"""One peer's speed: what `beside_peers.py` starts in the peers' own environment.

    python -m benchmarks.speed.peers STORE SIZE --out FILE [--quick] [--adds N]

Writes a line of JSON for each cell as soon as it is measured: whatever ends it, those stay. Vectors
are made up and known before anything is timed, so a peer's times are without a model's.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

# What is measured here neither reports home nor asks a hub.
os.environ |= {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
}

import sqlite3

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Many a Python is built without extensions, and two peers load one.
    import pysqlite3

    sys.modules["sqlite3"] = sys.modules["sqlite3.dbapi2"] = pysqlite3

from benchmarks.speed import facts, load
from benchmarks.speed.made_up_vectors import DIMENSION, vector_of
from benchmarks.speed.peers_stores import STORES, Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("store", choices=list(STORES))
    parser.add_argument("size", type=int)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--adds", type=int, help="only so many adds, for whoever counts syncs")
    arguments = parser.parse_args()
    limits = load.QUICK if arguments.quick else load.FULL
    with tempfile.TemporaryDirectory(prefix="ash-peer-") as folder:
        store = STORES[arguments.store](Path(folder), vector_of, DIMENSION)
        store.fill(list(islice(facts.statements(1), arguments.size)))
        if arguments.adds is None:
            _measure(store, limits, arguments.out)
        else:
            for text in islice(facts.statements(3), arguments.adds):
                store.add(text)
    # Some leave threads behind that never end.
    os._exit(0)


def _measure(store: Store, limits: load.Limits, file: Path) -> None:
    """Write a line for each cell, the versions first."""
    with file.open("w", encoding="utf-8") as out:
        _line(out, {name: importlib.metadata.version(name) for name in store.packages})
        for method, source, call in (
            ("search", facts.questions, store.search),
            ("add", facts.statements, store.add),
        ):
            for clients in limits.clients:
                texts = list(islice(source(100 + clients), limits.texts(clients)))
                for text in texts:
                    vector_of(text)
                client = partial(_client, call, texts, clients)
                row = load.measure(client, clients, limits, load.own_cpu_ns)
                _line(out, {"method": method, **row})


def _client(
    call: Callable[[str], object], texts: list[str], clients: int, number: int
) -> load.Call:
    own = iter(texts[number::clients])
    return lambda: call(next(own))


def _line(out: TextIO, value: object) -> None:
    out.write(json.dumps(value) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
