"""The composition root: builds every part in order, runs it, takes it down. The one that knows all.

Up: settings, lock, database, services, sockets, ready. Down on SIGTERM or SIGINT: sockets, calls
in flight, counters, checkpoint, lock.
"""

import asyncio
import gc
import os
import resource
import signal
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from ashd import config, errors, limits, log
from ashd.access import grant_expiry, sensitivity
from ashd.access.denials import Denials
from ashd.access.grants import Grants
from ashd.access.usage import Quotas
from ashd.clock import Clock, SystemClock, new_grant_id
from ashd.config import Places, Settings
from ashd.context.assemble import Context
from ashd.context.given import GivenLines
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
from ashd.extraction.explicit import ExtractMemory
from ashd.extraction.extract import Extraction
from ashd.graph.edit import EditGraph
from ashd.graph.search import GraphSearch
from ashd.jobs.manage import Jobs
from ashd.jobs.queue import Queue
from ashd.memory import conflict_jobs
from ashd.memory.access_counts import AccessCounts
from ashd.memory.add import AddMemory
from ashd.memory.conflict_jobs import JudgeConflicts
from ashd.memory.late_judging import LateJudging
from ashd.memory.read import ReadMemory
from ashd.memory.search import SearchMemory
from ashd.memory.supersede import SupersedeMemory
from ashd.memory.undo_identification import UndoIdentification
from ashd.memory.update import UpdateMemory
from ashd.metrics import Requests
from ashd.ops import activation, locks, notify, upgrade, watchdog
from ashd.ops.audit import Audit
from ashd.ops.backup import Backups
from ashd.ops.checkup import Checkup
from ashd.ops.cleanup import Cleanup
from ashd.ops.clear import Clear
from ashd.ops.doctor import Doctor
from ashd.ops.erase import Erase
from ashd.ops.erasing import Erasing
from ashd.ops.forget import Forget
from ashd.ops.llm_usage import LlmUsage
from ashd.ops.metrics import Metrics
from ashd.ops.progress import Progress
from ashd.ops.reload import Reload
from ashd.ops.supervise import Supervisor
from ashd.ops.transfer.export import Exports
from ashd.ops.transfer.foreign import ForeignImports
from ashd.ops.transfer.imports import Imports
from ashd.ops.withdraw import Withdraw
from ashd.people.accounts import Accounts
from ashd.people.directory import PeopleDirectory
from ashd.people.duplicates import Duplicates
from ashd.people.edit import EditPeople
from ashd.people.merge import MergePeople
from ashd.people.participation import Participation
from ashd.providers import registry
from ashd.providers.embedder import Embedder
from ashd.providers.llm import LanguageModel
from ashd.providers.llm_endpoint import preload
from ashd.rpc.app import App
from ashd.rpc.file_watch import FileWatch
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.server import SANDBOX_FOLDER, SANDBOX_SOCKET, Server
from ashd.rpc.starting import Starting
from ashd.search.embeddings import Embeddings
from ashd.search.engine import Engine
from ashd.store import meta
from ashd.store.connection import damaged
from ashd.store.database import Database
from ashd.store.deferred_writes import DeferredWrites

_DRAIN_SECONDS: Final = 15.0
"""Seconds that calls in flight may take once the daemon was asked to stop."""
_SWITCH_SECONDS: Final = 0.001
"""How long a thread may go on computing while another waits to: a reply needs several turns."""


def serve(settings: Settings, places: Places) -> None:
    """Run the daemon until it is asked to stop.

    Raises:
        errors.StartError: it cannot start; the message says why and what to do.
    """
    log.configure(settings.log.level, settings.log.format)
    sys.setswitchinterval(_SWITCH_SECONDS)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with ExitStack() as held:
        _make_folders(places, settings)
        held.enter_context(locks.hold(locks.of_database(places.database), "database"))
        held.enter_context(locks.hold(places.run / "ashd.lock", "run directory"))
        try:
            anyio.run(_run, settings, places, backend_options={"use_uvloop": True})
        except BaseExceptionGroup as group:  # a task group wraps whatever ends it
            raise _start_error(group) or group from None


def _start_error(group: BaseExceptionGroup[BaseException]) -> BaseException | None:
    """Return the reason why the daemon cannot start, if that is what ended the task groups."""
    found: BaseException | None = group.subgroup(errors.StartError)
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found


