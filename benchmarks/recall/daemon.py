"""The daemon itself over its own socket: turns in by `conversation.ingest`, out by `…search`.

Each conversation is a user of its own. A question is asked as it stands; what comes back is ranked
by the daemon alone. Then it is asked for the block for a prompt, `context.get`, within budgets.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recall import asking, corpus, locomo
from benchmarks.speed import daemons
from tests.daemons import Daemon

BATCH = 200
CONTEXT_BUDGETS = (500, 1_000, 2_000)
NAMES = {"none": "ashd, no model", "wordllama": "ashd, wordllama", "minilm": "ashd, MiniLM"}


def measure(
    conversations: Sequence[locomo.Conversation], provider: str, models: Path | None
) -> dict[str, Any]:
    """Return the results of every question, and what `context.get` shows for codes 1-4."""
    with daemons.daemon(provider, models) as daemon:
        begun = time.perf_counter()
        for conversation in conversations:
            _ingest(daemon, conversation)
        return {
            "add_s": time.perf_counter() - begun,
            **_searches(daemon, conversations),
            "context": _contexts(daemon, conversations),
        }


def _ingest(daemon: Daemon, conversation: locomo.Conversation) -> None:
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


def _searches(daemon: Daemon, conversations: Sequence[locomo.Conversation]) -> dict[str, Any]:
    def search(name: str, text: str, limit: int) -> list[str]:
        found = daemon.call(
            "conversation.search", scope=daemons.owner(name), query=text, limit=limit
        )
        return [result["message"]["external_id"] for result in found["results"]]

    return asking.ask(conversations, search)


def _contexts(daemon: Daemon, conversations: Sequence[locomo.Conversation]) -> dict[str, Any]:
    """The turns in each question's block by budget, and how long the largest block takes.

    A block that is larger than its budget ends the run.
    """
    shown: dict[int, list[list[str]]] = {budget: [] for budget in CONTEXT_BUDGETS}
    taken_ms = []
    for one in conversations:
        for question in locomo.headline(one):
            for budget, blocks in shown.items():
                begun = time.perf_counter()
                block = daemon.call(
                    "context.get",
                    scope=daemons.owner(one.name),
                    message=question.text,
                    max_tokens=budget,
                    max_messages=50,
                    min_message_similarity=0,
                )
                if budget == CONTEXT_BUDGETS[-1]:
                    taken_ms.append((time.perf_counter() - begun) * 1e3)
                if block["token_count"] > budget:
                    raise SystemExit(f"{block['token_count']} tokens where {budget} were allowed")
                blocks.append([message["external_id"] for message in block["messages"]])
    return {"shown": shown, "get_ms": taken_ms}


def facts(
    sets: Mapping[str, Sequence[corpus.Store]], provider: str, models: Path | None
) -> dict[str, list[list[str]]]:
    """Return what `memory.search` shows for every question, by set, its cut included."""
    found: dict[str, list[list[str]]] = {}
    with daemons.daemon(provider, models) as daemon:
        for title, stores in sets.items():
            found[title] = []
            for number, store in enumerate(stores):
                scope, names = daemons.owner(f"facts-{len(found)}-{number}"), {}
                for fact in store.facts:
                    added = daemon.call("memory.add", scope=scope, content=fact.text)["memories"][0]
                    names[added["memory"]["id"]] = fact.name
                for asked in store.asked:
                    shown = daemon.call("memory.search", scope=scope, query=asked.text)["results"]
                    found[title].append([names[result["memory"]["id"]] for result in shown])
    return found
