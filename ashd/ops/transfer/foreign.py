"""Import the data of another memory system, on behalf of the user whom the call is for.

Facts, messages and relations pass the same checks and judgements as those of any caller, with their
original dates, the oldest first, so that a correction comes after what it corrects. A fact is
recognised by its id in that system, a message by its own.
"""

import itertools
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

import anyio.to_thread
import msgspec

from ashd import errors, limits, validation_messages
from ashd.access.actor import Call
from ashd.conversation import ingest as ingesting
from ashd.conversation.ingest import Ingest, IngestParams
from ashd.graph.edit import EditGraph, EntityParams
from ashd.graph.store_relation import RelateParams
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams, facts_of, prepared
from ashd.memory.model import GivenType
from ashd.ops.transfer.formats import chatgpt, claude, mcp_memory, mem0, osaurus
from ashd.ops.transfer.formats.items import (
    BadItem,
    ConversationItem,
    EntityItem,
    FactItem,
    Item,
    OverrideItem,
    RelationItem,
    SaidItem,
)
from ashd.ops.transfer.tally import Refused, Tally
from ashd.store import transfer
from ashd.store.database import Database

Format = Literal["osaurus", "mem0", "mcp-memory", "chatgpt", "claude"]
_READERS: Final[dict[Format, Callable[[Path, Callable[[int], None]], Iterator[Item]]]] = {
    "osaurus": osaurus.read,
    "mem0": mem0.read,
    "mcp-memory": mcp_memory.read,
    "chatgpt": chatgpt.read,
    "claude": claude.read,
}
_READ_AT_ONCE: Final = 20
_TYPES: Final = {name for part in get_args(GivenType) for name in (get_args(part) or (part,))}


class ForeignImports:
    """Imports files of other memory systems."""

    def __init__(
        self,
        db: Database,
        memories: AddMemory,
        ingest: Ingest,
        graph: EditGraph,
        pin: Callable[[Call, str], Awaitable[bool]],
    ) -> None:
        self._db = db
        self._memories = memories
        self._ingest = ingest
        self._graph = graph
        self._pin = pin

    async def run(
        self,
        call: Call,
        path: Path,
        origin: Format,
        show: Callable[[int], None],
        *,
        dry_run: bool,
    ) -> Tally:
        """Store what is in a file; a dry run checks it.

        Raises:
            errors.InvalidParams: the file cannot be read.
            errors.StorageError: the disk failed; what was stored until then stays.
        """
        call = replace(call, actor=replace(call.actor, source="import"))
        tally, facts = Tally(), list[FactItem]()
        items = _READERS[origin](path, show)
        while some := await anyio.to_thread.run_sync(_next, items):
            for item in some:
                if isinstance(item, FactItem):
                    facts.append(item)
                else:
                    await self._one(call, tally, item, origin, dry_run=dry_run)
        await self._facts(call, tally, facts, origin, dry_run=dry_run)
        return tally

    async def _facts(
        self, call: Call, tally: Tally, facts: list[FactItem], origin: Format, *, dry_run: bool
    ) -> None:
        known = await self._db.read(
            lambda tx: transfer.imported_ids(tx, call.look(tx), origin), seconds=600
        )
        new = []
        for fact in sorted(facts, key=lambda fact: fact.at or ""):
            if fact.identifier and fact.identifier in known:
                tally.count(is_new=False)
            else:
                new.append(fact)
                known.add(fact.identifier)
        for start in range(0, len(new), limits.FACTS_PER_TRANSACTION):
            part = new[start : start + limits.FACTS_PER_TRANSACTION]
            params = AddParams(facts=[_fact(fact, origin) for fact in part])
            if dry_run:
                await anyio.to_thread.run_sync(_check_facts, tally, part, params)
                continue
            added = await self._memories.add(call, params)
            for fact, entry in zip(part, added.memories, strict=True):
                if isinstance(entry.error, dict):
                    tally.refuse(Refused(fact.line, _as_error(entry.error)))
                else:
                    tally.count(is_new=entry.outcome == "added")

    async def _one(
        self, call: Call, tally: Tally, item: Item, origin: Format, *, dry_run: bool
    ) -> None:
        try:
            if isinstance(item, BadItem):
                raise item.error
            if isinstance(item, ConversationItem):
                await self._conversation(call, tally, item, origin, dry_run=dry_run)
            elif dry_run:
                tally.count(is_new=True)
            else:
                tally.count(is_new=await self._store(call, item))
        except errors.StorageError:
            raise
        except errors.AshError as error:
            tally.refuse(Refused(item.line, error))
        except msgspec.ValidationError as error:
            tally.refuse(Refused(item.line, validation_messages.of(error, IngestParams)))

    async def _store(self, call: Call, item: Item) -> bool:
        """Store a part of the graph, or what was pinned; whether it is new."""
        if isinstance(item, EntityItem):
            entity = msgspec.convert({"name": item.name, "type": item.type}, EntityParams)
            return (await self._graph.add_entity(call, entity)).outcome == "added"
        if isinstance(item, RelationItem):
            fields = {name: value for name, value in item._asdict().items() if value}
            del fields["line"]
            relation = msgspec.convert(fields, RelateParams)
            return (await self._graph.relate(call, relation)).outcome != "known"
        assert isinstance(item, OverrideItem)
        if len(item.content) > limits.CONTENT_CHARS:
            raise errors.TooLarge(f"A content has at most {limits.CONTENT_CHARS} characters.")
        return await self._pin(call, item.content)

    async def _conversation(
        self,
        call: Call,
        tally: Tally,
        item: ConversationItem,
        origin: Format,
        *,
        dry_run: bool,
    ) -> None:
        if not item.identifier:
            raise errors.InvalidParams("The conversation has no id.", "Leave it out.")
        messages = [part for said in item.messages for part in _messages(said)]
        for start in range(0, len(messages), limits.MESSAGES_PER_CALL):
            params = msgspec.convert(
                {
                    "conversation_id": f"{origin}:{item.identifier}",
                    "messages": messages[start : start + limits.MESSAGES_PER_CALL],
                    # What was said long ago is nothing that happens now.
                    "skip_extraction": True,
                },
                IngestParams,
            )
            if dry_run:
                taken, refused = await anyio.to_thread.run_sync(ingesting.prepare, params)
                tally.imported += len(taken)
            else:
                result = await self._ingest.ingest(call, params)
                tally.imported += result.ingested
                tally.duplicates += result.duplicates
                refused = result.refused
            for one in refused:
                tally.refuse(Refused(item.line, errors.ContentRefused(one.message)))


