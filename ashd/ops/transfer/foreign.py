"""Import the data of another memory system, on behalf of the user whom the call is for.

Facts, messages and relations pass the same checks as any caller's, with their original dates,
oldest first. Facts that the other system kept side by side stay so: an imported fact replaces
nothing. A fact and a message are recognised by their ids in that system.
"""

import itertools
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread
import msgspec

from ashd import ended_calls, errors, limits, validation_messages
from ashd.access import quota
from ashd.access import scope as scopes
from ashd.access.actor import Call
from ashd.access.scope import Scope
from ashd.conversation import extraction_jobs
from ashd.conversation import ingest as ingesting
from ashd.conversation.ingest import Ingest, IngestParams
from ashd.graph.edit import EditGraph, EntityParams
from ashd.graph.store_relation import RelateParams
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams, facts_of, prepared
from ashd.memory.verdicts import IMPORTED
from ashd.ops.transfer import as_calls, in_step, secret_blocks
from ashd.ops.transfer.formats import (
    chatgpt,
    claude,
    letta,
    mcp_memory,
    mem0,
    notes,
    osaurus,
    plain_lines,
    zep,
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
)
from ashd.ops.transfer.recognise import OF_FOLDERS, Foreign
from ashd.ops.transfer.tally import Refused, Tally
from ashd.store import transfer
from ashd.store.database import Database
from ashd.store.transfer import ImportedPassage
from ashd.wire_times import micros

_READERS: Final[dict[Foreign, Callable[[Path], Iterator[Item]]]] = {
    "osaurus": osaurus.read,
    "mem0": mem0.read,
    "mcp-memory": mcp_memory.read,
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "letta": letta.read,
    "zep": zep.read,
    "notes": notes.read,
    "agent-files": notes.read_of_agents,
    "lines": plain_lines.read,
}

_READ_AT_ONCE: Final = 20
_GONE_AT_ONCE: Final = 50


@dataclass(slots=True)
class Work:
    """An import: whose it is, what it reads, and the outcome so far."""

    call: Call
    path: Path
    origin: Foreign
    dry_run: bool
    skip_extraction: bool
    """Whether no language model reads its conversations later."""
    show: Callable[[int, int], None]
    is_stopped: Callable[[], bool]
    """Whether the import is to stop storing."""
    total: int = 0
    """The number of records in the file, each counted once it is stored or refused."""
    tally: Tally = field(default_factory=Tally)
    facts: list[FactItem] = field(default_factory=list)
    """Collected until all are read, so that they can be sorted."""
    sources: list[SourceItem] = field(default_factory=list)

    def report(self) -> None:
        """Show how many records are done."""
        done = self.tally.imported + self.tally.duplicates + self.tally.refused_count
        self.show(done, max(self.total, done))


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

    async def run(self, work: Work) -> Tally:
        """Store the contents of a file; a dry run only checks it.

        Raises:
            errors.InvalidParams: the file cannot be read.
            errors.StorageError: the disk failed; what was stored until then stays.
        """
        work.call = replace(work.call, actor=replace(work.call.actor, source=IMPORTED))
        read = _READERS[work.origin]
        work.total = await anyio.to_thread.run_sync(_count, read(work.path))
        items = read(work.path)
        while some := await anyio.to_thread.run_sync(_next, items):
            for item in some:
                if work.is_stopped():
                    return work.tally
                await self._one(work, item)
                work.report()
        if work.origin in OF_FOLDERS:
            await self._bring_in_step(work)
        for user, facts in _by_user(work.facts):
            try:
                of_user = work if user is None else replace(work, call=_as_user(work, user))
            except errors.AshError as error:
                for fact in facts:
                    work.tally.refuse(_refused(fact, error))
            else:
                await self._facts(of_user, facts)
        owner = quota.owner_of(work.call.scope)
        work.tally.to_be_read = await self._db.read(
            lambda tx: extraction_jobs.imports_left(tx, owner)
        )
        return work.tally

    async def _bring_in_step(self, work: Work) -> None:
        """Archive the memories whose passages went; leave the passages that are new."""
        call, tally = work.call, work.tally
        stored = await self._db.read(
            lambda tx: transfer.imported_passages(tx, call.look(tx), work.origin), seconds=600
        )
        facts, refused = await anyio.to_thread.run_sync(_without_secrets, work.facts, stored)
        for item in refused:
            tally.refuse(_refused(item, item.error))
        plan = await anyio.to_thread.run_sync(
            in_step.plan, facts, stored, work.sources, str(work.path)
        )
        tally.duplicates += plan.known
        for start in range(0, len(plan.gone), _GONE_AT_ONCE):
            part = plan.gone[start : start + _GONE_AT_ONCE]
            if work.dry_run:
                tally.archived += len(part)
            else:
                tally.archived += await self._db.write(
                    partial(in_step.archive, call=call, numbers=part)
                )
        work.facts = plan.new

    async def _facts(self, work: Work, facts: Sequence[FactItem]) -> None:
        call, tally, origin = work.call, work.tally, work.origin
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
            if work.is_stopped():
                return
            part = new[start : start + limits.FACTS_PER_TRANSACTION]
            params = AddParams(facts=[as_calls.fact_of(fact, origin) for fact in part])
            if work.dry_run:
                await anyio.to_thread.run_sync(_check_facts, tally, part, params)
                continue
            added = await self._memories.add(call, params)
            for fact, entry in zip(part, added.memories, strict=True):
                if isinstance(entry.error, dict):
                    error = as_calls.as_error(entry.error)
                    tally.refuse(Refused(fact.line, error, fact.file))
                else:
                    tally.count(is_new=entry.outcome == "added")
            work.report()

    async def _one(self, work: Work, item: Item) -> None:
        """Store an item, count it, or collect it for later."""
        tally = work.tally
        try:
            if isinstance(item, BadItem):
                raise item.error
            if isinstance(item, FactItem):
                _collect(work, item)
            elif isinstance(item, SourceItem):
                work.sources.append(item)
            elif isinstance(item, LeftOut):
                tally.left_out[item.reason] += item.number
            elif isinstance(item, ConversationItem):
                await self._conversation(work, item)
            else:
                tally.count(is_new=await self._store(work.call, item, dry_run=work.dry_run))
        except errors.StorageError:
            raise
        except errors.AshError as error:
            tally.refuse(_refused(item, error))
        except msgspec.ValidationError as error:
            tally.refuse(_refused(item, validation_messages.of(error, IngestParams)))

    async def _store(
        self, call: Call, item: EntityItem | RelationItem | OverrideItem, *, dry_run: bool
    ) -> bool:
        """Store a part of the graph, or a pinned fact; return whether it is new."""
        if isinstance(item, EntityItem):
            entity = msgspec.convert({"name": item.name, "type": item.type}, EntityParams)
            return dry_run or (await self._graph.add_entity(call, entity)).outcome == "added"
        if isinstance(item, RelationItem):
            fields = {name: value for name, value in item._asdict().items() if value}
            del fields["line"]
            relation = msgspec.convert(fields, RelateParams)
            return dry_run or (await self._graph.relate(call, relation)).outcome != "known"
        as_calls.require_short(item.content)
        return dry_run or await self._pin(call, item.content)

    async def _conversation(self, work: Work, item: ConversationItem) -> None:
        tally = work.tally
        if not item.identifier:
            raise errors.InvalidParams("The conversation has no id.", "Leave it out.")
        messages = [part for said in item.messages for part in as_calls.messages(said)]
        for start in range(0, len(messages), limits.MESSAGES_PER_CALL):
            params = msgspec.convert(
                {
                    "conversation_id": f"{work.origin}:{item.identifier}",
                    "title": item.title[: limits.NAME_CHARS] or None,
                    "messages": messages[start : start + limits.MESSAGES_PER_CALL],
                    "skip_extraction": work.skip_extraction,
                },
                IngestParams,
            )
            if work.dry_run:
                taken, refused = await anyio.to_thread.run_sync(ingesting.prepare, params)
                tally.imported += len(taken)
            else:
                result = await self._ingest.import_(work.call, params)
                tally.imported += result.ingested
                tally.duplicates += result.duplicates
                refused = result.refused
            for one in refused:
                tally.refuse(_refused(item, errors.ContentRefused(one.message)))
            work.report()


