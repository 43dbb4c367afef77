"""Changing the embedder while running: nothing is lost, even after kills. Budget: 25 s."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from embedders import minilm_models
from endpoint import Endpoint
from waiting import until

_MEMORIES, _MESSAGES = 80, 240
_PASSAGES = _MEMORIES + _MESSAGES
_ROOMS = ["attic", "cellar", "harbour", "studio", "hallway", "kitchen", "workshop", "stable"]


def _fact(number: int) -> str:
    return f"Crate K{number:03} stands in the {_ROOMS[number % 8]} and holds candles"


def _fill(daemon: Daemon, mine: dict[str, Any]) -> None:
    facts = [{"content": _fact(n), "type": "decision"} for n in range(_MEMORIES)]
    daemon.call("memory.add", scope=mine, facts=facts)
    said = [f"The harbour master whistles song number {n}" for n in range(_MESSAGES)]
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=[{"content": text} for text in said],
    )


def _found(daemon: Daemon, mine: dict[str, Any], number: int, **params: Any) -> str:
    results = daemon.call("memory.search", scope=mine, query=f"crate K{number:03}", **params)
    assert results["degraded"] == []
    best: str = results["results"][0]["memory"]["content"]
    return best


def _vectors(home: Path) -> list[tuple[str, str, int]]:
    """(model, state, vectors) of each set in the database; nothing is left of any other."""
    with closing(sqlite3.connect(home / "data" / "ash.db")) as db:
        sets = db.execute("select id, model, state from embedding_sets order by id").fetchall()
        counts = dict(
            db.execute("select embedding_set, count(*) from embeddings group by 1").fetchall()
        )
        indexed = db.execute("select distinct embedding_set from passage_vectors").fetchall()
    assert {number for (number,) in indexed} <= {number for number, *_ in sets}
    assert set(counts) <= {number for number, *_ in sets}
    return [(model, state, counts.get(number, 0)) for number, model, state in sets]


_MINE = {"provider": "test", "user_id": "one who changes the embedder"}


@pytest.fixture(scope="module")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with memories and messages in wordllama's vectors."""
    home = tmp_path_factory.mktemp("filled") / "home"
    daemon = Daemon(home, environment={"ASH_MODELS": "/nonexistent"})
    try:
        daemon.start()
        _fill(daemon, _MINE)
        assert "wordllama" in daemon.call("system.status")["model"]
        assert daemon.stop() == 0
    finally:
        daemon.remove()
    return home


@pytest.fixture
def switching(
    new_daemon: Callable[..., Daemon], _filled: Path, tmp_path: Path
) -> tuple[Daemon, dict[str, Any]]:
    """A daemon on such a home, and MiniLM installed beside."""
    models = minilm_models()
    home = shutil.copytree(_filled, tmp_path / "home")
    daemon: Daemon = new_daemon(home, environment={"ASH_MODELS": str(models)})
    return daemon.start(), _MINE


def test_searches_are_whole_while_the_embedder_changes(
    switching: tuple[Daemon, dict[str, Any]],
) -> None:
    """Every mode finds old and new facts while progress grows; then the other model is in use."""
    daemon, mine = switching
    assert "wordllama" in daemon.call("system.status")["model"], "an update alone changes nothing"

    answer = daemon.call("model.use", provider="minilm")
    assert answer["building"]
    assert "minilm" in answer["model"].lower()

    done: list[int] = []
    models: list[str] = []
    for number in range(1_000):
        status = daemon.call("system.status")
        models.append(status["model"])
        if status["building"] is None:
            break
        building = status["building"]
        assert "minilm" in building["model"].lower()
        assert 0 <= building["done"] <= building["total"]
        done.append(building["done"])
        old = number * 17 % _MEMORIES
        assert _found(daemon, mine, old) == _fact(old)
        assert _found(daemon, mine, old, mode="vector", min_score=0)
        every = daemon.call(
            *("memory.search",), scope=mine, query="candles", mode="vector", min_score=0, limit=60
        )
        assert len(every["results"]) == 60
        if number < 3:
            new = _MEMORIES + number
            daemon.call("memory.add", scope=mine, content=_fact(new), type="decision")
            assert _found(daemon, mine, new) == _fact(new)
    else:
        pytest.fail("the change did not end")

    assert len(done) > 1
    assert done == sorted(done)
    assert len(set(models)) == 2, "one model, then the other"
    status = daemon.call("system.status")
    assert (status["waiting_for_vectors"], status["embedder"]) == (0, "ready")
    for number in (0, 55, _MEMORIES - 1, _MEMORIES):
        assert _found(daemon, mine, number) == _fact(number)
    said = daemon.call("conversation.search", scope=mine, query="whistling songs", mode="vector")
    assert said["results"][0]["message"]["content"].startswith("The harbour master")

    # The next start drops the former vectors.
    daemon.stop()
    assert [state for _, state, _ in _vectors(daemon.home)] == ["retired", "active"]
    daemon.start()
    assert "minilm" in daemon.call("system.status")["model"].lower()
    assert _found(daemon, mine, 42) == _fact(42)
    daemon.stop()
    (kept,) = _vectors(daemon.home)
    assert kept[1:] == ("active", _PASSAGES + min(len(done), 3))


