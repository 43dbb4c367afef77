"""Damaged parts of a database: which they are, what of them is derived, and what can be read."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest
from encrypted import needs_plain_pages
from services import FixedClock, house

from ashd import errors
from ashd.memory.incoming_facts import AddParams
from ashd.store import damage, rescue, verified_copy
from ashd.store.checking import Examined
from ashd.store.connection import connect, make_durable, reader_of
from ashd.store.damage import Hurt
from ashd.store.rescue import Lost

pytestmark = [pytest.mark.sqlite_file, needs_plain_pages]
FACTS = 120
PAGE_BYTES = 4096


async def _filled(home: Path) -> None:
    async with house(home) as at:
        facts = [
            {"content": f"Item {number} is in the attic of house {number}" + " behind a lamp" * 12}
            for number in range(FACTS)
        ]
        for start in range(0, FACTS, 40):
            call = at.call(key=str(start).encode())
            some = msgspec.convert({"facts": facts[start : start + 40]}, AddParams)
            await at.remember.add(call, some)
        await at.db.write(lambda tx: tx.run("create table spare (x)"))
        await at.db.write(lambda tx: tx.run("drop table spare"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with memories on several pages, and a page that is free."""
    home = tmp_path_factory.mktemp("filled")
    asyncio.run(_filled(home))
    connection = connect(home / "ash.db", read_only=False)
    connection.pragma("wal_checkpoint(truncate)")
    connection.close()
    return home / "ash.db"


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(filled, tmp_path / "ash.db"))


def pages(path: Path, name: str) -> list[tuple[int, int]]:
    """The leaf pages of a table or an index with their numbers of cells, in order."""
    connection = connect(path, read_only=True)
    select = "select pageno, ncell from dbstat where name = ? and pagetype = 'leaf' order by path"
    found = connection.execute(select, (name,)).fetchall()
    connection.close()
    return [(int(page), int(cells)) for page, cells in found]


