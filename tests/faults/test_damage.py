"""Damaged pages are noticed and derived ones rebuilt; nothing else is lost. Budget: 90 s."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import ENCRYPTED, CallFailed, Daemon
from damage_pages import flip, overwrite, pages
from rows import opened
from starts import failed_start
from waiting import until

Make = Callable[..., Daemon]
MINE = {"provider": "test", "user_id": "whose disk fails"}
FACTS = 150
THINGS = ["lamp", "violin", "oven", "clock", "boat", "ladder", "kettle", "anchor", "piano", "drill"]


def _fact(number: int) -> str:
    return f"Item N{number:03} is the {THINGS[number % 10]} in the attic of house {number % 7}"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with memories and messages, more than one page of everything."""
    home = tmp_path_factory.mktemp("filled") / "home"
    daemon = Daemon(home)
    try:
        daemon.start()
        for start in range(0, FACTS, 50):
            facts = [{"content": _fact(n)} for n in range(start, start + 50)]
            daemon.call("memory.add", scope=MINE, facts=facts)
        daemon.call(
            *("conversation.ingest",),
            scope=MINE,
            conversation_id="c",
            messages=[{"content": f"The harbour master told story {n}"} for n in range(60)],
        )
        # What is judged at the start would find the damage, and mend it, before the check does.
        until(lambda: not _waiting(home))
        assert daemon.stop() == 0
    finally:
        daemon.remove()
    return home


def _waiting(home: Path) -> bool:
    """Whether memories wait to be judged."""
    with opened(home, read_only=True) as connection:
        return bool(connection.execute("select 1 from memories_to_judge limit 1").fetchall())


@pytest.fixture
def spoilt(new_daemon: Make, filled: Path, tmp_path: Path) -> Callable[..., Daemon]:
    """Make a daemon, not started, with a page of a table or index spoilt."""

    def make(name: str, spoil: Callable[..., None] = flip) -> Daemon:
        home = shutil.copytree(filled, tmp_path / "home")
        found = pages(home)
        if name not in found:
            pytest.skip(f"{name} has no page of its own here")
        chance = random.Random(name)
        spoil(home, chance.choice(found[name]), chance)
        daemon: Daemon = new_daemon(home)
        return daemon

    return make


def _warnings(daemon: Daemon) -> dict[str, str]:
    return {one["name"]: one["detail"] for one in daemon.call("system.status")["warnings"]}


def _all(daemon: Daemon) -> list[str]:
    """Every memory, the oldest first."""
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = daemon.call("memory.list", scope=MINE, limit=100, **cursor)
        found += [memory["content"] for memory in page["memories"]]
        if page["next_cursor"] is None:
            return found[::-1]
        cursor = {"cursor": page["next_cursor"]}


DERIVED = [
    *("passage_fts_data", "passage_fts_content", "passage_fts_docsize", "passage_fts_idx"),
    *("passages", "passages_by_hash", "sqlite_autoindex_passages_1"),
    *("embeddings", "passage_vectors", "passage_vectors_by_scope"),
]
INDEXES = [
    *("memories_by_owner", "memories_by_place", "memories_by_content"),
    *("sqlite_autoindex_memories_1", "sqlite_autoindex_messages_1"),
]


@pytest.mark.parametrize("spoil", [flip, overwrite])
@pytest.mark.parametrize("name", [*DERIVED, *INDEXES])
def test_derived_tables_and_indexes_are_rebuilt(
    spoilt: Callable[..., Daemon], name: str, spoil: Callable[..., None]
) -> None:
    """Every memory is there, is found by its words and its vector, and new ones are accepted."""
    daemon = spoilt(name, spoil)
    daemon.start()

    result = daemon.call("db.check", fix=True)

    assert any(finding["fixed"] for finding in result["findings"]), "the test spoilt nothing"
    assert not [
        one for one in result["findings"] if one["severity"] == "error" and not one["fixed"]
    ]
    assert [_fact(n) for n in range(FACTS)] == _all(daemon)
    for number in (0, 77, FACTS - 1):
        for mode in ("lexical", "hybrid"):
            results = daemon.call(
                "memory.search", scope=MINE, query=f"item N{number:03}", mode=mode
            )["results"]
            assert _fact(number) == results[0]["memory"]["content"]
    daemon.call("memory.add", scope=MINE, content="The globe is new")
    found = daemon.call("memory.search", scope=MINE, query="globe", mode="lexical")["results"]
    assert ["The globe is new"] == [one["memory"]["content"] for one in found]
    clean = daemon.call("db.check")["findings"]
    assert not [one for one in clean if one["severity"] != "note" and one["name"] != "little_space"]
    assert not {"database_damaged", "index_damaged"} & _warnings(daemon).keys()
    daemon.stop()
    daemon.start()
    assert FACTS + 1 == len(_all(daemon))


