"""Import the data of another memory system, on behalf of the user whom the call is for.

Facts, messages and relations pass the same checks as any caller's, with their original dates,
oldest first. Facts that the other system kept side by side stay so: an imported fact replaces
nothing. A fact and a message are recognised by their ids in that system.
"""

import itertools
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread
import msgspec

from ashd import errors, limits, validation_messages
from ashd.access import quota
from ashd.access.actor import Call
from ashd.conversation import extraction_jobs
from ashd.conversation import ingest as ingesting
from ashd.conversation.ingest import Ingest, IngestParams
from ashd.graph.edit import EditGraph, EntityParams
from ashd.graph.store_relation import RelateParams
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams, facts_of, prepared
from ashd.memory.verdicts import IMPORTED
from ashd.ops.transfer import as_calls, in_step
from ashd.ops.transfer.formats import (
    chatgpt,
    claude,
    mcp_memory,
    mem0,
    notes,
    osaurus,
    plain_lines,
)
from ashd.ops.transfer.formats.items import (
    BadItem,
    ConversationItem,
    EntityItem,
    FactItem,
    Item,
    LeftOut,
    OverrideItem,
    RelationItem,
    SourceItem,
    StoredItem,
)
from ashd.ops.transfer.recognise import OF_FOLDERS, Foreign
from ashd.ops.transfer.tally import Refused, Tally
from ashd.store import transfer
from ashd.store.database import Database
from ashd.wire_times import micros

_READERS: Final[dict[Foreign, Callable[[Path, Callable[[int], None]], Iterator[Item]]]] = {
    "osaurus": osaurus.read,
    "mem0": mem0.read,
    "mcp-memory": mcp_memory.read,
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "notes": notes.read,
    "agent-files": notes.read_of_agents,
    "lines": plain_lines.read,
}

