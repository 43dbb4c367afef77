"""Backups, exports and rehearsals write the database of a server to files while daemons use it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio.from_thread
import pytest
from histories import Caller, daemon_app
from server_databases import put, stored_names
from services import FixedClock

from ashd.store import moving
from ashd.store.connection import connect
from ashd.store.transaction import Tx

SCOPE = {"provider": "test", "user_id": "ada"}


@pytest.fixture
async def call(url: str, tmp_path: Path) -> AsyncIterator[Caller]:
    """Calls a daemon whose database is on the server and has a few memories."""
    clock = FixedClock()
    async with daemon_app(tmp_path, clock, url) as app:
        call = Caller(app, clock)
        for text in ("My friend Nora sails", "The ferry leaves at nine ☕"):
            await call("memory.add", scope=SCOPE, content=text, subjects=["Nora"])
        yield call


def _rows(tx: Tx) -> dict[str, list[Any]]:
    catalog = tx.dialect.catalog
    return {
        table: list(moving._rows(tx, table, catalog.columns(tx.connection, table)))
        for table in catalog.tables(tx.connection)
    }


def _files_of(folder: Path, name: str) -> list[Path]:
    return [path for path in folder.iterdir() if name in path.name]


async def test_a_backup_is_a_file_with_every_row(call: Caller, tmp_path: Path) -> None:
    """It is one of SQLite, which only its owner may read."""
    before = await call.db.read(_rows)
    path = tmp_path / "backup.db"

    made = await call.result("db.backup", path=str(path))

    with connect(path, read_only=True) as connection:
        assert _rows(Tx(connection, 0, str)) == before
    assert (made["memories"], made["verified"]) == (2, True)
    assert path.stat().st_mode & 0o777 == 0o600
    assert await call.db.read(stored_names) == [str(path)]


async def test_a_backup_shows_one_moment(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is answered while the rows are copied is not in it, not in part either."""
    copy, path = moving.copy, tmp_path / "backup.db"

    def meanwhile(source: Tx, target: Tx, show: moving.Progress) -> dict[str, int]:
        moving.row_counts(source)
        anyio.from_thread.run(call.db.write, put("meanwhile"))
        return copy(source, target, show)

    monkeypatch.setattr(moving, "copy", meanwhile)

    assert (await call("db.backup", path=str(path)))["result"]["verified"]

    with connect(path, read_only=True) as connection:
        assert stored_names(Tx(connection, 0, str)) == []
    assert "meanwhile" in await call.db.read(stored_names)


async def test_a_copy_with_another_row_is_no_backup(
    call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call fails, and leaves no file."""
    copy = moving.copy

    def changed(source: Tx, target: Tx, show: moving.Progress) -> dict[str, int]:
        counts = copy(source, target, show)
        target.run("update memories set content = 'another' where id = 1")
        return counts

    monkeypatch.setattr(moving, "copy", changed)
    answer = await call("db.backup", path=str(tmp_path / "backup.db"))

    assert answer["error"]["data"]["kind"] == "storage_error"
    assert not _files_of(tmp_path, "backup")


async def test_a_dry_run_of_an_import_changes_nothing(call: Caller, tmp_path: Path) -> None:
    """It says what the import then does."""
    path = str(tmp_path / "export.jsonl")
    await call("db.export", path=path)
    await call("db.clear", confirm="everything")
    before = await call.db.read(_rows)

    tried = await call.result("db.import", path=path, dry_run=True)

    assert await call.db.read(_rows) == before
    assert not _files_of(tmp_path, "dry-run")
    done = await call.result("db.import", path=path)
    assert tried == done
    assert done["imported"] > 2


async def test_an_export_of_one_account_says_who_told_what(call: Caller, tmp_path: Path) -> None:
    """A server writes a JSON name with spaces in it; it is the same name."""
    path = tmp_path / "export.jsonl"

    await call("db.export", scope=SCOPE, path=str(path))

    records = [json.loads(line) for line in path.read_text().splitlines()]
    memories = [record for record in records if record["kind"] == "memory"]
    assert [memory["owner"] for memory in memories] == [["test", "ada"]] * 2
