"""Grants: sockets that the operator opens for sandboxes, each bound to one scope.

A grant is a row, so it outlives the daemon; grants in force are cached here, so that a call
needs no database to know whether its grant is active. A grant is never given another scope:
programs running behind it would go on with the new one.
"""

import builtins
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import msgspec

from ashd import clock, errors, log
from ashd.access import grant_tokens, holder_process, quota
from ashd.access import scope as scopes
from ashd.access.actor import Actor, Call, Peer, Right, Turn
from ashd.access.grant_views import (
    CreateParams,
    CreateResult,
    GrantResult,
    GrantView,
    RevokeParams,
    TurnParams,
)
from ashd.access.holder_process import HolderProcess
from ashd.access.quota import QuotaParams
from ashd.access.scope import Scope
from ashd.clock import SECOND, to_text
from ashd.ids import find_grant
from ashd.store import chats, grants
from ashd.store.database import Database, Tx
from ashd.store.grants import GrantRow


class GrantListeners(Protocol):
    """Opens and closes the sockets of grants."""

    tcp_address: str | None
    """The TCP address that accepts tokens, as HOST:PORT, if configured."""

    async def open(self, grant: "Grant") -> tuple[Path, Path]:
        """Listen for a grant; return (directory, socket), the shared socket's for a token."""
        ...

    async def close(self, grant_id: str) -> None:
        """Stop listening and drop the connections at once."""
        ...

    def follow(self, grant: "Grant", holder: HolderProcess) -> None:
        """Revoke a grant once its process has ended."""
        ...


@dataclass(slots=True)
class Grant:
    """A grant in force. Only `turn`, `revoked` and `expired` change."""

    id: str
    scope: Scope
    rights: frozenset[Right]
    expires_at: int | None
    quota: QuotaParams
    token_hash: bytes | None
    """The hash of the token, for a grant without a socket of its own."""
    turn: Turn | None = None
    revoked: bool = False
    expired: bool = False
    """The grant's end was noticed: a clock that goes back does not reopen the grant."""
    holder: HolderProcess | None = None
    """The process that the grant ends with."""

    def check(self, now: int) -> None:
        """Refuse a call if the grant has expired or was revoked.

        Raises:
            errors.GrantRevoked, errors.GrantExpired
        """
        if self.revoked:
            raise errors.GrantRevoked("This grant was taken back.")
        if self.is_over(now):
            raise errors.GrantExpired("This grant has expired.")

    def is_over(self, now: int) -> bool:
        """Return whether the grant has expired, by this time or by an earlier look."""
        self.expired = self.expired or (self.expires_at is not None and self.expires_at <= now)
        return self.expired

    def actor(self, peer: Peer) -> Actor:
        """The actor of a connection to this grant's socket."""
        return Actor("sandbox", self.id, self.rights, peer, "rpc")


