"""One peer over the same data: what `report.py` starts in the peers' own environment.

    python -m benchmarks.recall.peers SYSTEM DATA --embeddings URL --out FILE

Each conversation is a namespace of its own; each turn is one text, `Speaker (date): words`, for a
peer has no fields for who spoke and when. Questions are asked as they are. Vectors are fetched
before anything is timed, so a peer's times are without the model's.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

# What is measured here neither reports home nor asks a hub.
os.environ |= {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

import sqlite3

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # Many a Python is built without extensions, and two peers load one.
    import pysqlite3

    sys.modules["sqlite3"] = sys.modules["sqlite3.dbapi2"] = pysqlite3

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall import asking, corpus, report_data
from benchmarks.recall.locomo import Conversation
from benchmarks.recall.peers_systems import SYSTEMS, System


class Vectors:
    """The vectors of texts, from the benchmark's endpoint, kept."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._known: dict[str, list[float]] = {}

    def of(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of shape (n, dimension)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), 256):
            batch = new[start : start + 256]
            request = urllib.request.Request(
                f"{self.url}/embeddings", json.dumps({"input": batch}).encode()
            )
            with urllib.request.urlopen(request) as reply:
                data = json.load(reply)["data"]
            self._known |= {t: one["embedding"] for t, one in zip(batch, data, strict=True)}
        return np.array([self._known[text] for text in texts], dtype=np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("system", choices=list(SYSTEMS))
    parser.add_argument("data")
    parser.add_argument("--embeddings", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    conversations = report_data.load(arguments.data)
    with tempfile.TemporaryDirectory(prefix="ash-peer-") as folder:
        system = SYSTEMS[arguments.system](Path(folder), Vectors(arguments.embeddings))
        added = _add(system, conversations)
        result = {
            "add_s": added,
            **asking.ask(conversations, system.search),
            "facts": _facts(system) if arguments.data == report_data.ASSISTANT else {},
            "versions": {name: importlib.metadata.version(name) for name in system.packages},
        }
    arguments.out.write_text(json.dumps(result), encoding="utf-8")
    # Some leave threads behind that never end.
    os._exit(0)


def _add(system: System, conversations: list[Conversation]) -> float:
    """Every turn, each conversation in a space of its own; the seconds that took."""
    spaces = [
        (
            one.name,
            [turn.external_id for turn in one.turns],
            [f"{turn.speaker} ({turn.at.date()}): {turn.text}" for turn in one.turns],
        )
        for one in conversations
    ]
    asked = [question.text for one in conversations for question in one.questions]
    system.vectors.of([*asked, *(text for _, _, texts in spaces for text in texts)])
    begun = time.perf_counter()
    for space, ids, texts in spaces:
        system.add(space, ids, texts)
    return time.perf_counter() - begun


def _facts(system: System) -> dict[str, list[list[str]]]:
    """The first ten facts for every question, by set; each store is a namespace."""
    found: dict[str, list[list[str]]] = {}
    for title, stores in corpus.fact_sets().items():
        found[title] = []
        for number, store in enumerate(stores):
            space = f"facts-{len(found)}-{number}"
            system.add(space, [fact.name for fact in store.facts], [f.text for f in store.facts])
            found[title] += [system.search(space, asked.text, 10) for asked in store.asked]
    return found


if __name__ == "__main__":
    main()
