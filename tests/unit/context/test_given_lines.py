"""Lines that went into prompts are noted beside the calls, whatever is erased meanwhile."""

from pathlib import Path

from services import FixedClock, call_of

from ashd.context.given_lines import GivenLines
from ashd.conversation import echoed_context
from ashd.store import given_lines
from ashd.store.database import Database

BLOCK = "<memory>\n- [Memory, 2026-05-04] I am allergic to peanuts and to cashews\n</memory>"


async def test_a_chat_that_was_erased_costs_no_other_its_lines(tmp_path: Path) -> None:
    """An erased chat's own lines go nowhere, and nothing fails."""
    db = Database.open(tmp_path / "a.db", FixedClock())
    try:
        chat = (await db.write(call_of("ann").enter, scoped=True)).chat
        assert chat is not None
        given = GivenLines(db)
        given.note(chat + 1_000, BLOCK)
        given.note(chat, BLOCK)

        await given.flush()

        digests = echoed_context.lines_given(BLOCK)
        assert digests
        noted = await db.read(lambda tx: given_lines.known(tx, chat, digests))
        assert noted == frozenset(digests)
    finally:
        db.close()


async def test_a_clock_in_doubt_makes_no_line_old(tmp_path: Path) -> None:
    """A clock that went ahead by months removes them only once it is trusted."""
    clock = FixedClock()
    db = Database.open(tmp_path / "a.db", clock)
    digests = echoed_context.lines_given(BLOCK)
    known = []
    try:
        chat = (await db.write(call_of("ann").enter, scoped=True)).chat
        await db.write(lambda tx: given_lines.note(tx, [(chat or 0, one) for one in digests]))
        clock.pass_by(days=100)
        for doubt in (True, False):
            db.clock_in_doubt = doubt
            await db.write(lambda tx: given_lines.note(tx, []))
            known.append(len(await db.read(lambda tx: given_lines.known(tx, chat, digests))))
    finally:
        db.close()

    assert [len(digests), 0] == known
