"""Texts that a person gives to a model are noted as the block is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from services import FixedClock, call_of

from ashd.config import Memory as Settings
from ashd.context.given_lines import GivenLines
from ashd.context.known_texts import NO_CONFLICTS, NO_PINNED, NO_PROFILE, KnownTexts
from ashd.context.overrides import AddParams, Overrides
from ashd.conversation import echoed_context
from ashd.memory.conflicts import Conflicts
from ashd.memory.short_ids import ShortIds
from ashd.store import given_lines
from ashd.store.database import Database


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    found = Database.open(tmp_path / "a.db", FixedClock())
    yield found
    found.close()


def texts_of(db: Database, given: GivenLines) -> KnownTexts:
    return KnownTexts(db, Conflicts(db), ShortIds(db), given, Settings())


async def test_lines_that_were_given_are_recognised_when_they_come_back(db: Database) -> None:
    """Without that, a model would learn pinned facts anew from a turn that repeats them."""
    call, given = call_of("ann"), GivenLines(db)
    await Overrides(db).add(call, AddParams(content="I am allergic to peanuts"))

    text = await texts_of(db, given).about_user(call)
    await given.flush()

    digests = echoed_context.lines_given(text)
    chat = await db.read(lambda tx: call.look(tx).chat)
    assert len(digests) == 1
    assert "did not fit" not in text
    assert await db.read(lambda tx: given_lines.known(tx, chat, digests)) == digests


async def test_only_a_text_without_lines_says_that_there_is_nothing(db: Database) -> None:
    call = call_of("ann")
    known = texts_of(db, GivenLines(db))
    assert await known.pinned(call) == NO_PINNED
    assert await known.profile(call) == NO_PROFILE
    assert await known.about_user(call) == f"{NO_PINNED} {NO_PROFILE}"
    assert await known.conflicts(call) == NO_CONFLICTS

    await Overrides(db).add(call, AddParams(content="I am allergic to peanuts"))

    assert "peanuts" in await known.pinned(call)
    assert "peanuts" in await known.about_user(call)