def _next(items: Iterator[Item]) -> list[Item]:
    return list(itertools.islice(items, _READ_AT_ONCE))


def _fact(item: FactItem, origin: Format) -> dict[str, Any]:
    """The fact as `memory.add` takes it."""
    fields = {
        "content": item.content,
        "subjects": list(item.subjects),
        "type": item.type if item.type in _TYPES else None,
        "tags": list(item.tags),
        "metadata": {
            **(item.metadata or {}),
            "imported": {"from": origin, "id": item.identifier},
        },
        "observed_at": item.at,
        "valid_until": item.valid_until,
        "expires_at": item.expires_at,
    }
    return {name: value for name, value in fields.items() if value}


def _check_facts(tally: Tally, part: Sequence[FactItem], params: AddParams) -> None:
    for item, fact in zip(part, facts_of(params), strict=True):
        found = prepared(fact)
        if isinstance(found, errors.AshError):
            tally.refuse(Refused(item.line, found))
        else:
            tally.count(is_new=True)


def _messages(said: SaidItem) -> Iterator[dict[str, Any]]:
    """A message as `conversation.ingest` takes it; a very long one in several."""
    for number, start in enumerate(range(0, len(said.content), limits.CONTENT_CHARS), start=1):
        identifier = said.identifier if number == 1 else f"{said.identifier}#{number}"
        fields = {
            "role": said.role,
            "content": said.content[start : start + limits.CONTENT_CHARS],
            "at": said.at,
            "external_id": identifier if said.identifier else None,
        }
        yield {name: value for name, value in fields.items() if value}


def _as_error(error: dict[str, Any]) -> errors.AshError:
    """An error of the wire as the error that it was."""
    kinds = {kind.kind: kind for kind in errors.all_kinds()}
    data = error["data"]
    return kinds[data["kind"]](error["message"], data["hint"])
