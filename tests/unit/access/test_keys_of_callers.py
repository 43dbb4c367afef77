"""Keys of the gateway's callers: in the table of a shared database, in a file beside another."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from services import FixedClock, call_of

from ashd import errors
from ashd.access.gateway_keys import CreateParams, GatewayKeys, KeyAccount, RevokeParams
from ashd.key_file import FILE_NAME, KeyFile, digest
from ashd.store.change_tracker import EVERYTHING
from ashd.store.database import Database

ME = call_of("me")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def db(tmp_path: Path, clock: FixedClock) -> Iterator[Database]:
    opened = Database.open(tmp_path / "ash.db", clock)
    yield opened
    opened.close()


@pytest.fixture(params=[True, False], ids=["shared", "own"])
async def keys(
    request: pytest.FixtureRequest, db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[GatewayKeys]:
    monkeypatch.setattr(Database, "is_shared", request.param)
    yield await GatewayKeys.in_place(db, tmp_path / "home")
    assert (tmp_path / "home" / FILE_NAME).exists() is not request.param


async def test_keys_are_listed_in_their_order_until_they_are_revoked(
    keys: GatewayKeys, clock: FixedClock
) -> None:
    """Each with whom it is for; one that is not there cannot be revoked."""
    of_agents = CreateParams(hash=digest("one"), agents=["notes", "blog"], stores=True)
    of_ada = CreateParams(hash=digest("two"), account=KeyAccount("telegram", "ada"))
    first = await keys.create(ME, of_agents)
    clock.pass_by(seconds=1)
    second = await keys.create(ME, of_ada)

    assert (await keys.list()).keys == [first, second]
    assert (first.hash, first.agents, first.account) == (digest("one"), ["blog", "notes"], None)
    assert (second.agents, second.account) == ([], KeyAccount("telegram", "ada"))
    assert [first.stores, second.stores] == [True, False]

    assert await keys.revoke(ME, RevokeParams(first.id)) == first
    assert (await keys.list()).keys == [second]
    with pytest.raises(errors.NotFound):
        await keys.revoke(ME, RevokeParams(first.id))


@pytest.mark.parametrize("account", [None, KeyAccount("telegram", "ada")])
async def test_a_key_is_for_agents_or_for_an_account(
    keys: GatewayKeys, account: KeyAccount | None
) -> None:
    """Neither none nor both."""
    agents = [] if account is None else ["notes"]

    with pytest.raises(errors.InvalidParams):
        await keys.create(ME, CreateParams(hash=digest("x"), agents=agents, account=account))

    assert (await keys.list()).keys == []
    await keys.create(ME, CreateParams(hash=digest("y"), agents=["*"]))


async def test_keys_change_nothing_that_a_reader_of_memories_could_notice(
    keys: GatewayKeys, db: Database
) -> None:
    """Blocks for prompts stay cached."""
    before = await db.read(lambda tx: tx.generation)

    made = await keys.create(ME, CreateParams(hash=digest("one"), agents=["notes"]))
    await keys.revoke(ME, RevokeParams(made.id))
    await keys.create(ME, CreateParams(hash=digest("one"), agents=["notes"]))

    assert db.since([EVERYTHING], before) == "same"


async def test_calls_that_change_keys_are_in_the_audit(keys: GatewayKeys, db: Database) -> None:
    await keys.create(ME, CreateParams(hash=digest("one"), agents=["notes"]))

    assert await db.read(lambda tx: tx.value("select count(*) from audit")) == 1


async def test_keys_go_where_the_database_is(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the file into the table of a shared database, and back; each is in one place."""
    file = KeyFile(tmp_path / FILE_NAME)
    first, _ = file.create(["notes"])
    second, _ = file.create([], ("telegram", "ada"))
    before = await db.read(lambda tx: tx.generation)

    monkeypatch.setattr(Database, "is_shared", True)
    shared = await GatewayKeys.in_place(db, tmp_path)
    assert [key.id for key in (await shared.list()).keys] == [first.id, second.id]
    assert file.all() == []

    monkeypatch.setattr(Database, "is_shared", False)
    own = await GatewayKeys.in_place(db, tmp_path)
    assert [key.id for key in (await own.list()).keys] == [first.id, second.id]
    assert await db.read(lambda tx: tx.value("select count(*) from gateway_keys")) == 0
    assert db.since([EVERYTHING], before) == "same"


@pytest.mark.sqlite_file  # a server keeps the keys in its database
async def test_a_file_of_keys_that_cannot_be_read_is_an_error_of_each_call(
    db: Database, tmp_path: Path
) -> None:
    """The daemon starts nevertheless, with no key."""
    (tmp_path / FILE_NAME).write_text("no keys", encoding="utf-8")
    keys = await GatewayKeys.in_place(db, tmp_path)

    with pytest.raises(errors.StorageError):
        await keys.list()
    with pytest.raises(errors.StorageError):
        await keys.create(ME, CreateParams(hash=digest("one"), agents=["notes"]))
