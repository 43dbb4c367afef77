"""`key.*`: keys of the gateway's callers, in one place for all daemons on a database.

On a server that is a table; otherwise the file in the home, which `ash key` changes by itself and
the gateway reads without a daemon. The caller makes the key and sends its hash: no daemon ever sees
the key. Keys change places when the database does, at the start of the daemon.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import anyio.to_thread
import msgspec

from ashd import errors, key_file, limits, log
from ashd.access.actor import Call
from ashd.ids import OwnWord
from ashd.key_file import Key, KeyFile, KeysUnreadable
from ashd.store import gateway_keys
from ashd.store.database import Database
from ashd.store.transaction import Tx

T = TypeVar("T")

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS)]


class KeyAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's own account."""

    provider: _Name
    user_id: _Name


class CreateParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The SHA-256 of the key, in hex, and whom the key is for: agents (`*`: all), or an account.

    With `stores` the gateway keeps the turns of its chats without being asked for each.
    """

    hash: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    agents: Annotated[list[_Name], msgspec.Meta(max_length=limits.RESULTS_PER_CALL)] = []
    account: KeyAccount | None = None
    stores: bool = False


class RevokeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key by its id."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.UUID_CHARS)]


class KeyView(msgspec.Struct, frozen=True):
    """A key: its id, its hash, and whom it is for; the key itself is not stored."""

    id: OwnWord
    hash: OwnWord
    agents: list[OwnWord]
    account: KeyAccount | None
    stores: bool
    created_at: str


class KeysResult(msgspec.Struct, frozen=True):
    """All keys that are not revoked, the oldest first."""

    keys: list[KeyView]


class GatewayKeys:
    """The keys of the gateway's callers."""

    def __init__(self, db: Database, home: Path) -> None:
        self._db = db
        self._file = KeyFile(home / key_file.FILE_NAME)

    @classmethod
    async def in_place(cls, db: Database, home: Path) -> "GatewayKeys":
        """Return the keys, brought to where the home's database is now."""
        keys = cls(db, home)
        try:
            await (keys._from_file() if db.is_shared else keys._into_file())
        except KeysUnreadable as error:
            log.warning("keys_unreadable", reason=error.message)
        return keys

    async def create(self, call: Call, params: CreateParams) -> KeyView:
        """Add a key by its hash; every gateway takes it within a second.

        Raises:
            errors.InvalidParams: it is for nobody, or for agents and an account.
            errors.StorageError: the file of keys cannot be read.
        """
        if bool(params.agents) == (params.account is not None):
            raise errors.InvalidParams("A key is for agents or for an account.", "Name one.")
        account = params.account
        key = key_file.made(
            params.hash,
            params.agents,
            None if account is None else (account.provider, account.user_id),
            stores=params.stores,
        )
        await self._change(call, partial(_add, keys=[key]), lambda: self._file.add([key]))
        return _view(key)

    async def list(self) -> KeysResult:
        """List the keys, which the gateway checks its callers by.

        Raises:
            errors.StorageError: the file of keys cannot be read.
        """
        if self._db.is_shared:
            keys = await self._db.read(_stored)
        else:
            keys = await _readable(self._file.all)
        return KeysResult([_view(key) for key in keys])

    async def revoke(self, call: Call, params: RevokeParams) -> KeyView:
        """Revoke a key; every gateway refuses it within a second.

        Raises:
            errors.NotFound: there is no key of that id.
            errors.StorageError: the file of keys cannot be read.
        """
        return _view(
            await self._change(
                call,
                partial(_revoke, key_id=params.id),
                lambda: _found(self._file.revoke(params.id)),
            )
        )

    async def _change(self, call: Call, in_table: Callable[[Tx], T], in_file: Callable[[], T]) -> T:
        """Change the keys where they are, and record the call."""

        def work(tx: Tx) -> T:
            call.record(tx)
            return in_table(tx)

        if self._db.is_shared:
            return await self._db.write(work, quiet=True)
        changed = await _readable(in_file)
        await self._db.write(call.record, quiet=True)
        return changed

    async def _from_file(self) -> None:
        keys = await anyio.to_thread.run_sync(self._file.all)
        if keys:
            await self._db.write(partial(_add, keys=keys), quiet=True)
            await anyio.to_thread.run_sync(self._file.remove, keys)

    async def _into_file(self) -> None:
        if keys := await self._db.read(_stored):
            await anyio.to_thread.run_sync(self._file.add, keys)
            await self._db.write(gateway_keys.remove_all, quiet=True)


async def _readable(work: Callable[[], T]) -> T:
    """Run work on the file of keys in a thread.

    Raises:
        errors.StorageError: the file cannot be read.
    """
    try:
        return await anyio.to_thread.run_sync(work)
    except KeysUnreadable as error:
        raise errors.StorageError(error.message, error.hint) from error


def _add(tx: Tx, *, keys: Sequence[Key]) -> None:
    for place, key in enumerate(keys):  # they stay in their order
        gateway_keys.add(tx, key.id, msgspec.json.encode(key).decode(), tx.now + place)


def _revoke(tx: Tx, *, key_id: str) -> Key:
    record = gateway_keys.record_of(tx, key_id)
    key = _found(None if record is None else _decoded(record))
    gateway_keys.revoke(tx, key_id)
    return key


def _found(key: Key | None) -> Key:
    if key is None:
        raise errors.NotFound("There is no key of that id.", "`ash key list` shows the ids.")
    return key


def _stored(tx: Tx) -> list[Key]:
    return [_decoded(record) for record in gateway_keys.records(tx)]


def _decoded(record: str) -> Key:
    return msgspec.json.decode(record, type=Key)


def _view(key: Key) -> KeyView:
    account = None if key.account is None else KeyAccount(*key.account)
    return KeyView(key.id, key.hash, key.agents, account, key.stores, key.created_at)
