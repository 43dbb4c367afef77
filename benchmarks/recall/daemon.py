"""The daemon itself over its own socket: turns in by `conversation.ingest`, out by `…search`.

Each conversation is a user of its own. A question is asked as it stands; what comes back is ranked
by the daemon alone.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.recall.report_data import corpus, locomo
from benchmarks.speed import daemons

DEPTH = 100
TIMED = 200
BATCH = 200
NAMES = {"none": "ashd, no model", "wordllama": "ashd, wordllama", "minilm": "ashd, MiniLM"}


def rankings(
    conversations: Sequence[locomo.Conversation], provider: str, models: Path | None
) -> dict[str, Any]:
    """What `conversation.search` finds for every question, and how long a search of ten takes."""
    with daemons.daemon(provider, models) as daemon:
        begun = time.perf_counter()
        for conversation in conversations:
            messages = locomo.messages(conversation)
            for start in range(0, len(messages), BATCH):
                taken = daemon.call(
                    "conversation.ingest",
                    scope=daemons.owner(conversation.name),
                    conversation_id=conversation.name,
                    messages=messages[start : start + BATCH],
                )
                if taken["refused"]:
                    raise SystemExit(f"Turns of {conversation.name} were refused: {taken}")
        added = time.perf_counter() - begun
        asked = [(one.name, question.text) for one in conversations for question in one.questions]

        def search(name: str, text: str, limit: int) -> list[str]:
            found = daemon.call(
                "conversation.search", scope=daemons.owner(name), query=text, limit=limit
            )
            return [result["message"]["external_id"] for result in found["results"]]

        found = [search(name, text, DEPTH) for name, text in asked]
        taken_ms = []
        for name, text in asked[:: max(1, len(asked) // TIMED)]:
            begun = time.perf_counter()
            search(name, text, 10)
            taken_ms.append((time.perf_counter() - begun) * 1e3)
    return {"rankings": found, "search_ms": taken_ms, "add_s": added}


def facts(stores: Sequence[corpus.Store], provider: str, models: Path | None) -> dict[str, Any]:
    """Facts by `memory.search` as it is: what its cut keeps and lets through.

    `first`, `ten`: an answer comes first, among ten. `lost`: there is an answer and nothing right
    comes. `near`, `far`: something comes though nothing answers, for a question about such things
    and about others altogether.
    """
    pairs: list[tuple[corpus.Asked, list[str]]] = []
    with daemons.daemon(provider, models) as daemon:
        for number, store in enumerate(stores):
            scope, names = daemons.owner(f"facts-{number}"), {}
            for fact in store.facts:
                added = daemon.call("memory.add", scope=scope, content=fact.text)["memories"][0]
                names[added["memory"]["id"]] = fact.name
            for question in store.asked:
                found = daemon.call("memory.search", scope=scope, query=question.text)["results"]
                pairs.append((question, [names[result["memory"]["id"]] for result in found]))
    right = [(question.right, names) for question, names in pairs if question.right]
    wrong = [(question.far, names) for question, names in pairs if not question.right]
    shares = {
        "first": [bool(wanted & set(names[:1])) for wanted, names in right],
        "ten": [bool(wanted & set(names)) for wanted, names in right],
        "lost": [not wanted & set(names) for wanted, names in right],
        "near": [bool(names) for far, names in wrong if not far],
        "far": [bool(names) for far, names in wrong if far],
    }
    return {name: {"share": _share(met), "of": len(met)} for name, met in shares.items()}


def _share(met: Sequence[bool]) -> float:
    return round(sum(met) / max(len(met), 1), 3)
