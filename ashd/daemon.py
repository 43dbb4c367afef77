"""The life of the daemon: it starts, builds its parts (`build`), serves, and stops.

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
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.abc import TaskGroup

from ashd import config, errors, limits, log
from ashd.access import grant_expiry
from ashd.build import build
from ashd.clock import Clock, SystemClock, new_grant_id
from ashd.config import Places, Settings
from ashd.language import lazy_pattern
from ashd.ops import (
    activation,
    allocator,
    encrypting,
    files,
    locks,
    notify,
    upgrade,
    watchdog,
)
from ashd.ops.progress import Progress
from ashd.ops.reload import Reload
from ashd.ops.supervise import Supervisor
from ashd.ops.system import System
from ashd.prometheus_text import Requests
from ashd.providers.llm_endpoint import preload
from ashd.rpc.app import App
from ashd.rpc.connections import Connections
from ashd.rpc.file_watch import FileWatch
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.server import (
    CONTROL_SOCKET,
    SANDBOX_FOLDER,
    SANDBOX_SOCKET,
    SHARED_FOLDER,
    Server,
)
from ashd.rpc.starting import Starting
from ashd.store import grants
from ashd.store.connection import damaged
from ashd.store.database import Database
from ashd.store.deferred_writes import DeferredWrites

_DRAIN_SECONDS: Final = 15.0
"""Seconds that calls in flight may take once the daemon was asked to stop."""
_SWITCH_SECONDS: Final = 0.0001
"""The interval at which threads switch.

A search waits for the interpreter at each step of its SQL, one interval for every other thread that
computes. Beside six hostile connections it takes three quarters of what it took at half a
millisecond. Where four threads compute at once, switching so often costs up to a tenth of the CPU.
"""
_NEW_OBJECTS: Final = 10_000
"""New objects before a garbage collection of them, which then takes half a millisecond."""


def serve(settings: Settings, places: Places) -> None:
    """Run the daemon until it is asked to stop.

    Raises:
        errors.StartError: it cannot start; the message says why and what to do.
    """
    log.configure(settings.log.level, settings.log.format)
    sys.setswitchinterval(_SWITCH_SECONDS)
    allocator.use_one_arena()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with ExitStack() as held:
        _make_folders(places, settings)
        held.enter_context(locks.hold_database(places.database))
        held.enter_context(locks.hold(locks.of_run_directory(places.run), "run directory"))
        encrypting.unlock(settings, places)
        try:
            anyio.run(_run, settings, places, held, backend_options={"use_uvloop": True})
        except BaseExceptionGroup as group:  # a task group wraps whatever ends it
            raise _start_error(group) or group from None


def _start_error(group: BaseExceptionGroup[BaseException]) -> BaseException | None:
    """Return the reason why the daemon cannot start, if that is what ended the task groups."""
    found: BaseException | None = group.subgroup((errors.StartError, errors.StorageError))
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    if isinstance(found, errors.StorageError):
        return errors.StartError(f"{found.message} {found.hint}")
    return found


def _note_loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception in a callback of the event loop, by its kind: its text may hold content.

    When a connection is dropped just as something arrives for it, anyio resolves a future that was
    cancelled (on uvloop); nobody waits for that future any more, so it is no fault.
    """
    error = context.get("exception")
    write = log.debug if isinstance(error, asyncio.InvalidStateError) else log.error
    write("event_loop_fault", error=type(error).__name__)


async def _run(settings: Settings, places: Places, held: ExitStack) -> None:
    asyncio.get_running_loop().set_exception_handler(_note_loop_fault)
    clock, progress = SystemClock(), Progress()
    outcomes = Outcomes(Requests())
    starting = Starting(clock.now(), config.local_user(), progress)
    opened = Connections(settings.limits)
    server = Server(places.run, config.socket_group(settings), starting, outcomes, opened)
    control = await server.control_listener(activation.control_socket())
    port = settings.sandbox.tcp_port
    tcp = await server.tcp_listener(port) if port is not None else None
    db: Database | None = None
    try:
        # Background work; cancelled only once the last call is answered.
        async with anyio.create_task_group() as background:
            async with anyio.create_task_group() as connections:
                server.serve_control(connections, control)
                opening = anyio.to_thread.run_sync(_open, settings, places, held, clock, progress)
                db = await watchdog.extending_the_start(opening)
                try:
                    app, parts, led = await build(
                        *(db, clock, settings, places, progress, outcomes, opened.configure)
                    )
                except errors.DatabaseDamaged as error:
                    raise errors.StartError(damaged(places.database)) from error
                supervisor = app.services[Supervisor]
                for part in parts:
                    background.start_soon(supervisor.run, type(part).__name__, part.run)
                for part in led:
                    work = partial(app.others.while_leading, part.run)
                    background.start_soon(supervisor.run, type(part).__name__, work)
                server.started(app)
                if tcp is not None:
                    server.serve_tcp(tcp)
                await _serve(app, server, background, places)
                connections.cancel_scope.deadline = anyio.current_time() + _DRAIN_SECONDS
            for part in parts:
                if isinstance(part, DeferredWrites):
                    await part.flush()
            background.cancel_scope.cancel()
        if (llm := app.services[System].llm) is not None:
            await llm.close()
    finally:
        if db is not None:
            await anyio.to_thread.run_sync(db.close)
            log.info("daemon_stopped")


