"""Grants as they are opened, found and closed, on a real database with scripted listeners."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import FixedClock, call_of

from ashd import errors, limits
from ashd.access import grant_listing, grant_tokens, metadata, param_secrets
from ashd.access.actor import Call, Turn
from ashd.access.grant_views import (
    CreateParams,
    CreateResult,
    ListParams,
    RevokeParams,
    TurnParams,
    UseView,
)
from ashd.access.grants import Grant, Grants
from ashd.access.quota import QuotaParams
from ashd.access.usage import Quotas
from ashd.clock import MINUTE, SECOND, to_text
from ashd.config import Limits
from ashd.store import chats
from ashd.store.database import Database

ANN = call_of("ann")
GROUP = call_of("ann", chat_id="g", chat_type="group", participants=["ann", "bob"])
OF_GROUP = replace(GROUP, scope=msgspec.structs.replace(GROUP.scope, user_id=None))


class Listeners:
    """Notes what is opened and closed; refuses to open when it is told to."""

    tcp_address = "127.0.0.1:9"

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.followed: list[str] = []
        self.full = False

    async def open(self, grant: Grant) -> tuple[Path, Path]:
        if self.full:
            raise OSError(28, "full")
        self.opened.append(grant.id)
        return Path("/run/d"), Path("/run/d/s")

    async def close(self, grant_id: str) -> None:
        self.closed.append(grant_id)

    def follow(self, grant: Grant, _holder: Any) -> None:
        self.followed.append(grant.id)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def listeners() -> Listeners:
    return Listeners()


@pytest.fixture
async def db(tmp_path: Path, clock: FixedClock) -> AsyncIterator[Database]:
    opened = Database.open(tmp_path / "a.db", clock)
    yield opened
    opened.close()


@pytest.fixture
def grants(db: Database, clock: FixedClock) -> Grants:
    return Grants(db, clock)


async def made(
    grants: Grants, listeners: Listeners, call: Call = ANN, **given: Any
) -> CreateResult:
    return await grants.create(call, CreateParams(**given), listeners)


async def test_grants_are_opened_although_nothing_can_be_written(
    grants: Grants,
    listeners: Listeners,
    db: Database,
    clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A daemon that starts on a full disk serves its grants, but for those that are over."""
    await made(grants, listeners, expires_in_s=60)
    clock.pass_by(seconds=60)
    later = await made(grants, listeners, expires_in_s=60)
    again = Grants(db, clock)
    monkeypatch.setattr(db._engine, "begin_write", _is_full)

    await again.load(listeners.open)

    assert again.in_force == {later.grant_id}


def _is_full(_connection: object, _at_least: int) -> None:
    raise errors.StorageError("The disk is full.", "Free space.")


async def test_a_grant_is_for_its_scope_and_has_what_it_was_given(
    grants: Grants, listeners: Listeners, db: Database, clock: FixedClock
) -> None:
    """No list of participants goes with it, and another daemon opens it again as it was."""
    created = await made(grants, listeners, GROUP, rights=["write"], expires_in_s=60)
    (grant,) = grants.opened

    assert (created.grant_id, listeners.opened) == (grant.id, [grant.id])
    assert (created.directory, created.socket) == ("/run/d", "/run/d/s")
    assert (created.token, created.tcp) == (msgspec.UNSET, msgspec.UNSET)
    assert (grant.rights, grant.token_hash, grant.holder) == ({"write"}, None, None)
    assert grant.scope == msgspec.structs.replace(GROUP.scope, participants=msgspec.UNSET)
    assert grant.expires_at == clock.now() + 60 * SECOND
    assert created.expires_at == to_text(grant.expires_at)
    assert [one.expires_at for one in grants.opened] == [grant.expires_at]
    assert grants.changed.is_set()
    again = Grants(db, clock)
    await again.load(listeners.open)
    assert again.opened == [grant]
    assert listeners.followed == []
    with pytest.raises(errors.InvalidParams, match="rights"):
        await made(grants, listeners, rights=[])