class Grants:
    """The grants in force."""

    def __init__(self, db: Database, time: clock.Clock) -> None:
        self._db = db
        self._clock = time
        self._in_force: dict[str, Grant] = {}
        self._by_token: dict[bytes, Grant] = {}
        self._attempts = grant_tokens.Attempts()
        self._changing = anyio.Lock()
        """Held while grants change, so that what other daemons did is never half taken over."""
        self.changed = anyio.Event()
        """Set when a grant was made."""

    def with_token(self, token: str) -> Grant:
        """Return the grant in force that the token identifies.

        Raises:
            errors.Denied: no grant has this token.
            errors.RateLimited: no grant has it, and there were too many wrong tokens.
        """
        grant = self._by_token.get(grant_tokens.digest(token))
        if grant is None:
            raise self._attempts.wrong(self._clock.now())
        return grant

    def _hold(self, grant: Grant) -> None:
        self._in_force[grant.id] = grant
        if grant.token_hash is not None:
            self._by_token[grant.token_hash] = grant
        self.changed.set()

    def _held(self, prefix: str) -> "builtins.list[tuple[str, Grant]]":
        return [
            (grant_id, grant)
            for grant_id, grant in self._in_force.items()
            if grant_id.startswith(prefix)
        ]

    async def load(self, opened: Callable[[Grant], Awaitable[object]]) -> None:
        """Open the sockets of every grant in force, at the daemon's start."""
        with suppress(errors.StorageError):  # on a full disk; those that are over stay closed
            await self._db.write(grants.expire_due, quiet=True)
        for row in await self._db.read(lambda tx: grants.everyone(tx, open_only=True)):
            grant = _from_row(row)
            self._hold(grant)
            await _open_logged(opened, grant)

    @property
    def in_force(self) -> frozenset[str]:
        """The ids of the grants that have a listener or a token."""
        return frozenset(self._in_force)

    @property
    def opened(self) -> "builtins.list[Grant]":
        """The grants that have a listener or a token."""
        return [*self._in_force.values()]

    async def read_again(self, listeners: GrantListeners) -> "builtins.list[str]":
        """Take over what other daemons did to grants; return the ids of those that were revoked."""
        async with self._changing:
            rows, revoked = await self._db.read(partial(_in_force, held=self.in_force))
            for grant_id in revoked:
                if (grant := self.drop(grant_id)) is not None:
                    grant.revoked = True
                await listeners.close(grant_id)
            for row in rows:
                grant = self._in_force.get(row.id)
                if grant is not None:
                    grant.turn = _turn_of(row)
                else:
                    grant = _from_row(row)
                    await _open_logged(listeners.open, grant)
                    self._hold(grant)
        return revoked

    async def note_expired(self, *over: Grant) -> None:
        """Store that grants were seen to end.

        If the disk fails, the daemon knows it only until its next start.
        """
        ids = [grant.id for grant in over]
        with suppress(errors.StorageError):
            await self._db.write(lambda tx: grants.expire(tx, ids), quiet=True)

    def drop(self, grant_id: str) -> Grant | None:
        """Remove a grant from those in force, and close its socket."""
        grant = self._in_force.pop(grant_id, None)
        if grant is not None and grant.token_hash is not None:
            self._by_token.pop(grant.token_hash, None)
        return grant

    async def create(
        self, call: Call, params: CreateParams, listeners: GrantListeners
    ) -> CreateResult:
        """Open a socket for a sandbox, bound to the scope.

        Raises:
            errors.InternalError: there is no place for its socket; nothing was granted.
            errors.Denied: memory is off, and the user takes no part in the group as yet.
            errors.InvalidParams: the caller's process cannot be watched.
        """
        if not params.rights:
            raise errors.InvalidParams("rights is empty.", "Give at least one of read, write.")
        expires_at = None
        if params.expires_in_s is not None:
            expires_at = self._clock.now() + params.expires_in_s * SECOND
        token = grant_tokens.new_token() if params.token else None
        grant = Grant(
            id=clock.new_grant_id(),
            scope=msgspec.structs.replace(call.scope, participants=msgspec.UNSET),
            rights=frozenset(params.rights),
            expires_at=expires_at,
            quota=params.quota,
            token_hash=grant_tokens.digest(token) if token else None,
            holder=holder_process.of_caller(call.actor.peer) if params.ends_with_caller else None,
        )
        # If the caller has gone by then, the grant is complete and listed.
        with anyio.CancelScope(shield=True):
            async with self._changing:
                directory, socket = await self._open(call, grant, listeners)
        return CreateResult(
            grant_id=grant.id,
            directory=str(directory),
            socket=str(socket),
            expires_at=to_text(expires_at),
            token=token or msgspec.UNSET,
            tcp=(listeners.tcp_address if token else None) or msgspec.UNSET,
        )

    async def _open(self, call: Call, grant: Grant, listeners: GrantListeners) -> tuple[Path, Path]:
        """Listen for a new grant and store it; return (directory, socket)."""
        # Listen first: nobody knows of the socket before its row is on disk.
        try:
            directory, socket = await listeners.open(grant)
        except OSError as error:
            raise errors.InternalError(
                f"The grant's socket cannot be made ({error.strerror}).",
                "Look at the daemon's run directory on the host.",
            ) from error
        try:
            await self._db.write(lambda tx: _insert(tx, call, grant), scoped=True)
        except errors.AshError:
            await listeners.close(grant.id)
            raise
        self._hold(grant)
        if grant.holder is not None:
            listeners.follow(grant, grant.holder)
        return directory, socket

    async def revoke(
        self, call: Call, params: RevokeParams, listeners: GrantListeners
    ) -> GrantResult:
        """Revoke a grant: its socket is closed and its connections are dropped at once."""
        async with self._changing:
            row = await self._db.write(lambda tx: _revoke(tx, call, params.grant_id), quiet=True)
            grant = self.drop(row.id)
            if grant is not None:
                grant.revoked = True
            await listeners.close(row.id)
        return GrantResult(view(row, self._clock.now()))

    async def turn(self, call: Call, params: TurnParams) -> GrantResult:
        """Set the speaker in a group grant's chat, or the session and message.

        Raises:
            errors.NotFound, errors.Ambiguous: no grant in force, or several, begin so.
            errors.InvalidParams: the grant has a user, or the speaker takes no part in the chat.
        """
        grant = find_grant(params.grant_id, self._held)
        if grant.scope.user_id is not None and params.user_id is not None:
            raise errors.InvalidParams(
                "This grant has a user of its own.",
                "Leave user_id out: it is for a group's grant without one.",
            )
        said = Turn(params.user_id, params.session_id, params.message_id)
        turn = said if said.user_id is not None or said.is_placed else None
        # The turn changes nothing that anybody sees.
        async with self._changing:
            row = await self._db.write(lambda tx: _turn(tx, call, grant, turn), scoped=True)
            grant.turn = turn
        return GrantResult(view(row, self._clock.now()))