def test_a_change_goes_on_after_a_kill(switching: tuple[Daemon, dict[str, Any]]) -> None:
    """kill -9 in the middle, twice: the old vectors serve, what was built is not built again."""
    daemon, mine = switching
    daemon.call("model.use", provider="minilm")
    began: list[int] = []
    for _ in range(2):
        status = until(lambda: daemon.call("system.status"))
        if status["building"] is None:
            break  # it was quicker than the kill
        began.append(status["building"]["done"])
        until(lambda: (b := daemon.call("system.status")["building"]) is None or b["done"] > 40)
        daemon.kill()
        daemon.start()
        assert _found(daemon, mine, 9) == _fact(9)

    until(lambda: daemon.call("system.status")["building"] is None)

    assert began
    assert began[1:] == [] or began[1] >= 32, "it goes on where it was"
    status = daemon.call("system.status")
    assert "minilm" in status["model"].lower()
    assert status["waiting_for_vectors"] == 0
    for number in (0, 9, _MEMORIES - 1):
        assert _found(daemon, mine, number, mode="vector", min_score=0)
        assert _found(daemon, mine, number) == _fact(number)
    daemon.stop()
    assert ("active", _PASSAGES) in [row[1:] for row in _vectors(daemon.home)]


def test_what_is_deleted_and_restored_during_a_change_is_right_after_it(
    switching: tuple[Daemon, dict[str, Any]],
) -> None:
    """The new vectors respect deletions and restorations made meanwhile."""
    daemon, mine = switching
    page = daemon.call("memory.list", scope=mine, limit=20)["memories"]
    gone, back = page[0], page[1]
    daemon.call("model.use", provider="minilm")
    for memory in (gone, back):
        daemon.call("memory.delete", scope=mine, id=memory["id"])
    daemon.call("memory.restore", scope=mine, id=back["id"])
    until(lambda: daemon.call("system.status")["building"] is None)
    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)

    results = daemon.call(
        *("memory.search",), scope=mine, query=back["content"], mode="vector", min_score=0
    )["results"]

    found = [entry["memory"]["id"] for entry in results]
    assert found[0] == back["id"]
    assert gone["id"] not in found
    daemon.stop()
    assert ("active", _PASSAGES - 1) in [row[1:] for row in _vectors(daemon.home)]


@pytest.fixture
def leaving(
    new_daemon: Callable[..., Daemon], _filled: Path, tmp_path: Path
) -> Iterator[tuple[Daemon, Endpoint]]:
    """A daemon that is changing from wordllama to a slow endpoint."""
    endpoint = Endpoint()
    home = shutil.copytree(_filled, tmp_path / "home")
    daemon: Daemon = new_daemon(home, environment={"ASH_MODELS": "/nonexistent"})
    daemon.config(endpoint.config.replace('provider = "openai"\n', ""))
    daemon.start()
    endpoint.holds_from = 2  # the first text only shows that it answers
    assert daemon.call("model.use", provider="openai")["building"]
    until(lambda: endpoint.calls >= 2)
    yield daemon, endpoint
    endpoint.end()


def test_a_change_can_be_called_off(leaving: tuple[Daemon, Endpoint]) -> None:
    """Choosing the current embedder cancels it, and the next start does not resume it."""
    daemon, endpoint = leaving

    answer = daemon.call("model.use", provider="wordllama")
    endpoint.open.set()

    assert (answer["building"], "wordllama" in answer["model"]) == (False, True)
    status = daemon.call("system.status")
    assert (status["building"], status["waiting_for_vectors"]) == (None, 0)
    daemon.call("memory.add", scope=_MINE, content=_fact(_MEMORIES), type="decision")
    assert _found(daemon, _MINE, _MEMORIES) == _fact(_MEMORIES)
    daemon.stop()
    daemon.start()
    assert "wordllama" in daemon.call("system.status")["model"]
    daemon.stop()
    assert [row[1:] for row in _vectors(daemon.home)] == [("active", _PASSAGES + 1)]


def test_an_endpoint_that_fails_while_its_vectors_are_built_fails_no_search(
    leaving: tuple[Daemon, Endpoint],
) -> None:
    """The embedder in force serves on and is reported ready."""
    daemon, endpoint = leaving
    endpoint.status = 400
    endpoint.open.set()
    until(lambda: any("vectors_not_stored" in line for line in daemon.log))

    assert daemon.call("system.status")["embedder"] == "ready"
    assert _found(daemon, _MINE, 7) == _fact(7)
    assert daemon.call("system.status")["building"] is not None
