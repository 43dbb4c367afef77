"""Texts about the user that do not depend on a question, for a person to give to a model.

A host offers them in its own way, as the resources and prompts of MCP, and puts them into a prompt.
So each is fenced like the block, and bounded.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from ashd import limits
from ashd.access.actor import Call
from ashd.config import Memory as Settings
from ashd.context import overrides, render
from ashd.context import sections as made
from ashd.context import tool_answers as answers
from ashd.context.budget import Section, fill
from ashd.context.given_lines import GivenLines
from ashd.conversation import profile
from ashd.memory.conflicts import Conflicts, ConflictsParams
from ashd.memory.model import Memory
from ashd.memory.short_ids import ShortIds
from ashd.store.database import Database, Tx

NO_PINNED: Final = "Nothing is pinned."
NO_PROFILE: Final = "There is no profile to show here."
NO_CONFLICTS: Final = "No memory is known that may no longer hold."
_PAIRS: Final = 10
"""Conflicts that are shown at a time, the likeliest first."""


class KnownTexts:
    """Writes the texts as the caller may see them in this chat and project."""

    def __init__(
        self,
        db: Database,
        conflicts: Conflicts,
        ids: ShortIds,
        given: GivenLines,
        settings: Settings,
    ) -> None:
        self._db = db
        self._conflicts = conflicts
        self._ids = ids
        self._given = given
        tokens = answers.ANSWER_TOKENS
        self._bounds = {
            "overrides": tokens,
            "profile": settings.profile_max_tokens,
            "conflicts": tokens,
        }

    async def pinned(self, call: Call) -> str:
        """Return the pinned facts."""
        section = await self._db.read(partial(_pinned, call=call))
        return await self._told(call, [section]) or NO_PINNED

    async def profile(self, call: Call) -> str:
        """Return the profile of the user; a group has none."""
        section = await self._db.read(partial(_profile, call=call))
        return await self._told(call, [section]) or NO_PROFILE

    async def about_user(self, call: Call) -> str:
        """Return the pinned facts and the profile."""
        sections = await self._db.read(lambda tx: [_pinned(tx, call), _profile(tx, call)])
        return await self._told(call, sections) or f"{NO_PINNED} {NO_PROFILE}"

    async def conflicts(self, call: Call) -> str:
        """Return the likeliest conflicts of memories, and how to settle them."""
        page = await self._conflicts.list(call, ConflictsParams(limit=_PAIRS))
        shown = _once([one for pair in page.conflicts for one in (pair.newer, pair.older)])
        ids = await self._ids.of(call, answers.of_shown(shown))
        how = answers.settling(shown, ids) if "write" in call.actor.rights else []
        left = page.total - len(page.conflicts)
        more = f"({left} more conflicts are shown once these are settled.)" if left else ""
        section = made.conflicts(shown, page.names, ids)
        return await self._told(call, [section], [*how, more]) or NO_CONFLICTS

    async def _told(
        self, call: Call, sections: Sequence[Section], sentences: Sequence[str] = ()
    ) -> str:
        """Return the sections as a block, and our sentences below it; nothing for empty ones."""
        filled = fill(sections, limits.CONTEXT_TOKENS, self._bounds)
        block = render.block([section for section in filled if section.items])
        left_out = sum(why != "in" for section in filled for _, why in section.decisions)
        cut = f"({left_out} more did not fit.)" if left_out else ""
        text = "\n".join(filter(None, [block, cut, *sentences]))
        await self._given.note_answer(call, text)
        return text


def _pinned(tx: Tx, call: Call) -> Section:
    return made.overrides(overrides.for_viewer(tx, call.look(tx)))


def _profile(tx: Tx, call: Call) -> Section:
    return made.profile(profile.text_for(tx, call.look(tx)))


def _once(memories: Sequence[Memory]) -> list[Memory]:
    return list({memory.id: memory for memory in memories}.values())
