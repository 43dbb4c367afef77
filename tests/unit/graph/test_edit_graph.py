"""Relations with one value at a time, and the removal of entities and relations by id."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.graph.edit import EditGraph, RemoveParams
from ashd.graph.store_relation import RelateParams
from ashd.store.database import Database

ME = call_of("u")
IDS = ["abcdef01-0000-4000-8000-000000000001", "abcdef02-0000-4000-8000-000000000002"]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new database."""
    opened = Database.open(tmp_path / "ash.db", FixedClock())
    yield opened
    opened.close()


def relate(db: Database, source: str, relation: str, target: str) -> int:
    """State a relation; the number of relations that it ends."""
    params = RelateParams(source=source, relation=relation, target=target)
    return len(asyncio.run(EditGraph(db).relate(ME, params)).ended)


@pytest.mark.parametrize(
    ("relation", "ends"),
    [
        *((one, 1) for one in ("works at", "works for", "employed by", "lives in", "lives at")),
        *((one, 1) for one in ("based in", "headquartered in", "located in", "born in")),
        *((one, 1) for one in ("reports to", "married to", "engaged to", "studies at")),
        *((one, 0) for one in ("leads", "manages", "knows", "founded", "owns", "works on", "uses")),
        *((one, 0) for one in ("depends on", "part of", "attended", "visited", "sings with")),
    ],
)
def test_a_new_value_ends_the_only_one(db: Database, relation: str, ends: int) -> None:
    """A person studies at one place at a time, and visits many."""
    relate(db, "Vega", relation, "Aldebaran")

    assert relate(db, "Vega", relation, "Capella") == ends


def test_a_prefix_of_both_kinds_removes_nothing(db: Database) -> None:
    """An entity and a relation whose ids begin alike are candidates, in the order of their ids."""
    relate(db, "Vega", "owns", "a boat")
    asyncio.run(
        db.write(
            lambda tx: [
                tx.run("update relations set uuid = ? where id = 1", IDS[1]),
                tx.run("update entities set uuid = ? where id = 2", IDS[0]),
            ]
        )
    )
    edit = EditGraph(db)

    with pytest.raises(errors.Ambiguous) as several:
        asyncio.run(edit.remove(ME, RemoveParams("abcdef")))
    removed = [asyncio.run(edit.remove(ME, RemoveParams(one))) for one in reversed(IDS)]

    assert several.value.data["candidates"] == [{"id": one} for one in IDS]
    assert [(one.id, one.kind) for one in removed] == [(IDS[1], "relation"), (IDS[0], "entity")]
