"""A text is read before the transaction that stores it, in which everybody would wait for it."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from histories import Caller, daemon_app
from services import FixedClock

from ashd.access import sensitivity
from ashd.context import chosen_memories
from ashd.language.people import statements
from ashd.memory import opinions
from ashd.search import query

_SCOPE: Final = {"provider": "test", "user_id": "ada"}
_LONG: Final = "Lena came by with her brother, and we talked about the harbour. " * 30
_WRITING: Final[list[tuple[str, dict[str, Any]]]] = [
    ("memory.add", {"content": _LONG, "subjects": ["Lena"], "tags": ["a" * 60] * 4}),
    ("memory.add", {"content": "Lena likes tea.", "metadata": {"note": _LONG}}),
    ("person.resolve", {"reference": "my friend Lena", "content_hint": _LONG}),
    ("graph.relate", {"source": "a" * 190, "relation": "is near", "target": "b" * 190}),
    ("graph.add_entity", {"name": "c" * 190, "type": "place", "aliases": ["d" * 190]}),
]


@pytest.mark.parametrize(("method", "params"), _WRITING)
async def test_no_long_text_is_read_in_a_transaction_or_in_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, params: dict[str, Any]
) -> None:
    """Names are read in a transaction; they are at most 200 characters long."""
    read: list[tuple[str, int]] = []

    def watched(module: Any, name: str) -> None:
        function = getattr(module, name)

        def noting(text: str, *args: Any, **named: Any) -> Any:
            read.append((threading.current_thread().name, len(text)))
            return function(text, *args, **named)

        monkeypatch.setattr(module, name, noting)

    watched(sensitivity, "_judged")
    watched(statements, "asserted")  # called by readers that did not know the text
    clock = FixedClock()
    async with daemon_app(tmp_path, clock) as app:
        reply = await Caller(app, clock)(method, scope=_SCOPE, **params)

    assert "error" not in reply
    threads = {name for name, length in read if length > 200}
    assert threads
    assert threads.isdisjoint({"ashd-writer", threading.main_thread().name})


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("memory.search", "query"),
        ("conversation.search", "query"),
        ("summary.search", "query"),
        ("context.get", "message"),
    ],
)
async def test_no_long_question_is_read_in_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, field: str
) -> None:
    """It takes milliseconds, in which nobody else would be answered."""
    threads = []
    for name in ("asked", "without_time"):
        function = getattr(query, name)

        def noting(text: str, function: Callable[[str], str] = function) -> str:
            threads.append(threading.current_thread())
            return function(text)

        monkeypatch.setattr(query, name, noting)
    clock = FixedClock()
    async with daemon_app(tmp_path, clock) as app:
        caller = Caller(app, clock)
        await caller("memory.add", scope=_SCOPE, content=_LONG)
        reply = await caller(method, scope=_SCOPE, **{field: _LONG})

    assert "error" not in reply
    assert threads
    assert threading.main_thread() not in threads


async def test_a_block_is_chosen_outside_of_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of the memories are of use is read in their texts, which may be long."""
    threads = []
    standing_of = chosen_memories.standing_of

    def noting(*args: Any) -> Any:
        threads.append(threading.current_thread())
        return standing_of(*args)

    monkeypatch.setattr(chosen_memories, "standing_of", noting)
    clock = FixedClock()
    async with daemon_app(tmp_path, clock) as app:
        caller = Caller(app, clock)
        await caller("memory.add", scope=_SCOPE, content=_LONG, tags=["standing"])
        reply = await caller("context.get", scope=_SCOPE, message="What did Lena say?")

    assert "harbour" in reply["result"]["text"]
    assert threads
    assert threading.main_thread() not in threads


async def test_no_model_is_loaded_by_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pair model is loaded at the first fact; reads of others go on meanwhile."""
    threads = []
    made = opinions.static

    def noting() -> Any:
        threads.append(threading.current_thread().name)
        return made()

    monkeypatch.setattr(opinions, "static", noting)
    monkeypatch.setattr(opinions, "_LOADED", set())  # an earlier test may have loaded it
    clock = FixedClock()
    async with daemon_app(tmp_path, clock) as app:
        await Caller(app, clock)("memory.add", scope=_SCOPE, content="Lena likes tea.")

    assert not threads[0].startswith("ashd-reader")