def _collect(work: Work, item: FactItem) -> None:
    """Collect a fact until all are read."""
    if len(work.facts) >= limits.IMPORT_FACTS:
        raise errors.TooLarge(
            f"A file has at most {limits.IMPORT_FACTS:,} memories; none was stored.", "Split it."
        )
    as_calls.require_short(item.content)
    work.facts.append(item)


def _without_secrets(
    facts: Sequence[FactItem], stored: Collection[ImportedPassage]
) -> tuple[list[FactItem], list[BadItem]]:
    """Part the facts that hold a secret from what is refused; a stored one holds none."""
    known = {one.identifier for one in stored}
    kept, refused = list[FactItem](), list[BadItem]()
    for fact in ended_calls.while_wanted(facts):
        for item in (fact,) if fact.identifier in known else secret_blocks.parted(fact):
            if isinstance(item, BadItem):
                refused.append(item)
            else:
                kept.append(item)
    return kept, refused


def _refused(item: Item, error: errors.AshError) -> Refused:
    file = item.file if isinstance(item, BadItem | FactItem) else ""
    line = 0 if isinstance(item, LeftOut | SourceItem) else item.line
    return Refused(line, error, file)


def _by_user(facts: Sequence[FactItem]) -> Iterator[tuple[str | None, list[FactItem]]]:
    """Yield the facts of each user, and those of None, the caller: all, if they have one user."""
    users = sorted({fact.user for fact in facts if fact.user})
    if len(users) <= 1:
        yield None, list(facts)
        return
    yield None, [fact for fact in facts if not fact.user]
    for user in users:
        yield user, [fact for fact in facts if fact.user == user]


def _as_user(work: Work, user: str) -> Call:
    """Return the call on behalf of another system's user, who has an account of that name here.

    Raises:
        errors.InvalidParams, errors.ContentRefused: no account can have that name.
    """
    try:
        scope = msgspec.convert({"provider": work.origin, "user_id": user}, Scope)
    except msgspec.ValidationError as error:
        raise validation_messages.of(error, Scope) from error
    return replace(work.call, scope=scopes.check(scope))


def _count(items: Iterator[Item]) -> int:
    """Return the number of records to store or refuse."""
    count = 0
    for item in ended_calls.while_wanted(items):
        if isinstance(item, ConversationItem):
            count += len(item.messages)
        elif not isinstance(item, LeftOut | SourceItem):
            count += 1
    return count


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
