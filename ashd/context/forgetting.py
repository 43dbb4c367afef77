"""The tool `forget`: delete the one memory that is meant, which the person can undo.

A guess deletes nothing: if the words fit several memories, or none well, they are listed with their
ids instead.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.context import sections as made
from ashd.context import tool_answers as answers
from ashd.context.render import line
from ashd.memory import search as memories
from ashd.memory.archive import DeleteParams, DeleteResult
from ashd.memory.model import MemoryId
from ashd.memory.read import GetParams, ReadMemory
from ashd.memory.search import SearchMemory
from ashd.memory.search_results import Result
from ashd.memory.short_ids import ShortIds
from ashd.memory.update import UpdateMemory

_FOUND: Final = 10
_OFFERED: Final = 3
_ASKED: Final = re.compile(
    r"\W*(?:please\s+)?forget\s+(?:that\s+|about\s+)?(?P<what>\S.*)", re.IGNORECASE | re.DOTALL
)
"""A sentence that asks to forget, in English."""


class ForgetArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `forget`; exactly one of the two."""

    query: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)] | None = None
    id: MemoryId | None = None


class Forgetting:
    """Finds the memory that is meant, and deletes it."""

    def __init__(
        self,
        recall: SearchMemory,
        memory: UpdateMemory,
        read: ReadMemory,
        ids: ShortIds,
        local_user: str,
    ) -> None:
        self._local_user = local_user
        self._recall = recall
        self._memory = memory
        self._read = read
        self._ids = ids

    async def forget(
        self, call: Call, arguments: ForgetArguments
    ) -> tuple[str, DeleteResult | None]:
        """Return the answer, and the result if a memory was deleted.

        Raises:
            errors.InvalidParams, errors.NotFound, errors.Ambiguous, errors.Denied
        """
        if (arguments.query is None) == (arguments.id is None):
            raise errors.InvalidParams(
                "Give exactly one of query and id.", "id is as an answer gave it."
            )
        memory_id = arguments.id
        if arguments.query is not None:
            call.require("read")
            found, fitting = await self._candidates(call, arguments.query)
            said_again = [one for result in fitting for one in result.repeats]
            if len(fitting) != 1 or said_again:
                return await self._listed(call, found, fitting), None
            memory_id = fitting[0].memory.id
        assert memory_id is not None
        deleted = await self._memory.delete(call, DeleteParams(memory_id))
        return await self._told(call, deleted), deleted

    async def offer(self, call: Call, told: str, new: Sequence[str]) -> tuple[list[str], str]:
        """Return how to forget what a sentence asks to forget, which was stored as told.

        That is lines of the memories that it may mean, and what to do; nothing for other sentences.
        `new` are the ids of the memories that hold the sentence itself.
        """
        asked = _ASKED.fullmatch(told.strip())
        if asked is None:
            return [], ""
        if "forget" not in call.actor.rights:
            how = "It was stored as told; nothing is deleted. The user can: `ash memory delete`."
            return [], how
        fitting: list[Result] = []
        if "read" in call.actor.rights:
            _, fitting = await self._candidates(call, asked["what"][: limits.QUERY_CHARS])
            fitting = [one for one in fitting if one.memory.id not in new][:_OFFERED]
        ids = await self._ids.of(call, answers.of_found(fitting))
        lines = [item.text for item in made.memories(fitting, ids=ids).items]
        how = "To delete a memory, call forget with its id."
        return lines, f"It was stored as told; nothing is deleted. {how}"

    async def _candidates(self, call: Call, query: str) -> tuple[list[Result], list[Result]]:
        """Return what was found, and what of it fits well."""
        found = await self._recall.search(call, memories.SearchParams(query=query, limit=_FOUND))
        return found.results, [one for one in found.results if not one.weak]

    async def _listed(self, call: Call, found: list[Result], fitting: list[Result]) -> str:
        again = [one for result in fitting for one in result.repeats]
        ids = await self._ids.of(call, [*answers.of_found(found), *again])
        why = "Nothing was forgotten: more than one memory fits." if fitting else ""
        why = why or "Nothing was forgotten: none fits well." if found else ""
        how = "Call forget with the id of each that is meant." if found else ""
        alike = f"The same in other words: {', '.join(ids[one] for one in again)}." if again else ""
        return answers.listed(made.memories(fitting or found, ids=ids), [why, alike, how])

    async def _told(self, call: Call, deleted: DeleteResult) -> str:
        shown = [("Forgotten", deleted.memory)]
        if "read" in call.actor.rights:
            for one in deleted.reactivated:
                active = await self._read.get(call, GetParams(id=one))
                shown.append(("Active again", active.memory))
        ids = await self._ids.of(call, [memory.id for _, memory in shown])
        short = ids[deleted.memory.id]
        lines = [
            line(memory.content, made.memory_label(memory, [], ids, kind)) for kind, memory in shown
        ]
        ash = " ".join(filter(None, ("ash", call.scope.options(self._local_user))))
        undo = f"The user can undo this: `{ash} memory restore {short}`."
        return answers.fenced(lines, [undo])