def _open(
    settings: Settings, places: Places, held: ExitStack, clock: Clock, progress: Progress
) -> Database:
    """Open the database, after a backup if it is a file to be upgraded. May take long.

    The lock of a new file is added to what is `held`.
    """
    files.remove_parts(places.database, places.backups)
    storage = settings.storage
    if storage.url is not None:
        password = storage.password_file
        with progress.of("open"):
            return Database.open(
                places.database,
                clock,
                storage.url,
                Path(password).expanduser() if password else None,
            )
    is_new = not places.database.exists()
    upgrade.back_up_before(places.database, clock, progress)
    with progress.of("open"):
        db = Database.open(places.database, clock)
    if is_new:
        try:
            held.enter_context(locks.hold_file(places.database))
        except errors.StartError:
            db.close()
            raise
    upgrade.remove_older(places.database, clock, settings.backup.keep)
    return db


async def _serve(app: App, server: Server, background: TaskGroup, places: Places) -> None:
    """Answer calls until a signal says to stop."""
    supervisor = app.services[Supervisor]
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        await app.grants.load(server.reopen)
        read_again = partial(_read_grants_again, app, server)
        app.others.on(grants.TOPIC, read_again, is_awaited=True)
        server.remove_leftovers(app.grants.in_force)
        expire = partial(grant_expiry.run, app.grants, app.clock, server, app.quotas.forget)
        background.start_soon(supervisor.run, "grant_expiry", expire)
        background.start_soon(supervisor.run, "watchdog", partial(watchdog.feed, app.db))
        watch = FileWatch(server, app.grants, app.db, places.run)
        background.start_soon(supervisor.run, "file_watch", watch.run)
        notify.notify("READY=1")
        log.info("daemon_ready", home=places.home, run=places.run)
        gc.freeze()  # exclude the start's objects, which live as long as the daemon
        # With Python's default, 700, a collection stops every thread for tens of milliseconds.
        gc.set_threshold(_NEW_OBJECTS)
        gc.enable()
        compile_all = partial(lazy_pattern.compile_all, anyio.from_thread.check_cancelled)
        background.start_soon(anyio.to_thread.run_sync, compile_all)
        if app.services[System].llm is not None:
            # Import it now: the first plan of a search has no time for that.
            background.start_soon(anyio.to_thread.run_sync, preload)
        async for number in signals:
            if number != signal.SIGHUP:
                break
            app.services[Reload].on_signal()
        notify.notify("STOPPING=1")
        server.stop()


async def _read_grants_again(app: App, server: Server) -> None:
    """Take over what other daemons on the database did to grants."""
    for grant_id in await app.grants.read_again(server):
        app.quotas.forget(grant_id)


def _make_folders(places: Places, settings: Settings) -> None:
    _check_socket_paths(places.run)
    try:
        for folder in (places.home, places.database.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        places.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not activation.made_run_dir(places.run):
            _make_private(places.run, 0o700 if settings.storage.group is None else 0o710)
        group = config.socket_group(settings)
        if group is not None and places.run.stat().st_gid != group:
            os.chown(places.run, -1, group)
    except OSError as error:
        raise errors.StartError(
            f"{error.filename} cannot be made or used ({error.strerror}). "
            "Check who owns it, or name another place (--home, --run-dir)."
        ) from error


def _make_private(run: Path, mode: int) -> None:
    """Take the run directory for our sockets alone, unless it holds files of others."""
    ours = {CONTROL_SOCKET, SANDBOX_FOLDER, SHARED_FOLDER, locks.of_run_directory(run).name}
    if run.stat().st_mode & 0o077 & ~mode and any(one.name not in ours for one in run.iterdir()):
        raise errors.StartError(
            f"{run} holds other files, and the daemon would close it to everybody else. Name a "
            "directory for its sockets alone (--run-dir)."
        )
    run.chmod(mode)


def _check_socket_paths(run: Path) -> None:
    longest = run / SANDBOX_FOLDER / new_grant_id() / SANDBOX_SOCKET
    if len(os.fsencode(longest)) > limits.SOCKET_PATH_BYTES:
        raise errors.StartError(
            f"The run directory's path is too long: a socket in it would have more than "
            f"{limits.SOCKET_PATH_BYTES} bytes. Name a shorter one (--run-dir)."
        )
