"""Texts that a person gives to a model are noted as the block is."""

from pathlib import Path

from services import FixedClock, call_of

from ashd.config import Memory as Settings
from ashd.context.given_lines import GivenLines
from ashd.context.known_texts import KnownTexts
from ashd.context.overrides import AddParams, Overrides
from ashd.conversation import echoed_context
from ashd.memory.conflicts import Conflicts
from ashd.memory.short_ids import ShortIds
from ashd.store import given_lines
from ashd.store.database import Database


async def test_lines_that_were_given_are_recognised_when_they_come_back(tmp_path: Path) -> None:
    """Without that, a model would learn pinned facts anew from a turn that repeats them."""
    db = Database.open(tmp_path / "a.db", FixedClock())
    try:
        call, given = call_of("ann"), GivenLines(db)
        await Overrides(db).add(call, AddParams(content="I am allergic to peanuts"))
        known = KnownTexts(db, Conflicts(db), ShortIds(db), given, Settings())

        text = await known.about_user(call)
        await given.flush()

        digests = echoed_context.lines_given(text)
        chat = await db.read(lambda tx: call.look(tx).chat)
        assert len(digests) == 1
        assert "did not fit" not in text
        assert await db.read(lambda tx: given_lines.known(tx, chat, digests)) == digests
    finally:
        db.close()
