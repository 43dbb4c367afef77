"""Recall of the daemon and of its peers on the same data in one run: `make recall DATA=FILE`.

    python -m benchmarks.recall.report DATA [--corrections FILE] [--models FOLDER]
        [--peers PYTHON] [--system NAME] [--write]

DATA is a LoCoMo file, or `assistant` for the second corpus. The peers run where `make peers` put
them, each in a process of its own, with the vectors of the best embedder installed here. A peer
that does not come to an end is listed with its reason.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ashd.providers.embedder import Embedder
from ashd.providers.minilm import MiniLmEmbedder
from ashd.providers.wordllama import WordLlamaEmbedder
from benchmarks import readme
from benchmarks.recall import (
    corpus,
    daemon,
    locomo,
    peers_embeddings,
    peers_process,
    report_data,
    report_measures,
    report_tables,
)
from benchmarks.recall.peers_systems import SYSTEMS
from benchmarks.speed import daemons, machine

PACKAGES = ("ashd", "apsw", "sqlite-vec", "numpy", "onnxruntime", "sentencepiece")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("data", help="a LoCoMo file, or: assistant")
    parser.add_argument("--corrections", type=Path, help="an audit's corrections of the labels")
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument(
        "--peers", type=Path, default=peers_process.PYTHON, help="the peers' python"
    )
    parser.add_argument("--system", action="append", help="only this one; may be repeated")
    parser.add_argument("--write", action="store_true", help="keep figures, plot and README")
    arguments = parser.parse_args()
    conversations = report_data.load(arguments.data)
    models = daemons.models_folder(arguments.models)
    described = machine.describe(PACKAGES)
    measured = list(_systems(arguments, conversations, models))
    result = {
        "machine": described,
        "data": report_data.describe(arguments.data, conversations),
        "vectors": daemons.providers(models)[-1],
        "corrected": arguments.corrections is not None,
        "systems": _summaries(conversations, measured, arguments.corrections),
    }
    if arguments.data == report_data.ASSISTANT:
        result["facts"] = _facts(measured)
    print(report_tables.recall(result))
    if arguments.write:
        readme.keep_recall(result)


def _facts(measured: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Every system on every set of facts."""
    return {
        title: {
            "facts": sum(len(store.facts) for store in stores),
            "systems": [
                {
                    "name": one["name"],
                    "ours": one["ours"],
                    "versions": one.get("versions", {}),
                    **report_measures.facts_summary(stores, one["facts"][title]),
                }
                for one in measured
                if title in one.get("facts", {})
            ],
        }
        for title, stores in corpus.fact_sets().items()
    }


def _systems(
    arguments: argparse.Namespace, conversations: list[locomo.Conversation], models: Path | None
) -> Iterator[dict[str, Any]]:
    """Every system's rankings, or the reason why there are none."""
    wanted = set(arguments.system or [*daemon.NAMES.values(), *SYSTEMS])
    sets = corpus.fact_sets() if arguments.data == report_data.ASSISTANT else {}
    for provider in daemons.providers(models):
        name = daemon.NAMES[provider]
        if name in wanted:
            _say(name)
            yield {
                "name": name,
                "ours": True,
                **daemon.measure(conversations, provider, models),
                "facts": daemon.facts(sets, provider, models),
            }
    if not wanted & set(SYSTEMS):
        return
    with peers_embeddings.serving(_embedder(models)) as url:
        for name in SYSTEMS:
            if name in wanted:
                _say(name)
                peer = peers_process.measure(
                    name, arguments.data, python=arguments.peers, embeddings=url
                )
                yield {"name": name, "ours": False, **peer}


def _embedder(models: Path | None) -> Embedder:
    return MiniLmEmbedder(models / "minilm") if models else WordLlamaEmbedder()


def _summaries(
    conversations: Sequence[locomo.Conversation],
    measured: Sequence[dict[str, Any]],
    corrections: Path | None,
) -> list[dict[str, Any]]:
    categories = report_measures.codes(conversations)
    mended = report_data.with_corrections(list(conversations), corrections) if corrections else None
    best = [one for one in measured if one["ours"]][-1:]
    ours = report_measures.table(conversations, best[0]["rankings"]) if best else None
    summaries = []
    for one in measured:
        if "reason" in one:
            summaries.append(one)
            continue
        rows = report_measures.table(conversations, one["rankings"])
        summary = {
            "name": one["name"],
            "ours": one["ours"],
            "versions": one.get("versions", {}),
            **report_measures.summary(rows, categories),
            "search_ms": _times(one["search_ms"]),
            "add_s": round(one["add_s"], 1),
        }
        if "context" in one:
            context = one["context"]
            summary["context"] = {
                "share": report_measures.context_summary(conversations, context["shown"]),
                "get_ms": _times(context["get_ms"]),
            }
        if mended is not None:
            again = report_measures.table(mended, one["rankings"])
            summary["corrected"] = report_measures.summary(again, categories)["headline"]
        if ours is not None and not one["ours"]:
            summary["behind_by"] = report_measures.difference(ours, rows, categories)
        summaries.append(summary)
    return summaries


def _times(taken_ms: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile(taken_ms, [50, 95]).round(2).tolist()
    return {"p50": p50, "p95": p95}


def _say(name: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