async def test_a_token_opens_its_grant_alone(
    grants: Grants, listeners: Listeners, db: Database, clock: FixedClock
) -> None:
    """The token is stored nowhere; after the grant's end it opens nothing."""
    first, second = [await made(grants, listeners, token=True) for _ in range(2)]
    assert isinstance(first.token, str)
    assert isinstance(second.token, str)

    assert first.token.startswith("ashtok_")
    assert len(first.token) >= len("ashtok_") + 43
    assert first.tcp == "127.0.0.1:9"
    assert grants.with_token(first.token).id == first.grant_id
    assert grants.with_token(second.token).id == second.grant_id
    await grants.revoke(ANN, RevokeParams(first.grant_id), listeners)
    for wrong in (first.token, second.token[:-1], "", "\ud800"):
        with pytest.raises(errors.Denied):
            grants.with_token(wrong)
    again = Grants(db, clock)
    await again.load(listeners.open)
    assert again.with_token(second.token).id == second.grant_id
    assert again.in_force == {second.grant_id}


def test_wrong_tokens_are_slowed_down() -> None:
    """All wrong tokens share one limit a minute; the error gives the time to wait."""
    attempts = grant_tokens.Attempts()
    at = 100 * MINUTE + 45 * SECOND
    for _ in range(limits.WRONG_TOKENS_PER_MINUTE):
        assert isinstance(attempts.wrong(at), errors.Denied)
    limited = attempts.wrong(at)
    assert isinstance(limited, errors.RateLimited)
    assert limited.data["retry_after_ms"] == 15_000
    assert isinstance(attempts.wrong(101 * MINUTE), errors.Denied)
    assert limits.WRONG_TOKENS_PER_MINUTE == 30


async def test_a_revoked_grant_is_closed_at_once(grants: Grants, listeners: Listeners) -> None:
    """The revocation also affects a caller that already holds the grant."""
    created = await made(grants, listeners)
    (grant,) = grants.opened
    view = (await grants.revoke(ANN, RevokeParams(created.grant_id[:6]), listeners)).grant

    assert (view.state, bool(view.revoked_at)) == ("revoked", True)
    assert (grant.revoked, listeners.closed) == (True, [grant.id])
    assert (grants.opened, grants.in_force) == ([], frozenset())
    again = await grants.revoke(ANN, RevokeParams(created.grant_id), listeners)
    assert again.grant.revoked_at == view.revoked_at
    assert grants.drop("nobody") is None


async def test_a_grant_that_cannot_be_opened_is_none(
    grants: Grants, listeners: Listeners, db: Database
) -> None:
    """A grant needs a socket and, while memory is off, its user in the group."""
    listeners.full = True
    with pytest.raises(errors.InternalError, match="full"):
        await made(grants, listeners)
    listeners.full = False
    off = replace(GROUP, memory_on=False)
    with pytest.raises(errors.Denied, match="switched off"):
        await made(grants, listeners, off)
    assert listeners.closed == listeners.opened
    assert grants.opened == []
    for call in (replace(ANN, memory_on=False), replace(OF_GROUP, memory_on=False)):
        await made(grants, listeners, call)
    assert await db.read(lambda tx: chats.group(tx, "test", "g")) is None
    await db.write(GROUP.enter, scoped=True)
    await made(grants, listeners, off)
    assert len(grants.opened) == 3


async def test_one_socket_that_fails_closes_no_others(
    grants: Grants, listeners: Listeners, db: Database, clock: FixedClock
) -> None:
    """A socket that fails at the daemon's start does not end its grant."""
    await made(grants, listeners)
    listeners.full = True
    again = Grants(db, clock)
    await again.load(listeners.open)

    assert len(again.opened) == 1


async def test_a_turn_is_of_somebody_who_takes_part(grants: Grants, listeners: Listeners) -> None:
    """A turn names a participant, in a group's grant without a user; an empty turn is none."""
    created = await made(grants, listeners, OF_GROUP)
    own = await made(grants, listeners, GROUP)
    (grant, _) = grants.opened

    async def turn(grant_id: str, **fields: Any) -> Turn | None:
        await grants.turn(ANN, TurnParams(grant_id=grant_id, **fields))
        return next(one.turn for one in grants.opened if one.id == grant_id)

    assert await turn(created.grant_id, user_id="bob") == Turn("bob", None, None)
    with pytest.raises(errors.InvalidParams, match="takes no part"):
        await turn(created.grant_id, user_id="eve")
    assert grant.turn == Turn("bob", None, None)
    with pytest.raises(errors.InvalidParams, match="user of its own"):
        await turn(own.grant_id, user_id="ann")
    assert await turn(own.grant_id, message_id="7") == Turn(None, None, "7")
    assert await turn(own.grant_id, session_id="s") == Turn(None, "s", None)
    assert await turn(created.grant_id) is None


