"""The composition root: every part of the daemon is made here, once its database is open."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from ashd import config, protected_paths
from ashd.access.denials import Denials
from ashd.access.gateway_keys import GatewayKeys
from ashd.access.grants import Grants
from ashd.access.list_audit import Looks
from ashd.access.usage import Quotas
from ashd.clock import Clock
from ashd.config import Places, Settings
from ashd.context.assemble import Context
from ashd.context.forgetting import Forgetting
from ashd.context.given_lines import GivenLines
from ashd.context.known_texts import KnownTexts
from ashd.context.overrides import Overrides
from ashd.context.planner import Planner
from ashd.context.search_all import SearchAll
from ashd.context.tools import Tools
from ashd.conversation import extraction_jobs
from ashd.conversation.extraction_jobs import ExtractionJobs
from ashd.conversation.ingest import Follower, Ingest
from ashd.conversation.left_over import LeftOver
from ashd.conversation.profile import Profiles
from ashd.conversation.profile_jobs import ProfileJobs
from ashd.conversation.read import Conversations
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import Summaries
from ashd.conversation.summary_jobs import Retention, Summarising
from ashd.erasure.cleanup import Cleanup
from ashd.erasure.engine import Erasing
from ashd.erasure.erase import Erase
from ashd.erasure.forget import Forget
from ashd.erasure.withdraw import Withdraw
from ashd.extraction import trial
from ashd.extraction.explicit import ExtractMemory
from ashd.extraction.extract import Extraction
from ashd.graph.edit import EditGraph
from ashd.graph.search import GraphSearch
from ashd.jobs.manage import Jobs
from ashd.jobs.queue import Queue
from ashd.language import text_caches
from ashd.memory import conflict_jobs, status_changes
from ashd.memory.access_counts import AccessCounts
from ashd.memory.add import AddMemory
from ashd.memory.conflict_jobs import JudgeConflicts
from ashd.memory.conflicts import Conflicts
from ashd.memory.late_judging import LateJudging
from ashd.memory.projects import Projects
from ashd.memory.read import ReadMemory
from ashd.memory.search import SearchMemory
from ashd.memory.short_ids import ShortIds
from ashd.memory.supersede import SupersedeMemory
from ashd.memory.undo_identification import UndoIdentification
from ashd.memory.update import UpdateMemory
from ashd.ops import allocator
from ashd.ops.audit import Audit
from ashd.ops.backup import Backups
from ashd.ops.checkup import Checkup
from ashd.ops.clock_watch import ClockWatch
from ashd.ops.current_warnings import CurrentWarnings
from ashd.ops.doctor import Doctor
from ashd.ops.llm_usage import LlmUsage
from ashd.ops.metrics import Metrics
from ashd.ops.other_daemons import OtherDaemons
from ashd.ops.progress import Progress
from ashd.ops.reload import Reload
from ashd.ops.supervise import Supervisor
from ashd.ops.system import System
from ashd.ops.transfer.export import Exports
from ashd.ops.transfer.foreign import ForeignImports
from ashd.ops.transfer.imports import Imports
from ashd.people.accounts import Accounts
from ashd.people.directory import PeopleDirectory
from ashd.people.duplicates import Duplicates
from ashd.people.edit import EditPeople
from ashd.people.merge import MergePeople
from ashd.people.participation import Participation
from ashd.prometheus_text import ModelCalls
from ashd.providers import registry
from ashd.providers.embedder import Embedder
from ashd.providers.llm import LanguageModel
from ashd.rpc.app import App, Services
from ashd.rpc.outcomes import Outcomes
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.store import embeddings as vectors
from ashd.store import meta
from ashd.store.database import Database
from ashd.store.erasure import traces
from ashd.store.erasure.traces import TraceRemoval


class Background(Protocol):
    """A part of the daemon that works in the background."""

    async def run(self) -> None:
        """Work for as long as the daemon runs."""
        ...


async def build(
    db: Database,
    clock: Clock,
    settings: Settings,
    places: Places,
    progress: Progress,
    outcomes: Outcomes,
    limit_connections: Callable[[config.Limits], None],
) -> tuple[App, list[Background], list[Background]]:
    """Build the parts and connect them; also returns those that work in the background.

    The last ones work only at the daemon that leads all others on its database.
    `limit_connections` gets the limits that a reload changes.
    """
    embeddings = CurrentEmbedder(
        db,
        partial(_load_embedder, settings, places),
        is_configured=settings.embedding.provider != "auto",
    )
    llm_usage = LlmUsage(db, clock)
    await llm_usage.load()
    model_calls = ModelCalls()
    llm = LanguageModel(settings.llm, llm_usage, calls=model_calls) if settings.llm.model else None
    accesses = AccessCounts(db, memory_on=settings.memory.enabled)
    quotas = Quotas(db, clock, settings.limits)
    engine = Engine(db, settings.memory.temporal_decay_half_life_days)
    recall = SearchMemory(db, embeddings, engine, accesses)
    turns = SearchConversations(db, embeddings, engine)
    summaries = Summaries(db, embeddings, engine)
    queue = Queue(db, clock, *([llm.ask_again] if llm is not None else []))
    late_judging = LateJudging(
        db,
        embeddings,
        ask_model=conflict_jobs.put if llm is not None else None,
        wake_model=queue.wake,
    )
    remember = AddMemory(
        db,
        embeddings,
        max_entries=settings.memory.max_entries,
        wake_judge=queue.wake if llm is not None else None,
        judge_later=late_judging.wake,
    )
    graph_search, directory = GraphSearch(db), PeopleDirectory(db)
    summarising = Summarising(db, queue, embeddings, llm, settings.memory)
    profile_jobs = ProfileJobs(db, queue, llm, settings.memory)
    followers: list[Follower] = [summarising]
    extraction = None
    if llm is not None:
        stated = profile_jobs.statements_stored
        extraction = Extraction(db, embeddings, remember, llm, settings.memory, stated)
        queue.register(extraction_jobs.KIND, extraction)
        queue.register(
            conflict_jobs.KIND, JudgeConflicts(db, llm, may_replace=settings.llm.may_replace)
        )
        if settings.memory.extraction_enabled:
            followers.insert(0, ExtractionJobs(settings.memory))
    ingest = Ingest(db, embeddings, followers, queue.wake)
    given, overrides, graph = GivenLines(db), Overrides(db), EditGraph(db)
    foreign = ForeignImports(db, remember, ingest, graph, overrides.pin)
    checkup = Checkup(db, clock, embeddings, progress)
    backups = Backups(db, clock, places.backups, settings.backup, progress, mend=checkup.mend)
    grants = Grants(db, clock)
    planner = Planner(llm)
    context = Context(
        *(db, clock, recall, turns, summaries, directory, planner, given, settings.memory)
    )
    caches: list[Callable[[], None]] = [
        *(text_caches.empty, planner.forget, context.forget),
        partial(embeddings.holders.clear, ()),
    ]
    others = _others(db, embeddings, caches)
    supervisor, clock_watch = Supervisor(), await ClockWatch.started(db, clock)
    removal = TraceRemoval(db, caches, await db.read(traces.left))
    erasing = Erasing(db, backups, progress, removal)
    cleanup = Cleanup(erasing, settings.memory, progress, clock_watch)
    warnings = CurrentWarnings(db, embeddings, llm, queue, backups, supervisor)
    services = Services(
        db,
        embeddings,
        llm_usage,
        remember,
        ExtractMemory(db, queue, extraction),
        recall,
        ReadMemory(db, accesses, engine),
        UpdateMemory(db, embeddings, late_judging.wake),
        SupersedeMemory(db),
        Conflicts(db),
        ingest,
        turns,
        summaries,
        summarising,
        SearchAll(recall, turns, summaries),
        context,
        Conversations(db, removal),
        Accounts(db),
        directory,
        UndoIdentification(db),
        EditPeople(db),
        MergePeople(db, status_changes.part_accounts, late_judging.wake),
        Duplicates(db),
        Projects(db),
        Participation(db),
        grants,
        await GatewayKeys.in_place(db, places.home),
        quotas,
        Audit(db),
        backups,
        Exports(db, clock, progress, backups),
        Imports(db, clock, embeddings, foreign, progress),
        Erase(erasing, grants, quotas),
        Forget(erasing),
        cleanup,
        Withdraw(db, embeddings, progress),
        model_calls,
        Metrics(
            *(db, embeddings, engine, llm_usage, model_calls, outcomes.requests),
            *(warnings, backups, grants),
        ),
        overrides,
        Profiles(db, settings.memory.profile_max_tokens),
        profile_jobs,
        graph,
        graph_search,
        Tools(
            *(remember, recall, turns, summaries, graph_search),
            Forgetting(
                *(recall, UpdateMemory(db, embeddings), ReadMemory(db, accesses, engine)),
                *(ShortIds(db), config.local_user()),
            ),
            *(ShortIds(db), given),
        ),
        KnownTexts(db, Conflicts(db), ShortIds(db), given, settings.memory),
        Jobs(db, queue),
        Doctor(
            *(db, places, checkup, embeddings, warnings, clock_watch, progress),
            _trial(llm, clock, settings.memory),
        ),
        Reload(settings, places, [quotas.configure, limit_connections], llm),
        supervisor,
        System(
            started_at=clock.now(),
            protected=protected_paths.protected(settings, places),
            db=db,
            embeddings=embeddings,
            llm=llm,
            llm_usage=llm_usage,
            warnings=warnings,
            progress=progress,
        ),
    )
    app = App(
        clock=clock,
        db=db,
        audit_key=await db.write(meta.audit_key),
        local_user=config.local_user(),
        memory_on=settings.memory.enabled,
        grants=grants,
        quotas=quotas,
        denials=Denials(db),
        looks=Looks(db),
        others=others,
        outcomes=outcomes,
        services=services,
    )
    parts: list[Background] = [
        *(others, embeddings, late_judging, accesses, quotas, llm_usage, backups),
        *(clock_watch, removal, given, outcomes),
    ]
    led: list[Background] = [cleanup, checkup]
    if settings.memory.enabled:
        parts.append(queue)
        left_over = [LeftOver(db, queue, profile_jobs)] if llm is not None else []
        led += [Retention(db, settings.memory), *left_over]
    return app, parts, led


def _others(
    db: Database, embeddings: CurrentEmbedder, caches: Sequence[Callable[[], None]]
) -> OtherDaemons:
    """Return what follows the other daemons; `caches` are functions that each empty one."""

    async def empty() -> None:
        for empty_one in caches:
            empty_one()

    others = OtherDaemons(db)
    others.on(vectors.TOPIC, embeddings.read_again)
    others.on(traces.TOPIC, empty)
    return others


def _trial(
    llm: LanguageModel | None, clock: Clock, settings: config.Memory
) -> Callable[[], Awaitable[trial.Fault | None]] | None:
    """Return the trial of the language model; with memory switched off it is sent nothing."""
    if llm is None or not settings.enabled:
        return None
    return partial(trial.fault_of, llm, clock, settings.extraction_confidence_threshold)


def _load_embedder(
    settings: Settings, places: Places, provider: str | None, stored_model: str | None
) -> Embedder | None:
    wanted = settings.embedding
    embedder = registry.load(
        registry.checked(provider or wanted.provider),
        models_dir=places.models,
        stored_model=stored_model,
        base_url=wanted.base_url,
        model=wanted.model,
        api_key_file=Path(wanted.api_key_file) if wanted.api_key_file else None,
    )
    allocator.give_back()
    return embedder
