"""A block is kept while nothing changes that its viewer may see."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from services import FixedClock, call_of

from ashd import config
from ashd.access.actor import Call
from ashd.context import assemble
from ashd.context.assemble import CACHE_SECONDS, SWITCHED_OFF, Context, ContextParams, ContextResult
from ashd.context.given_lines import GivenLines
from ashd.context.overrides import AddParams, Overrides, RemoveParams
from ashd.conversation import echoed_context
from ashd.store import chats, given_lines, people, profiles, watched
from ashd.store.change_tracker import Key
from ashd.store.database import Database, Tx

GROUP = {"chat_id": "g", "chat_type": "group"}


class Counted(Context):
    """Counts how often a block is put together."""

    def __init__(self, db: Database, clock: FixedClock) -> None:
        none = cast("Any", None)
        super().__init__(db, clock, none, none, none, none, none, GivenLines(db), config.Memory())
        self.made = 0

    async def _assemble(
        self, call: Call, _params: ContextParams
    ) -> tuple[ContextResult, frozenset[Key]]:
        self.made += 1
        return SWITCHED_OFF, await self._db.read(lambda tx: watched.keys_of(tx, call.look(tx)))


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    """A database of one's own."""
    opened = Database.open(tmp_path / "a.db", FixedClock())
    yield opened
    opened.close()


async def enter(db: Database, call: Call) -> None:
    """Let the user of a call take part."""
    await db.write(call.enter, scoped=True)


async def test_a_stranger_empties_no_cache(db: Database) -> None:
    """A write in another user's chat leaves a block unchanged; one in the user's own does not."""
    context = Counted(db, FixedClock())
    ann, ben = call_of("ann", **GROUP), call_of("ben")
    await enter(db, ann)
    await enter(db, ben)
    params = ContextParams(message="hello?")

    def told(tx: Tx, by: Call) -> None:
        viewer = by.enter(tx)
        people.insert(
            *(tx,),
            name="Uma",
            named=True,
            created_by=viewer.account,
            learned_in=viewer.chat,
            said_at=tx.now,
        )

    made = []
    for write in (None, ben, None, call_of("cat", **GROUP), None):
        if write is not None:
            await db.write(lambda tx, by=write: told(tx, by), scoped=True)
        await context.get(ann, params)
        made.append(context.made)
    assert [1, 1, 1, 2, 2] == made


async def test_a_fact_pinned_by_a_stranger_empties_no_cache(db: Database) -> None:
    """Nor what they unpin; what the user pins and unpins does."""
    context, pinned = Counted(db, FixedClock()), Overrides(db)
    made = []
    for user in ("ben", "ann"):
        await enter(db, call_of(user))
    await context.get(call_of("ann"), ContextParams(message="hello?"))
    for user in ("ben", "ann"):
        one = await pinned.add(call_of(user), AddParams(content="Vegan."))
        await context.get(call_of("ann"), ContextParams(message="hello?"))
        made.append(context.made)
        await pinned.remove(call_of(user), RemoveParams(one.override.id))
        await context.get(call_of("ann"), ContextParams(message="hello?"))
        made.append(context.made)
    assert [1, 1, 2, 3] == made


async def test_a_new_name_is_a_change_where_it_is_known(db: Database) -> None:
    """The change counts only in chats where the account was met."""
    context = Counted(db, FixedClock())
    ann, ben, zoe = call_of("ann", **GROUP), call_of("ben", **GROUP), call_of("zoe")
    for one in (ann, ben, zoe):
        await enter(db, one)
        await context.get(one, ContextParams(message="hello?"))

    def renamed(tx: Tx) -> None:
        account = chats.account(tx, "test", "ben")
        assert account is not None
        chats.rename_account(tx, account.id, None, "Benjamin")

    await db.write(renamed, scoped=True)
    before = context.made
    await context.get(zoe, ContextParams(message="hello?"))
    assert before == context.made
    await context.get(ann, ContextParams(message="hello?"))
    assert before + 1 == context.made