async def test_grants_are_listed_page_by_page(
    grants: Grants, listeners: Listeners, db: Database, clock: FixedClock
) -> None:
    """Newest first and each once; the open ones, all, or the one that is named."""
    ids: list[str] = []
    for number in range(5):
        clock.pass_by(seconds=1)
        quota = QuotaParams(writes_per_day=number + 1)
        ids.append((await made(grants, listeners, quota=quota)).grant_id)
    await grants.revoke(ANN, RevokeParams(ids[0]), listeners)
    quotas = Quotas(db, clock, Limits())

    async def pages(**given: Any) -> list[list[str]]:
        cursor, seen = None, []
        while True:
            page = await grant_listing.listed(db, quotas, ListParams(cursor=cursor, **given))
            assert page.total == (5 if given.get("include_closed") else 4)
            seen.append([one.grant_id for one in page.grants])
            if (cursor := page.next_cursor) is None:
                return seen

    newest = [*reversed(ids)]
    assert await pages() == [newest[:4]]
    assert await pages(limit=4) == [newest[:4]]
    assert await pages(limit=3) == [newest[:3], newest[3:4]]
    assert await pages(limit=2, include_closed=True) == [newest[:2], newest[2:4], newest[4:]]
    (one,) = (
        await grant_listing.listed(db, quotas, ListParams(grant_id=ids[0], count=True))
    ).grants
    assert isinstance(one.use, UseView)
    assert (one.state, one.use.quota["writes_per_day"]) == ("revoked", 1)
    assert (one.use.memories, one.use.last_used_on, one.use.used["stored_bytes"]) == (0, None, 0)
    with pytest.raises(errors.InvalidParams):
        await grant_listing.listed(db, quotas, ListParams(cursor="none"))


def test_metadata_has_a_size_and_no_secret() -> None:
    """Counted with its keys, at every depth."""
    assert metadata.encode(None) is None
    assert metadata.encode({"a": {"b": [1, "x"]}}) == '{"a":{"b":[1,"x"]}}'
    overhead = len('{"a":""}')
    assert metadata.encode({"a": "x" * (limits.METADATA_BYTES - overhead)})
    with pytest.raises(errors.TooLarge):
        metadata.encode({"a": "x" * (limits.METADATA_BYTES - overhead + 1)})
    # The object itself, its key and the list are three.
    assert metadata.encode({"a": [0] * (limits.METADATA_VALUES - 3)})
    for value in ({"a": [0] * (limits.METADATA_VALUES - 2)}, {str(n): n for n in range(128)}):
        with pytest.raises(errors.TooLarge, match="keys and values"):
            metadata.encode(value)
    with pytest.raises(errors.ContentRefused):
        metadata.encode({"a": ["ghp_" + "a1B2c3D4e5" * 4]})


class Inner(msgspec.Struct):
    name: str = ""


class Outer(msgspec.Struct):
    inner: Inner
    content: str = ""
    number: int = 0


def test_every_short_text_of_a_call_is_looked_at() -> None:
    """Nested texts are checked too, except those that a method checks itself."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    param_secrets.check(Outer(Inner("Ann"), secret, 7))
    with pytest.raises(errors.ContentRefused):
        param_secrets.check(Outer(Inner(secret)))
    for harmless in ("4539148803436467", "pin: 1", secret * 9):
        param_secrets.check_name(harmless, "name")


async def test_a_grant_that_was_seen_to_expire_stays_so(
    grants: Grants, listeners: Listeners, db: Database, clock: FixedClock
) -> None:
    """By a call or by the next start of the daemon; the clock may go back after it."""
    await made(grants, listeners, expires_in_s=60)
    await made(grants, listeners, expires_in_s=60)
    called, other = grants.opened
    clock.pass_by(days=1)
    with pytest.raises(errors.GrantExpired):
        called.check(clock.now())
    await grants.note_expired(called)
    clock.pass_by(days=-1)

    with pytest.raises(errors.GrantExpired):
        called.check(clock.now())
    other.check(clock.now())
    again = Grants(db, clock)
    await again.load(listeners.open)
    assert again.opened == [other]
    clock.pass_by(days=1)
    await Grants(db, clock).load(listeners.open)
    clock.pass_by(days=-1)
    last = Grants(db, clock)
    await last.load(listeners.open)
    assert last.opened == []