def _note_loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what a callback of the event loop raised, by its kind: its text may hold content.

    A connection that is dropped just as something arrives for it makes anyio resolve a future that
    was cancelled (on uvloop); nobody waits for that any more, so it is no fault.
    """
    error = context.get("exception")
    write = log.debug if isinstance(error, asyncio.InvalidStateError) else log.error
    write("event_loop_fault", error=type(error).__name__)


async def _run(settings: Settings, places: Places) -> None:
    asyncio.get_running_loop().set_exception_handler(_note_loop_fault)
    clock, progress = SystemClock(), Progress()
    outcomes = Outcomes(Requests())
    starting = Starting(clock.now(), config.local_user(), progress)
    server = Server(places.run, config.socket_group(settings), starting, outcomes)
    control = await server.control_listener(activation.control_socket())
    port = settings.sandbox.tcp_port
    tcp = await server.tcp_listener(port) if port is not None else None
    db: Database | None = None
    try:
        # Work beside the calls; cancelled only once the last call was answered.
        async with anyio.create_task_group() as background:
            async with anyio.create_task_group() as connections:
                server.serve_control(connections, control)
                db = await anyio.to_thread.run_sync(_open, places, clock, progress)
                try:
                    app, parts = await _build(db, clock, settings, places, progress, outcomes)
                except errors.DatabaseDamaged as error:
                    raise errors.StartError(damaged(places.database)) from error
                except errors.StorageError as error:
                    raise errors.StartError(f"{error.message} {error.hint}") from error
                for part in parts:
                    background.start_soon(app.supervisor.run, type(part).__name__, part.run)
                server.started(app)
                if tcp is not None:
                    server.serve_tcp(tcp)
                await _serve(app, server, background, places)
                connections.cancel_scope.deadline = anyio.current_time() + _DRAIN_SECONDS
            for part in parts:
                if isinstance(part, DeferredWrites):
                    await part.flush()
            background.cancel_scope.cancel()
        if app.llm is not None:
            await app.llm.close()
    finally:
        if db is not None:
            await anyio.to_thread.run_sync(db.close)
            log.info("daemon_stopped")


def _open(places: Places, clock: Clock, progress: Progress) -> Database:
    """Open the database; a backup comes before an upgrade. May take long."""
    upgrade.back_up_before(places.database, clock, progress)
    with progress.of("open"):
        return Database.open(places.database, clock)


class _Background(Protocol):
    """A part of the daemon that works beside the calls."""

    async def run(self) -> None:
        """Work for as long as the daemon runs."""
        ...


async def _build(
    db: Database,
    clock: Clock,
    settings: Settings,
    places: Places,
    progress: Progress,
    outcomes: Outcomes,
) -> tuple[App, list[_Background]]:
    """Put the parts together; those that work beside the calls by themselves."""
    embeddings = Embeddings(
        db,
        partial(_load_embedder, settings, places),
        is_configured=settings.embedding.provider != "auto",
    )
    llm_usage = LlmUsage(db, clock)
    await llm_usage.load()
    llm = LanguageModel(settings.llm, llm_usage) if settings.llm.model else None
    accesses = AccessCounts(db, memory_on=settings.memory.enabled)
    quotas = Quotas(db, clock, settings.limits)
    engine = Engine(db)
    recall = SearchMemory(db, embeddings, engine, accesses)
    turns = SearchConversations(db, embeddings, engine)
    summaries = Summaries(db, embeddings, engine)
    queue = Queue(db, clock)
    remember = AddMemory(
        db,
        embeddings,
        max_entries=settings.memory.max_entries,
        wake_judge=queue.wake if llm is not None else None,
    )
    late_judging = LateJudging(db, embeddings)
    graph_search = GraphSearch(db)
    directory = PeopleDirectory(db)
    summarising = Summarising(db, queue, embeddings, llm, settings.memory)
    profile_jobs = ProfileJobs(db, queue, llm, settings.memory)
    followers: list[Follower] = [summarising]
    extraction = None
    if llm is not None:
        stated = profile_jobs.statements_stored
        extraction = Extraction(db, embeddings, remember, llm, settings.memory, stated)
        queue.register(extraction_jobs.KIND, extraction)
        queue.register(conflict_jobs.KIND, JudgeConflicts(db, llm))
        if settings.memory.extraction_enabled:
            followers.insert(0, ExtractionJobs(settings.memory))
    given = GivenLines(db)
    ingest = Ingest(db, embeddings, followers, queue.wake)
    overrides, graph = Overrides(db), EditGraph(db)
    foreign = ForeignImports(db, remember, ingest, graph, overrides.pin)
    checkup = Checkup(db, clock, embeddings, progress)
    backups = Backups(db, clock, places.backups, settings.backup, progress, mend=checkup.mend)
    grants = Grants(db, clock)
    erasing = Erasing(db, backups, progress)
    cleanup = Cleanup(erasing, settings.memory, progress)
    app = App(
        clock=clock,
        db=db,
        audit_key=await db.write(meta.audit_key),
        local_user=config.local_user(),
        embeddings=embeddings,
        llm=llm,
        llm_usage=llm_usage,
        remember=remember,
        extract=ExtractMemory(db, queue, extraction),
        recall=recall,
        read=ReadMemory(db, accesses),
        change=UpdateMemory(db, embeddings),
        supersede=SupersedeMemory(db),
        ingest=ingest,
        turns=turns,
        summaries=summaries,
        recall_all=SearchAll(recall, turns, summaries),
        context=Context(db, clock, recall, turns, summaries, directory, Planner(llm), given),
        conversations=Conversations(db),
        accounts=Accounts(db),
        directory=directory,
        identification=UndoIdentification(db),
        manage=EditPeople(db),
        joining=MergePeople(db),
        duplicates=Duplicates(db),
        participation=Participation(db),
        grants=grants,
        denials=Denials(db),
        audit=Audit(db),
        backups=backups,
        exports=Exports(db, clock, progress),
        imports=Imports(db, clock, embeddings, foreign, progress),
        progress=progress,
        erase=Erase(erasing, grants, quotas),
        forget=Forget(erasing),
        clear=Clear(erasing, grants, quotas),
        cleanup=cleanup,
        withdraw=Withdraw(db, embeddings, progress),
        metrics=Metrics(db, embeddings, llm_usage, places.database, outcomes.requests),
        outcomes=outcomes,
        quotas=quotas,
        overrides=overrides,
        profiles=Profiles(db, settings.memory.profile_max_tokens),
        profile_jobs=profile_jobs,
        graph=graph,
        graph_search=graph_search,
        tools=Tools(remember, recall, turns, summaries, graph_search, given),
        queue=queue,
        jobs=Jobs(db, queue),
        memory_on=settings.memory.enabled,
        started_at=clock.now(),
        protected=config.protected(settings, places),
        doctor=Doctor(db, places, checkup, embeddings),
        reload=Reload(settings, places, quotas, llm),
        supervisor=Supervisor(),
    )
    parts: list[_Background] = [embeddings, late_judging, accesses, quotas, llm_usage, backups]
    parts += [cleanup, checkup, given, outcomes]
    if settings.memory.enabled:
        parts += [queue, Retention(db, settings.memory)]
        if llm is not None:
            parts.append(LeftOver(db, queue, profile_jobs))
    return app, parts


async def _serve(app: App, server: Server, background: TaskGroup, places: Places) -> None:
    """Answer calls until a signal says to stop."""
    supervisor = app.supervisor
    load = partial(anyio.to_thread.run_sync, sensitivity.load)
    background.start_soon(supervisor.run, "sensitivity", load)
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        await app.grants.load(server.reopen)
        server.remove_leftovers(app.grants.in_force)
        expire = partial(grant_expiry.run, app.grants, app.clock, server, app.quotas.forget)
        background.start_soon(supervisor.run, "grant_expiry", expire)
        background.start_soon(supervisor.run, "watchdog", partial(watchdog.feed, app.db))
        watch = FileWatch(server, app.grants, places.database, places.run, app.db.health)
        background.start_soon(supervisor.run, "file_watch", watch.run)
        notify.notify("READY=1")
        log.info("daemon_ready", home=places.home, run=places.run)
        gc.freeze()  # the start's own objects stay for good: no collection looks at them again
        gc.enable()
        if app.llm is not None:  # the first plan of a search has no time for the import
            background.start_soon(anyio.to_thread.run_sync, preload)
        async for number in signals:
            if number != signal.SIGHUP:
                break
            app.reload.on_signal()
        notify.notify("STOPPING=1")
        server.stop()


def _load_embedder(
    settings: Settings, places: Places, provider: str | None, stored_model: str | None
) -> Embedder | None:
    wanted = settings.embedding
    return registry.load(
        registry.checked(provider or wanted.provider),
        models_dir=places.models,
        stored_model=stored_model,
        base_url=wanted.base_url,
        model=wanted.model,
        api_key_file=Path(wanted.api_key_file) if wanted.api_key_file else None,
    )


def _make_folders(places: Places, settings: Settings) -> None:
    _check_socket_paths(places.run)
    try:
        for folder in (places.home, places.database.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        places.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not activation.made_run_dir(places.run):
            places.run.chmod(0o700 if settings.storage.group is None else 0o710)
        group = config.socket_group(settings)
        if group is not None and places.run.stat().st_gid != group:
            os.chown(places.run, -1, group)
    except OSError as error:
        raise errors.StartError(
            f"{error.filename} cannot be made or used ({error.strerror}). "
            "Check who owns it, or name another place (--home, --run-dir)."
        ) from error


def _check_socket_paths(run: Path) -> None:
    longest = run / SANDBOX_FOLDER / new_grant_id() / SANDBOX_SOCKET
    if len(os.fsencode(longest)) > limits.SOCKET_PATH_BYTES:
        raise errors.StartError(
            f"The run directory's path is too long: a socket in it would have more than "
            f"{limits.SOCKET_PATH_BYTES} bytes. Name a shorter one (--run-dir)."
        )