_READ_AT_ONCE: Final = 20
_GONE_AT_ONCE: Final = 50


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
        origin: Foreign,
        show: Callable[[int, int], None],
        *,
        dry_run: bool,
        skip_extraction: bool,
    ) -> Tally:
        """Store the contents of a file; a dry run only checks it.

        A language model reads its conversations later, unless `skip_extraction`.

        Raises:
            errors.InvalidParams: the file cannot be read.
            errors.StorageError: the disk failed; what was stored until then stays.
        """
        call = replace(call, actor=replace(call.actor, source=IMPORTED))
        tally, facts, sources = Tally(), list[FactItem](), list[SourceItem]()
        items = _READERS[origin](path, lambda _: None)
        while some := await anyio.to_thread.run_sync(_next, items):
            for item in some:
                if isinstance(item, FactItem):
                    _collect(tally, facts, item)
                elif isinstance(item, SourceItem):
                    sources.append(item)
                elif isinstance(item, LeftOut):
                    tally.left_out[item.reason] += 1
                else:
                    await self._one(
                        *(call, tally, item, origin),
                        dry_run=dry_run,
                        skip_extraction=skip_extraction,
                    )
                    show(tally.imported, 0)
        if origin in OF_FOLDERS:
            facts = await self._bring_in_step(
                *(call, tally, facts, sources, origin, path), dry_run=dry_run
            )
        await self._facts(call, tally, facts, origin, show, dry_run=dry_run)
        owner = quota.owner_of(call.scope)
        tally.to_be_read = await self._db.read(lambda tx: extraction_jobs.imports_left(tx, owner))
        return tally

    async def _bring_in_step(
        self,
        call: Call,
        tally: Tally,
        facts: list[FactItem],
        sources: list[SourceItem],
        origin: Foreign,
        path: Path,
        *,
        dry_run: bool,
    ) -> list[FactItem]:
        """Archive the memories whose passages went; return the passages that are new."""
        stored = await self._db.read(
            lambda tx: transfer.imported_passages(tx, call.look(tx), origin), seconds=600
        )
        plan = await anyio.to_thread.run_sync(in_step.plan, facts, stored, sources, str(path))
        tally.duplicates += plan.known
        for start in range(0, len(plan.gone), _GONE_AT_ONCE):
            part = plan.gone[start : start + _GONE_AT_ONCE]
            if dry_run:
                tally.archived += len(part)
            else:
                tally.archived += await self._db.write(
                    partial(in_step.archive, call=call, numbers=part)
                )
        return plan.new

    async def _facts(
        self,
        call: Call,
        tally: Tally,
        facts: list[FactItem],
        origin: Foreign,
        show: Callable[[int, int], None],
        *,
        dry_run: bool,
    ) -> None:
        known, now = set[str](), 0
        if origin not in OF_FOLDERS:
            known, now = await self._db.read(
                lambda tx: (transfer.imported_ids(tx, call.look(tx), origin), tx.now), seconds=600
            )
        new = []
        for fact in sorted(facts, key=lambda fact: fact.at or ""):
            if fact.identifier and fact.identifier in known:
                tally.count(is_new=False)
            elif _has_expired(fact, now):
                over = errors.InvalidParams("The memory has expired.", "It is left out.")
                tally.refuse(Refused(fact.line, over, fact.file))
            else:
                new.append(fact)
                known.add(fact.identifier)
        for start in range(0, len(new), limits.FACTS_PER_TRANSACTION):
            part = new[start : start + limits.FACTS_PER_TRANSACTION]
            params = AddParams(facts=[as_calls.fact_of(fact, origin) for fact in part])
            if dry_run:
                await anyio.to_thread.run_sync(_check_facts, tally, part, params)
                continue
            added = await self._memories.add(call, params)
            for fact, entry in zip(part, added.memories, strict=True):
                if isinstance(entry.error, dict):
                    error = as_calls.as_error(entry.error)
                    tally.refuse(Refused(fact.line, error, fact.file))
                else:
                    tally.count(is_new=entry.outcome == "added")
            show(start + len(part), len(new))

    async def _one(
        self,
        call: Call,
        tally: Tally,
        item: StoredItem,
        origin: Foreign,
        *,
        dry_run: bool,
        skip_extraction: bool,
    ) -> None:
        try:
            if isinstance(item, BadItem):
                raise item.error
            if isinstance(item, ConversationItem):
                await self._conversation(
                    *(call, tally, item, origin), dry_run=dry_run, skip_extraction=skip_extraction
                )
            else:
                tally.count(is_new=await self._store(call, item, dry_run=dry_run))
        except errors.StorageError:
            raise
        except errors.AshError as error:
            file = item.file if isinstance(item, BadItem) else ""
            tally.refuse(Refused(item.line, error, file))
        except msgspec.ValidationError as error:
            tally.refuse(Refused(item.line, validation_messages.of(error, IngestParams)))

    async def _store(self, call: Call, item: StoredItem, *, dry_run: bool) -> bool:
        """Store a part of the graph, or a pinned fact; return whether it is new."""
        if isinstance(item, EntityItem):
            entity = msgspec.convert({"name": item.name, "type": item.type}, EntityParams)
            return dry_run or (await self._graph.add_entity(call, entity)).outcome == "added"
        if isinstance(item, RelationItem):
            fields = {name: value for name, value in item._asdict().items() if value}
            del fields["line"]
            relation = msgspec.convert(fields, RelateParams)
            return dry_run or (await self._graph.relate(call, relation)).outcome != "known"
        assert isinstance(item, OverrideItem)
        as_calls.require_short(item.content)
        return dry_run or await self._pin(call, item.content)

    async def _conversation(
        self,
        call: Call,
        tally: Tally,
        item: ConversationItem,
        origin: Foreign,
        *,
        dry_run: bool,
        skip_extraction: bool,
    ) -> None:
        if not item.identifier:
            raise errors.InvalidParams("The conversation has no id.", "Leave it out.")
        messages = [part for said in item.messages for part in as_calls.messages(said)]
        for start in range(0, len(messages), limits.MESSAGES_PER_CALL):
            params = msgspec.convert(
                {
                    "conversation_id": f"{origin}:{item.identifier}",
                    "messages": messages[start : start + limits.MESSAGES_PER_CALL],
                    "skip_extraction": skip_extraction,
                },
                IngestParams,
            )
            if dry_run:
                taken, refused = await anyio.to_thread.run_sync(ingesting.prepare, params)
                tally.imported += len(taken)
            else:
                result = await self._ingest.import_(call, params)
                tally.imported += result.ingested
                tally.duplicates += result.duplicates
                refused = result.refused
            for one in refused:
                tally.refuse(Refused(item.line, errors.ContentRefused(one.message)))


def _collect(tally: Tally, facts: list[FactItem], item: FactItem) -> None:
    """Collect a fact until all are read, so that they can be sorted."""
    if len(facts) >= limits.IMPORT_FACTS:
        raise errors.TooLarge(
            f"A file has at most {limits.IMPORT_FACTS:,} memories; none was stored.", "Split it."
        )
    try:
        as_calls.require_short(item.content)
    except errors.AshError as error:
        tally.refuse(Refused(item.line, error, item.file))
    else:
        facts.append(item)


def _has_expired(fact: FactItem, now: int) -> bool:
    try:
        ends = micros(fact.expires_at, "expires_at", end_of_day=True)
    except errors.InvalidParams:
        return False  # the fact's own check reports it
    return ends is not None and ends <= now


def _next(items: Iterator[Item]) -> list[Item]:
    return list(itertools.islice(items, _READ_AT_ONCE))


def _check_facts(tally: Tally, part: Sequence[FactItem], params: AddParams) -> None:
    for item, fact in zip(part, facts_of(params), strict=True):
        found = prepared(fact)
        if isinstance(found, errors.AshError):
            tally.refuse(Refused(item.line, found, item.file))
        else:
            tally.count(is_new=True)