def flip(path: Path, *numbers: int) -> None:
    """Change a bit of pages."""
    content = bytearray(path.read_bytes())
    for number in numbers:
        content[number * PAGE_BYTES - PAGE_BYTES // 2] ^= 4
    path.write_bytes(content)


def spoil(path: Path, *names: str) -> None:
    """Change a bit of the first leaf page of tables and indexes."""
    flip(path, *(pages(path, name)[0][0] for name in names))


def nothing() -> None:
    """Go on."""


class StoppedError(Exception):
    """Whoever asked for the work no longer wants it."""


def stop() -> None:
    """End the work."""
    raise StoppedError


def examine(path: Path) -> Hurt:
    """Return what is damaged."""
    return damage.examine(reader_of(path), nothing)


def count(path: Path, table: str) -> int:
    """The number of rows that can be read."""
    connection = connect(path, read_only=True)
    found = connection.execute(f"select count(*) from {table}").get
    connection.close()
    return int(found)


UUIDS = "sqlite_autoindex_memories_1"


@pytest.mark.parametrize(
    ("spoilt", "hurt"),
    [
        ((), Hurt()),
        (("passages",), Hurt(derived=frozenset({"passages"}))),
        (("embeddings",), Hurt(derived=frozenset({"embeddings"}))),
        (("passage_fts_data",), Hurt(derived=frozenset({"passage_fts"}))),
        ((UUIDS,), Hurt(indexes=frozenset({"memories"}))),
        (("memories",), Hurt(tables=frozenset({"memories"}))),
        (("memories", UUIDS), Hurt(tables=frozenset({"memories"}))),
        (
            ("memories", "passages", "sqlite_autoindex_people_1"),
            Hurt(
                derived=frozenset({"passages"}),
                indexes=frozenset({"people"}),
                tables=frozenset({"memories"}),
            ),
        ),
    ],
)
def test_damage_is_named(path: Path, spoilt: tuple[str, ...], hurt: Hurt) -> None:
    """A table with an intact b-tree only has a damaged index."""
    spoil(path, *spoilt)

    found = examine(path)

    assert found == hurt
    assert bool(found) is bool(spoilt)
    assert found.is_repairable is ("memories" not in spoilt)
    assert not Hurt(by_disk=True).is_repairable


def test_a_free_page_is_no_part_of_a_table(path: Path) -> None:
    """It is found, and goes when the file is rewritten."""
    trunk = int.from_bytes(path.read_bytes()[32:36])
    assert trunk
    flip(path, trunk)

    assert examine(path) == Hurt(elsewhere=True)
    repaired(path)
    assert examine(path) == Hurt()


def repaired(path: Path) -> None:
    """Repair a database as its writer does."""
    connection = connect(path, read_only=False)
    make_durable(connection, path)
    damage.repair(connection, examine(path))
    assert connection.pragma("foreign_keys") == 1
    assert connection.pragma("writable_schema") == 0
    connection.close()


@pytest.mark.parametrize(
    ("spoilt", "emptied"),
    [
        (("passage_fts_data",), {"passage_fts"}),
        (("passages",), {"passages", "passage_fts"}),
        (("embeddings",), set()),
        ((UUIDS,), set()),
        ((UUIDS, "sqlite_autoindex_people_1", "passages"), {"passages", "passage_fts"}),
    ],
)
def test_derived_tables_are_emptied_and_nothing_else(
    path: Path, spoilt: tuple[str, ...], emptied: set[str]
) -> None:
    """Rows with a damaged index are kept, and the index serves again."""
    tables = ("memories", "people", "passages", "passage_fts", "accounts")
    before = {table: count(path, table) for table in tables if table not in emptied}
    spoil(path, *spoilt)

    repaired(path)

    assert examine(path) == Hurt()
    assert {table: count(path, table) for table in tables} == {
        table: 0 if table in emptied else before[table] for table in tables
    }
    connection = connect(path, read_only=False)
    with pytest.raises(apsw.ConstraintError):
        connection.execute("update memories set uuid = (select min(uuid) from memories)")
    connection.execute("insert into passage_fts (rowid, body) values (999999, 'quixotry')")
    found = connection.execute("select rowid from passage_fts where passage_fts match 'quixotry'")
    assert found.get == 999_999
    plan = connection.execute("explain query plan select * from memories where uuid = 'x'").get
    assert UUIDS in str(plan)
    connection.close()


def test_a_check_can_be_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the check raises ends the examination."""
    monkeypatch.setattr(damage, "_STEPS_PER_CHECK", 10)

    with pytest.raises(StoppedError):
        damage.examine(reader_of(path), stop)


def read(path: Path) -> tuple[set[str], list[Lost]]:
    """The contents of the memories that can be read, and what is lost."""
    with rescue.opened(path, FixedClock()) as tx:
        found = list(rescue.each(tx, "memory"))
    texts = {one["content"] for one in found if not isinstance(one, Lost)}
    return texts, [one for one in found if isinstance(one, Lost)]


def test_rows_beside_damaged_pages_are_read(path: Path) -> None:
    """The others are named by an index; without it their number is unknown."""
    every, lost = read(path)
    assert (len(every), lost) == (FACTS, [])
    leaves = pages(path, "memories")
    assert len(leaves) > 3
    gone = leaves[1][1] + leaves[3][1]
    flip(path, leaves[1][0], leaves[3][0])

    texts, (one,) = read(path)

    assert texts < every
    assert len(texts) == FACTS - gone
    assert one.rows == len(one.ids) == len(set(one.ids)) == gone
    flip(path, *(page for page, _ in pages(path, UUIDS)))
    assert read(path) == (texts, [Lost(None, [])])


def test_a_table_of_which_nothing_can_be_read_is_lost(path: Path) -> None:
    """Its records' number is that of the index."""
    flip(path, *(page for page, _ in pages(path, "memories")))

    texts, (one,) = read(path)

    assert texts == set()
    assert one.rows == len(one.ids) == FACTS


def test_ranges_are_halved_down_to_the_rows_that_fail() -> None:
    """Each other row is read once, in order; an error that is no damage is raised."""
    for broken in ({3}, {1}, {450}, {200, 201}, set(range(190, 211)), set()):

        def read_range(low: int, high: int, broken: set[int] = broken) -> list[int]:
            wanted = range(low, high + 1)
            if not broken.isdisjoint(wanted):
                raise apsw.CorruptError("a page")
            return list(wanted)

        gone: list[int] = []
        found = [row for rows in rescue._in_ranges(450, read_range, gone) for row in rows]
        assert found == [row for row in range(1, 451) if row not in broken]
        assert gone == sorted(broken)

    def refuse(_low: int, _high: int) -> None:
        raise apsw.BusyError("another writer")

    with pytest.raises(apsw.BusyError):
        list(rescue._in_ranges(5, refuse, []))


def test_references_to_damaged_tables_are_looked_up_in_copies(path: Path) -> None:
    """Values of a lost row that an index still knows are in the copy, too."""
    leaves = pages(path, "memories")
    flip(path, leaves[1][0])
    with rescue.opened(path, FixedClock()) as tx:
        rescue.look_up_elsewhere(tx, ["memories", "memory_links"])
        assert tx.value("select count(*) from memories") == FACTS
        assert tx.value("select count(*) from temp.sqlite_schema where name = 'memory_links'") == 0


def test_the_copy_of_a_table_without_ids_has_all_its_columns(path: Path) -> None:
    """Records refer to an account by its provider and user, and to a memory by its id alone."""
    with rescue.opened(path, FixedClock()) as tx:
        there = tx.all("select * from accounts")
        rescue.look_up_elsewhere(tx, ["accounts", "memories"])
        copied = "select name from pragma_table_info(?, 'temp')"
        assert [name for (name,) in tx.all(copied, "memories")] == ["id", "uuid"]
        assert tx.all("select * from temp.accounts") == there != []


def test_a_copy_is_verified(path: Path, tmp_path: Path) -> None:
    """Damage is refused, and so is a copy with other rows."""
    counts = verified_copy.verify(path, check_cancelled=nothing)
    assert counts["memories"] == FACTS
    assert verified_copy.verify(path, counts, check_cancelled=nothing) == counts
    with pytest.raises(errors.StorageError, match="other rows"):
        verified_copy.verify(path, {**counts, "memories": 1}, check_cancelled=nothing)

    steps: list[tuple[int, int]] = []
    copied = verified_copy.make(
        reader_of(path),
        tmp_path / "copy.db",
        progress=lambda done, total: steps.append((done, total)),
        check_cancelled=nothing,
    )
    assert copied == counts
    assert steps[-1][0] == steps[-1][1] > 0

    spoil(path, "passages")
    with pytest.raises(errors.StorageError):
        verified_copy.verify(path, check_cancelled=nothing)


def test_a_copy_can_be_cancelled(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is made, and while it is verified."""
    monkeypatch.setattr(verified_copy, "_STEPS_PER_CHECK", 10)

    with pytest.raises(StoppedError):
        verified_copy.verify(path, check_cancelled=stop)
    with pytest.raises(StoppedError):
        verified_copy.make(
            reader_of(path),
            tmp_path / "copy.db",
            progress=lambda *_: None,
            check_cancelled=stop,
        )


def test_a_scratch_copy_is_never_changed(path: Path) -> None:
    """Its transaction has the time of the clock, and is undone."""
    clock: Callable[[], FixedClock] = FixedClock
    with verified_copy.scratch(path, clock()) as tx:
        assert tx.now == clock().now()
        tx.run("delete from memory_links")
        tx.run("update memories set content = 'gone'")
        assert tx.value("select count(distinct content) from memories") == 1

    assert read(path)[0] != {"gone"}


def test_a_renewal_that_fails_midway_changes_nothing() -> None:
    """The connection is free for the next one."""
    connection = apsw.Connection(":memory:")

    def renew(*, fails: bool) -> None:
        with damage._transaction(connection):
            connection.execute("create table t (id integer primary key)")
            if fails:
                raise ValueError("midway")

    with pytest.raises(ValueError, match="midway"):
        renew(fails=True)
    assert not connection.in_transaction
    assert damage._schema(connection, "name = 't'") == []
    renew(fails=False)
    assert [name for name, _ in damage._schema(connection, "name = 't'")] == ["t"]


def test_a_database_is_sound_without_damage_and_without_unfit_rows() -> None:
    assert Examined(Hurt(), {}).is_sound
    assert not Examined(Hurt(tables=frozenset({"people"})), {}).is_sound
    assert not Examined(Hurt(), {"passages": 1}).is_sound
    assert not Examined(Hurt(by_disk=True), {"passages": 1}).is_sound
