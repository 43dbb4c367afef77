"""A home's database moves to a server and back, the same row by row."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from services import FixedClock, house

from ashd import errors
from ashd.cli.ashd import main
from ashd.config import Places, Settings, Storage
from ashd.ops import moving
from ashd.store import moving as rows
from ashd.store.connection import connect
from ashd.store.database import Database
from ashd.store.transaction import Tx

pytestmark = pytest.mark.sqlite_file


def _places(home: Path) -> Places:
    return Places(home=home, config=home / "c", database=home / "ash.db", models=home, run=home)


def _say_nothing(_done: int, _total: int) -> None:
    pass


def _move(url: str | None, home: Path, to: str) -> moving.Moved:
    settings = Settings(storage=Storage(url=url))
    return moving.move(settings, _places(home), to, None, FixedClock(), _say_nothing)


def _rows(path: Path) -> Iterator[tuple[str, list[object]]]:
    """Yield the rows of each table of a file."""
    with closing(connect(path, read_only=True)) as connection:
        tx = Tx(connection, 0, str)
        for table in tx.dialect.catalog.tables(connection):
            yield table, list(rows._rows(tx, table, tx.dialect.catalog.columns(connection, table)))


async def _fill(path: Path) -> None:
    """Store facts that fill many tables, among them all kinds of values."""
    async with house(path.parent) as at:
        for number in range(30):
            text = f"My friend Nora{number} likes 'tea' \\ {number} %s ☕ {'long ' * (number % 7)}"
            await at.add(text, tags=[f"t{number}", "ü"], subjects=[f"Nora{number}"])
        embedded = "insert into embeddings (embedding_set, hash, pooled) values (?, ?, ?)"

        def embed(tx: Tx) -> None:
            """Store a vector: bytes of every value."""
            made = tx.insert(
                "insert into embedding_sets (model, dimension, state, created_at)"
                " values ('m', 64, 'active', 1)"
            )
            tx.run(embedded, made, b"h", bytes(range(256)))

        await at.db.write(embed)


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home with some thirty memories, and a hole in the row numbers."""
    await _fill(tmp_path / "ash.db")
    return tmp_path


async def test_database_is_the_same_after_moving_there_and_back(home: Path, url: str) -> None:
    """Every row of every table, and the numbers that new rows get."""
    before = dict(_rows(home / "ash.db"))

    there = _move(None, home, url)
    back = _move(url, home, str(home / "back.db"))

    assert there.memories == back.memories == len(before["memories"])
    assert dict(_rows(home / "back.db")) == before
    assert {"memories", "people", "passages", "passage_fts", "embeddings"} <= {
        table for table, found in before.items() if found
    }


async def test_a_move_into_a_file_says_how_to_use_it(
    home: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting takes a whole path, wherever the command was typed, and excludes the url."""
    _move(None, home, url)
    monkeypatch.chdir(home)
    (home / "config.toml").write_text(f"[storage]\nurl = {url!r}\n")

    done = CliRunner().invoke(main, ["migrate", "--home", str(home), "--to", "back.db"])

    assert done.exit_code == 0, done.output
    assert f"set `path = '{home / 'back.db'}'` under [storage] in place of `url`" in done.output
    assert (home / "back.db").exists()


async def test_new_rows_get_new_numbers_after_a_move(home: Path, url: str) -> None:
    """The server counts on where the file was."""
    path = home / "ash.db"
    with closing(connect(path, read_only=True)) as connection:
        (highest,) = connection.execute("select max(id) from memories").fetchall()[0]
    _move(None, home, url)

    db = Database.open(path, FixedClock(), url)
    try:
        number = await db.write(
            lambda tx: tx.insert("insert into withdrawals (uuid, created_at) values ('w', 1)")
        )
        assert number == 1
        last = await db.read(lambda tx: tx.dialect.catalog.last_numbers(tx.connection))
        assert last["memories"] == highest
    finally:
        db.close()


async def test_a_database_with_rows_is_not_moved_to(home: Path, url: str) -> None:
    """Nothing is mixed."""
    _move(None, home, url)

    with pytest.raises(errors.InvalidParams, match="not empty"):
        _move(None, home, url)


async def test_a_file_is_not_replaced(home: Path, url: str) -> None:
    """A move back makes a new file."""
    _move(None, home, url)

    with pytest.raises(errors.InvalidParams, match="exists already"):
        _move(url, home, str(home / "ash.db"))


async def test_a_row_that_differs_stops_the_move(
    home: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left at the server, and the next attempt is made from the start."""
    copy = rows.copy

    def changed(source: Tx, target: Tx, show: rows.Progress) -> dict[str, int]:
        counts = copy(source, target, show)
        target.run("update memories set content = 'another' where id = 1")
        return counts

    monkeypatch.setattr(rows, "copy", changed)
    with pytest.raises(errors.StorageError, match="table memories"):
        _move(None, home, url)

    monkeypatch.setattr(rows, "copy", copy)
    assert _move(None, home, url).memories > 0


async def test_references_hold_at_the_server_again(home: Path, url: str) -> None:
    """They are made anew after the copy, which checks them."""
    _move(None, home, url)

    with (
        psycopg.connect(url, autocommit=True) as connection,
        pytest.raises(psycopg.errors.ForeignKeyViolation),
    ):
        connection.execute("update ashd.memories set owner = 99999 where id = 1")


async def test_a_database_in_use_is_not_moved(home: Path, url: str) -> None:
    """Neither to a server that a daemon serves, nor from it."""
    db = Database.open(home / "other.db", FixedClock(), url)
    try:
        with pytest.raises(errors.StartError, match="An ashd uses this"):
            _move(None, home, url)
        with pytest.raises(errors.StartError, match="An ashd uses this"):
            _move(url, home, str(home / "back.db"))
    finally:
        db.close()
    assert not (home / "back.db").exists()


async def test_a_move_within_one_engine_is_refused(home: Path, url: str) -> None:
    """With the tools that copy there."""
    with pytest.raises(errors.InvalidParams, match="a file already"):
        _move(None, home, str(home / "back.db"))
    with pytest.raises(errors.InvalidParams, match="on a server already"):
        _move(url, home, url)


async def test_an_older_schema_is_upgraded_first(home: Path, url: str) -> None:
    """By the daemon, which makes a backup."""
    with closing(connect(home / "ash.db", read_only=False)) as connection:
        connection.execute("pragma user_version = 38")

    with pytest.raises(errors.StartError, match="schema 38"):
        _move(None, home, url)