async def test_a_new_profile_needs_a_new_block(db: Database) -> None:
    """A version that is written is a change for its user, and for nobody else."""
    context = Counted(db, FixedClock())
    ann, ben = call_of("ann"), call_of("ben")
    for one in (ann, ben):
        await enter(db, one)
        await context.get(one, ContextParams(message="hello?"))

    def written(tx: Tx) -> None:
        account = chats.account(tx, "test", "ann")
        assert account is not None
        profiles.insert(
            *(tx,),
            owner=account.id,
            version=1,
            text="Ann keeps bees.",
            notes="",
            source="rpc",
            learned="",
            learned_until=0,
        )

    await db.write(written, scoped=True)
    before = context.made
    await context.get(ben, ContextParams(message="hello?"))
    assert before == context.made
    await context.get(ann, ContextParams(message="hello?"))
    assert before + 1 == context.made


async def test_everybody_is_a_reason_for_the_operator(db: Database) -> None:
    """Any change is a change for a search over all scopes."""
    context = Counted(db, FixedClock())
    operator = call_of("ann", all_scopes=True)
    await context.get(operator, ContextParams(message="hello?"))
    await enter(db, call_of("ben"))
    await context.get(operator, ContextParams(message="hello?"))
    assert 2 == context.made


async def test_a_new_listener_needs_a_new_block(db: Database) -> None:
    """Another audience is another question, even if nothing was stored."""
    context = Counted(db, FixedClock())
    ann = call_of("ann", **GROUP)
    await enter(db, ann)
    await context.get(ann, ContextParams(message="hello?"))
    await enter(db, call_of("zoe", **GROUP))
    await context.get(ann, ContextParams(message="hello?"))
    assert 2 == context.made


async def test_a_block_that_is_too_old_to_be_given_is_not_held(db: Database) -> None:
    """An old block may hold memories that have been erased since."""
    clock = FixedClock()
    context = Counted(db, clock)
    ann = call_of("ann", **GROUP)
    await enter(db, ann)
    for question in ("Where?", "When?"):
        await context.get(ann, ContextParams(message=question))
    assert 2 == len(context._cache)
    clock.pass_by(seconds=CACHE_SECONDS)
    await context.get(ann, ContextParams(message="Who?"))
    assert 1 == len(context._cache)


async def test_the_oldest_block_makes_room(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest blocks are given again without being made."""
    monkeypatch.setattr(assemble, "_CACHED", 2)
    context = Counted(db, FixedClock())
    ann = call_of("ann", **GROUP)
    await enter(db, ann)

    made = []
    for question in ("Where?", "When?", "Who?", "Who?", "When?", "Where?"):
        await context.get(ann, ContextParams(message=question))
        made.append(context.made)

    assert [1, 2, 3, 3, 3, 4] == made


async def test_lines_of_a_block_are_noted_for_its_chat(db: Database) -> None:
    """Whoever repeats them to the daemon tells it nothing new."""
    block = "<memory>\n- [Memory, 2026-05-04] I am allergic to peanuts and to cashews\n</memory>"

    class Made(Counted):
        async def _assemble(
            self, _call: Call, _params: ContextParams
        ) -> tuple[ContextResult, frozenset[Key]]:
            return msgspec.structs.replace(SWITCHED_OFF, text=block), frozenset()

    context, ann = Made(db, FixedClock()), call_of("ann")
    chat = (await db.write(ann.enter, scoped=True)).chat
    assert chat is not None
    await context.get(ann, ContextParams(message="hello?"))
    await context._given.flush()

    digests = echoed_context.lines_given(block)
    assert digests
    assert await db.read(lambda tx: given_lines.known(tx, chat, digests)) == frozenset(digests)


async def test_a_block_of_a_time_to_come_is_made_anew(db: Database) -> None:
    """The clock was set back since: the block would be kept for hours, with a wrong date."""
    clock = FixedClock()
    context = Counted(db, clock)
    call, params = call_of("ann"), ContextParams(message="hello?")
    await context.get(call, params)

    clock.pass_by(seconds=-3600)
    await context.get(call, params)

    assert 2 == context.made