def _insert(tx: Tx, call: Call, grant: Grant) -> None:
    if call.memory_on:
        scopes.note_new_grant(tx, call.scope)
    elif call.scope.user_id is not None and call.scope.user_id not in _present(tx, call.scope):
        # While memory is off, no participation is recorded, and without one the grant would reach
        # nothing.
        raise errors.Denied(
            "Memory is switched off, so the user cannot be recorded as taking part in the chat.",
            "Switch it on first ([memory] enabled = true in config.toml), or open the grant for"
            " the user alone, or for the chat alone.",
        )
    grants.insert(
        tx,
        grant_id=grant.id,
        scope=msgspec.json.encode(grant.scope).decode(),
        owner=quota.owner_of(grant.scope),
        rights=msgspec.json.encode(sorted(grant.rights)).decode(),
        quota=msgspec.json.encode(grant.quota).decode(),
        expires_at=grant.expires_at,
        token_hash=grant.token_hash,
        holder=msgspec.json.encode(grant.holder).decode() if grant.holder else None,
    )
    call.record(tx)


def find_id(tx: Tx, named: str) -> str:
    """Return the id of the grant that the operator names, revoked or not.

    Raises:
        errors.InvalidParams, errors.NotFound, errors.Ambiguous
    """
    return find_grant(named, lambda prefix: grants.by_prefix(tx, prefix))


def _revoke(tx: Tx, call: Call, named: str) -> GrantRow:
    grant_id = find_id(tx, named)
    if grants.revoke(tx, grant_id):
        call.record(tx)
    row = grants.by_id(tx, grant_id)
    assert row is not None
    return row


def _turn(tx: Tx, call: Call, grant: Grant, turn: Turn | None) -> GrantRow:
    speaker = turn.user_id if turn is not None else None
    if speaker is not None and speaker not in _present(tx, grant.scope):
        raise errors.InvalidParams(
            "The speaker takes no part in this chat.",
            "Tell who takes part first (scope.participants, or chat.join).",
        )
    grants.set_turn(tx, grant.id, msgspec.json.encode(turn).decode() if turn else None)
    call.record(tx)
    row = grants.by_id(tx, grant.id)
    assert row is not None
    return row


def _present(tx: Tx, scope: Scope) -> set[str]:
    """Return the users who take part in the scope's group; in a private chat, its user."""
    if not scope.is_group:
        return {scope.user_id} if scope.user_id is not None else set()
    assert scope.chat_id is not None
    chat = chats.group(tx, scope.provider, scope.chat_id)
    return {user for user, _ in chats.roster(tx, chat.id)} if chat else set()


def _from_row(row: GrantRow) -> Grant:
    return Grant(
        id=row.id,
        scope=msgspec.json.decode(row.scope, type=Scope),
        rights=frozenset(msgspec.json.decode(row.rights, type=list[Right])),
        expires_at=row.expires_at,
        quota=msgspec.json.decode(row.quota, type=QuotaParams),
        token_hash=row.token_hash,
        turn=_turn_of(row),
        revoked=row.revoked_at is not None,
        holder=msgspec.json.decode(row.holder, type=HolderProcess) if row.holder else None,
    )


def _turn_of(row: GrantRow) -> Turn | None:
    return msgspec.json.decode(row.turn, type=Turn) if row.turn else None


def _in_force(tx: Tx, *, held: Collection[str]) -> tuple[list[GrantRow], list[str]]:
    """Return the grants in force, and which of those that are held were revoked."""
    rows = grants.everyone(tx, open_only=True)
    others = set(held) - {row.id for row in rows}
    revoked = []
    for grant_id in others:
        row = grants.by_id(tx, grant_id)
        if row is None or row.revoked_at is not None:  # else it ends by its time
            revoked.append(grant_id)
    return rows, revoked


async def _open_logged(opened: Callable[[Grant], Awaitable[object]], grant: Grant) -> None:
    """Open a grant's socket; one that cannot be opened must not keep all others closed."""
    try:
        await opened(grant)
    except OSError as error:
        log.error("socket_failed", grant=grant.id, reason=error.strerror)


def view(row: GrantRow, now: int) -> GrantView:
    """Return a grant as the operator sees it."""
    is_over = row.expires_at is not None and row.expires_at <= now
    expired = row.expired_at is not None or is_over
    return GrantView(
        grant_id=row.id,
        scope=msgspec.json.decode(row.scope, type=Scope),
        rights=msgspec.json.decode(row.rights, type=list[Right]),
        quota=msgspec.json.decode(row.quota, type=QuotaParams),
        created_at=to_text(row.created_at) or "",
        expires_at=to_text(row.expires_at),
        revoked_at=to_text(row.revoked_at),
        state="revoked" if row.revoked_at else "expired" if expired else "open",
    )
