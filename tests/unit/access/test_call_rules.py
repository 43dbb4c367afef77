"""A call's own rules: its rights, what it costs, whose keys it repeats, and who speaks in it."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from services import FixedClock, call_of

from ashd import errors, limits
from ashd.access.actor import Actor, Call, Peer, Turn
from ashd.store.database import Database

ANN = call_of("ann")
SANDBOX = replace(ANN, actor=Actor("sandbox", "g1", frozenset({"read"}), Peer(7, 8), "rpc"))


def of_nobody(call: Call, **changes: Any) -> Call:
    """The call with a scope that names no user."""
    return replace(call, scope=msgspec.structs.replace(call.scope, user_id=None), **changes)


class Meter:
    """Counts texts up to a limit."""

    def __init__(self, left: int) -> None:
        self.left = left

    def embed(self, texts: int) -> None:
        if texts > self.left:
            raise errors.QuotaExceeded("Used up.", "Wait.")
        self.left -= texts


@pytest.mark.parametrize(
    ("given", "everything", "is_scoped"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_a_call_for_one_scope_names_it_and_does_not_ask_for_all(
    *, given: bool, everything: bool, is_scoped: bool
) -> None:
    call = replace(ANN, scope_given=given, all_scopes=everything)

    assert call.is_scoped is is_scoped


def test_a_right_that_is_lacking_is_named_with_those_to_ask_for() -> None:
    SANDBOX.require("read")

    with pytest.raises(errors.Denied, match="'write'") as refused:
        SANDBOX.require("write")
    assert "--rights read,write" in str(refused.value.hint)


def test_nothing_new_is_stored_while_memory_is_off() -> None:
    ANN.require_memory()

    with pytest.raises(errors.Denied, match="switched off"):
        replace(ANN, memory_on=False).require_memory()


def test_questions_are_embedded_and_counted_until_the_quota_is_used_up() -> None:
    """An operator has no quota, and may occupy the writer as long as needed."""
    meter = Meter(2)
    call = replace(SANDBOX, meter=cast("Any", meter))

    assert [call.may_embed() for _ in range(3)] == [True, True, False]
    assert meter.left == 0
    with pytest.raises(errors.QuotaExceeded):
        call.embeds(1)
    assert ANN.may_embed()
    ANN.embeds(1_000)
    assert call.writer_seconds == limits.WRITER_SECONDS
    assert math.isinf(ANN.writer_seconds)


def test_repeated_calls_are_those_of_one_grant_or_of_one_scope() -> None:
    """The projects that are read make another scope."""
    in_group = call_of("ann", chat_id="g", chat_type="group")
    of_projects = [call_of("ann", project=one) for one in ("*", {"id": "p"}, {"id": "q"})]
    calls = [ANN, call_of("bob"), in_group, *of_projects, SANDBOX]
    spaces = [call.key_space for call in calls]

    assert len(set(spaces)) == len(spaces)
    assert spaces[-1] == "grant:g1"
    assert call_of("ann").key_space == ANN.key_space


@pytest.mark.parametrize(
    ("turn", "session", "message"),
    [
        (None, "own", "m1"),
        (Turn("bob", None, None), "own", "m1"),
        (Turn("bob", "other", None), "other", None),
        (Turn("bob", None, "m2"), None, "m2"),
    ],
)
def test_a_turn_that_names_a_place_is_there_and_not_in_the_grants(
    turn: Turn | None, session: str | None, message: str | None
) -> None:
    call = replace(call_of("ann", session_id="own", message_id="m1"), turn=turn)

    assert (call.session_id, call.message_id) == (session, message)


async def test_a_turns_speaker_is_somebody_who_still_takes_part(tmp_path: Path) -> None:
    """A user who left the chat since the turn was set speaks no more, and a stranger never did."""
    group = {"chat_id": "g", "chat_type": "group"}
    together = call_of("ann", participants=["ann", "bob"], **group)
    anybody = call_of("ann", **group)
    db = Database.open(tmp_path / "ash.db", FixedClock())
    try:
        await db.write(together.enter, scoped=True)

        async def speaker(user: str | None) -> str | None:
            call = of_nobody(anybody, turn=Turn(user, None, None))
            account = await db.read(lambda tx: call.speaker(tx, call.look(tx)))
            return account.user_id if account else None

        assert [await speaker(user) for user in ("bob", "eve", None)] == ["bob", None, None]
        await db.write(call_of("ann", participants=["ann"], **group).enter, scoped=True)
        assert await speaker("bob") is None
    finally:
        db.close()


async def test_an_audit_row_says_who_called_and_for_whom(tmp_path: Path) -> None:
    """The page of the user is told from other operators; a turn's speaker from nobody."""
    web = replace(ANN, actor=replace(ANN.actor, source="web"))
    spoken = of_nobody(SANDBOX, turn=Turn("bob", None, None))
    db = Database.open(tmp_path / "ash.db", FixedClock())
    try:
        for call in (ANN, call_of("bob")):
            await db.write(call.enter, scoped=True)
        for call in (ANN, web, spoken):
            await db.write(call.record, quiet=True)
        rows = await db.read(
            lambda tx: tx.all(
                "select d.actor, d.grant_id, a.user_id, d.peer_pid from audit d"
                " left join accounts a on a.id = d.account order by d.id"
            )
        )
    finally:
        db.close()

    assert rows == [
        ("operator", None, "ann", None),
        ("web", None, "ann", None),
        ("sandbox", "g1", "bob", 7),
    ]
