"""Keys of the gateway's callers are where the database is; no file brings a revoked one back."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from server_databases import opened
from services import FixedClock, call_of

from ashd import errors
from ashd.access.gateway_keys import CreateParams, GatewayKeys, KeyView, RevokeParams
from ashd.key_file import FILE_NAME, KeyFile, digest
from ashd.store.database import Database

ME = call_of("me")


@contextmanager
def _file_database(home: Path) -> Iterator[Database]:
    db = Database.open(home / "ash.db", FixedClock())
    try:
        yield db
    finally:
        db.close()


async def _keys(keys: GatewayKeys) -> list[KeyView]:
    return (await keys.list()).keys


async def test_a_file_of_keys_is_taken_over_and_brings_no_revoked_key_back(
    url: str, tmp_path: Path
) -> None:
    """All homes may have had the same file."""
    one, other = tmp_path / "one", tmp_path / "other"
    first, token = KeyFile(one / FILE_NAME).create(["notes"])
    second, _ = KeyFile(one / FILE_NAME).create([], ("telegram", "ada"), stores=True)
    shutil.copytree(one, other)

    with opened(url, tmp_path) as db:
        keys = await GatewayKeys.in_place(db, one)
        assert not (one / FILE_NAME).exists()
        assert [key.id for key in await _keys(keys)] == [first.id, second.id]
        assert (await _keys(keys))[0].hash == digest(token)
        account = (await _keys(keys))[1].account
        assert account is not None
        assert (account.provider, account.user_id) == ("telegram", "ada")

        await keys.revoke(ME, RevokeParams(first.id))
        there = await GatewayKeys.in_place(db, other)
        assert [key.id for key in await _keys(there)] == [second.id]
        with pytest.raises(errors.NotFound):
            await there.revoke(ME, RevokeParams(first.id))
        stored = await db.read(lambda tx: str(tx.all("select * from gateway_keys")))
        assert first.hash not in stored


@pytest.mark.sqlite_file
async def test_keys_go_into_a_file_when_the_database_does(tmp_path: Path) -> None:
    """As `ashd migrate` copies their rows back."""
    with _file_database(tmp_path) as db:
        key, token = KeyFile(tmp_path / "elsewhere" / FILE_NAME).create(["notes"])
        record = (
            f'{{"id":"{key.id}","hash":"{key.hash}","agents":["notes"],'
            f'"created_at":"{key.created_at}"}}'
        )
        add = "insert into gateway_keys (id, record, created_at) values (?, ?, 1)"
        await db.write(lambda tx: tx.run(add, key.id, record))

        keys = await GatewayKeys.in_place(db, tmp_path)

        assert KeyFile(tmp_path / FILE_NAME).find(token) == key
        assert await db.read(lambda tx: tx.all("select * from gateway_keys")) == []
        made = await keys.create(ME, CreateParams(hash=digest("ash-x"), agents=["other"]))
        assert [one.id for one in await _keys(keys)] == [key.id, made.id]
        await keys.revoke(ME, RevokeParams(key.id))
        assert KeyFile(tmp_path / FILE_NAME).find(token) is None


async def test_a_key_is_for_agents_or_for_an_account(url: str, tmp_path: Path) -> None:
    """A key for nobody would be good for nothing, one for both says too much."""
    with opened(url, tmp_path) as db:
        keys = await GatewayKeys.in_place(db, tmp_path)
        with pytest.raises(errors.InvalidParams):
            await keys.create(ME, CreateParams(hash=digest("ash-x")))
        assert await _keys(keys) == []