@pytest.mark.parametrize("spoil", [flip, overwrite])
def test_a_damaged_memory_is_an_error_and_never_a_wrong_answer(
    spoilt: Callable[..., Daemon], spoil: Callable[..., None]
) -> None:
    """Calls that need the page fail with the reason; the daemon goes on, and names the remedy."""
    daemon = spoilt("memories", spoil)
    daemon.start()

    with pytest.raises(CallFailed) as failed:
        _all(daemon)

    assert failed.value.kind == "storage_error"
    assert failed.value.data["retryable"] is False
    assert "ash doctor" in failed.value.data["hint"]
    assert until(lambda: any("database_damaged" in line for line in daemon.log))
    assert "database_damaged" in _warnings(daemon)
    result = daemon.call("db.check", fix=True)
    (finding,) = [one for one in result["findings"] if one["name"] == "damaged_tables"]
    assert "memories" in finding["detail"]
    assert finding["fixed"] is False
    assert "memories" in _warnings(daemon)["database_damaged"]
    daemon.stop()
    daemon.start()  # no crash loop


@pytest.mark.parametrize("name", ["sqlite_schema", "meta"])
def test_damage_that_hides_everything_refuses_the_start(
    spoilt: Callable[..., Daemon], name: str
) -> None:
    """One line names the doctor and the way back; nothing is changed."""
    daemon = spoilt(name, overwrite)
    before = (daemon.home / "data" / "ash.db").read_bytes()

    done = failed_start(daemon)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    # With a first page that cannot be decrypted the doctor has nothing to say.
    typed = f"`ash --home {daemon.home}"  # of no other home
    assert ENCRYPTED or f"{typed} doctor --offline`" in done.stderr
    assert f"{typed} db restore" in done.stderr
    assert before == (daemon.home / "data" / "ash.db").read_bytes()


def test_the_index_is_made_as_it_was(new_daemon: Make, filled: Path, tmp_path: Path) -> None:
    """`db.reindex` of an index that was lost gives exactly what incremental indexing gave."""
    home = shutil.copytree(filled, tmp_path / "home")
    texts = (
        "select p.id, p.kind, p.item, p.ordinal, p.chat, p.hash, p.dated, p.asking, p.ends_asking,"
        " p.words, f.scope, f.body, f.names, f.dates, f.grams"
        " from passages p join passage_fts f on f.rowid = p.id order by p.id"
    )
    words = "select term, doc, col, offset from vocabulary order by 1, 2, 3, 4"
    vectors = (
        "select v.passage, v.scope, e.hash, e.pooled, e.tokens from passage_vectors v"
        " join passages p on p.id = v.passage join embeddings e on e.hash = p.hash order by 1"
    )

    def dump(home: Path) -> list[list[Any]]:
        with opened(home) as connection:
            connection.execute(
                "create virtual table temp.vocabulary using fts5vocab(main, passage_fts, instance)"
            )
            return [connection.execute(sql).fetchall() for sql in (texts, words, vectors)]

    before = dump(home)
    assert all(before)
    with opened(home) as connection:
        connection.execute("delete from passage_fts; delete from passage_vectors")
        connection.execute("delete from embeddings; update passages set words = 0, hash = x'00'")
    daemon = new_daemon(home).start()

    assert daemon.call("db.reindex")["rows"] >= FACTS
    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
    assert daemon.call("db.reindex")["rows"] == 0
    daemon.stop()

    assert before == dump(home)
