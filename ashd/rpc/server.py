"""The listeners: the control socket, one socket per grant in its own directory, one for all tokens.

What must hold: no exception leaves a connection (it would end the server); a stop lets calls in
flight finish; closing a grant drops its connections at once.
"""

import os
import socket
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final, Literal

import anyio
from anyio.abc import Listener, SocketListener, SocketStream, TaskGroup

from ashd import errors, log
from ashd.access import actor as calls
from ashd.access import holder_process
from ashd.access.actor import Actor, Call, Peer
from ashd.access.grant_views import RevokeParams
from ashd.access.grants import Grant, GrantListeners
from ashd.access.holder_process import HolderProcess
from ashd.rpc import decoding, dispatch, envelope, grant_directories
from ashd.rpc.app import App, Session
from ashd.rpc.connections import CONTROL, SHARED, TCP, Connections
from ashd.rpc.framing import Frames
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.peer import connection_of, peer_of
from ashd.rpc.starting import Starting

CONTROL_SOCKET: Final = "ashd.sock"
SANDBOX_FOLDER: Final = "sandbox"
SANDBOX_SOCKET: Final = "rpc.sock"
SHARED_FOLDER: Final = "token"
"""Names of listeners; those of grants are their ids, which begin with another letter."""
_LOOPBACK: Final = "127.0.0.1"
_ACCEPT_AGAIN_SECONDS: Final = 0.1


class Server:
    """All listeners of the daemon."""

    def __init__(
        self,
        run_dir: Path,
        group: int | None,
        starting: Starting,
        outcomes: Outcomes,
        connections: Connections,
    ) -> None:
        self._run_dir = run_dir
        self._group = group
        self._starting = starting
        self._outcomes = outcomes
        self._app: App | None = None
        """None while the daemon starts."""
        self._tasks: TaskGroup | None = None
        self._listeners: dict[str, anyio.CancelScope] = {}
        self._closed: dict[str, anyio.Event] = {}
        self._control_path = run_dir / CONTROL_SOCKET
        self._connections = connections
        self._following: dict[str, anyio.CancelScope] = {}
        """The watches on the processes of grants."""
        self._starved: set[str] = set()
        """The listeners whose last attempt to accept a connection failed."""
        self.tcp_address: str | None = None
        self._reading: set[anyio.CancelScope] = set()
        self._stopping = False

    async def control_listener(self, listening: socket.socket | None) -> SocketListener:
        """Make the control socket, or take the one that systemd passed.

        Raises:
            errors.StartError: it cannot be made; the message says why and what to do.
        """
        if listening is not None:
            self._control_path = Path(listening.getsockname())
            self._starting.be_waited_for()
            return await SocketListener.from_socket(listening)
        try:
            return await self._make_control()
        except OSError as error:
            raise errors.StartError(
                f"{self._control_path} cannot be made ({error.strerror}). "
                "Take away what stands there, or name another place (--run-dir)."
            ) from error

    async def _make_control(self) -> SocketListener:
        mode = 0o600 if self._group is None else 0o660
        listener = await anyio.create_unix_listener(self._control_path, mode=mode)
        self._give_to_group(self._control_path)
        return listener

    async def renew(self, grants: Iterable[Grant]) -> None:
        """Make deleted sockets again; existing connections go on.

        Raises:
            OSError: one cannot be made.
        """
        assert self._tasks is not None
        if not self._control_path.is_socket():
            log.warning("socket_missing", listener=CONTROL)
            await self._unlisten(CONTROL)
            self._make_run_dir()
            self.serve_control(self._tasks, await self._make_control())
        for grant in grants:
            place, directory = self._place_of(grant)
            if place in self._listeners and not (directory / SANDBOX_SOCKET).is_socket():
                log.warning("socket_missing", listener=place)
                await self._unlisten(place)
                await self.open(grant)

    def _place_of(self, grant: Grant) -> tuple[str, Path]:
        """Return the key of a grant's listener, and the directory of its socket."""
        if grant.token_hash is None:
            return grant.id, self._run_dir / SANDBOX_FOLDER / grant.id
        return SHARED, self._run_dir / SHARED_FOLDER

    async def _unlisten(self, place: str) -> None:
        """Close a listener and wait for that, since closing removes its file by name."""
        self._listeners.pop(place).cancel()
        await self._closed.pop(place).wait()

    def _make_run_dir(self) -> None:
        self._run_dir.mkdir(mode=0o700 if self._group is None else 0o710, exist_ok=True)
        if self._group is not None:
            os.chown(self._run_dir, -1, self._group)

    def serve_control(self, tasks: TaskGroup, listener: SocketListener) -> None:
        """Answer on the control socket; until `started`, that the daemon starts."""
        self._tasks = tasks
        self._serve(CONTROL, listener, "control", None)

    def started(self, app: App) -> None:
        """Answer calls with these parts; from now on grants' sockets can be opened too."""
        self._app = app
        self._starting.end(app)

    async def tcp_listener(self, port: int) -> Listener[SocketStream]:
        """Open the loopback port for sandboxes that cannot reach a socket file.

        Raises:
            errors.StartError: the port cannot be had.
        """
        try:
            listener = await anyio.create_tcp_listener(local_host=_LOOPBACK, local_port=port)
        except OSError as error:
            raise errors.StartError(
                f"Port {port} of {_LOOPBACK} cannot be opened ({error.strerror}). "
                "Stop what uses it, or name another ([sandbox] tcp_port)."
            ) from error
        self.tcp_address = f"{_LOOPBACK}:{port}"
        return listener

    def serve_tcp(self, listener: Listener[SocketStream]) -> None:
        """Serve connections with tokens over TCP."""
        self._serve(TCP, listener, "sandbox", None)

    async def open(self, grant: Grant) -> tuple[Path, Path]:
        """Open a grant's socket; return (directory to mount, socket in it).

        A grant with a token has none of its own: it uses the socket that all tokens share.
        """
        if grant.token_hash is None:
            self._make_run_dir()
            parent = self._run_dir / SANDBOX_FOLDER
            parent.mkdir(mode=0o700, exist_ok=True)
            # Whoever can reach the control socket may open any grant, and so may mount it.
            parent.chmod(0o700 | stat.S_IMODE(self._run_dir.stat().st_mode) & stat.S_IXGRP)
            return await self._open(parent / grant.id, grant.id, grant)
        directory = self._run_dir / SHARED_FOLDER
        if SHARED in self._listeners:
            return directory, directory / SANDBOX_SOCKET
        return await self._open(directory, SHARED, None)

    async def reopen(self, grant: Grant) -> None:
        """Open the socket of a grant of an earlier run, unless its process has ended since.

        A process on another machine is that machine's daemon's to follow.
        """
        assert self._app is not None
        holder = grant.holder
        if holder is not None and self._app.db.is_shared and not holder.is_here:
            holder = None
        if holder is not None and holder_process.has_ended(holder):
            await _revoke_for_holder(self._app, self, grant, holder)
            return
        await self.open(grant)
        if holder is not None:
            self.follow(grant, holder)

    def follow(self, grant: Grant, holder: HolderProcess) -> None:
        """Revoke a grant once its process has ended."""
        assert self._tasks is not None
        scope = self._following[grant.id] = anyio.CancelScope()

        async def watch() -> None:
            assert self._app is not None
            with scope:
                await holder_process.wait_for_end(holder)
                # The revocation closes the grant's socket, which must not cancel this watch.
                self._following.pop(grant.id, None)
                await _revoke_for_holder(self._app, self, grant, holder)

        self._tasks.start_soon(watch)

    async def _open(self, directory: Path, place: str, grant: Grant | None) -> tuple[Path, Path]:
        grant_directories.make(directory)
        path = directory / SANDBOX_SOCKET
        # Whoever can reach the directory has the grant; the parent directory guards it on the host.
        listener = await anyio.create_unix_listener(path, mode=0o666)
        self._serve(place, listener, "sandbox", grant)
        return directory, path

    async def close(self, grant_id: str) -> None:
        """Close a grant's socket, drop its connections and stop watching its process."""
        following = self._following.pop(grant_id, None)
        if following is not None:
            following.cancel()
        self._starved.discard(grant_id)
        self._closed.pop(grant_id, None)
        scope = self._listeners.pop(grant_id, None)
        if scope is not None:
            scope.cancel()
        self._connections.drop(grant_id)
        grant_directories.remove(self._run_dir / SANDBOX_FOLDER / grant_id, SANDBOX_SOCKET)

    def remove_leftovers(self, in_force: Collection[str]) -> None:
        """Remove the directories of grants that ended while no daemon ran."""
        grant_directories.remove_others(self._run_dir / SANDBOX_FOLDER, SANDBOX_SOCKET, in_force)

    def stop(self) -> None:
        """Accept no more connections or calls; those in flight finish."""
        self._stopping = True
        for scope in (*self._listeners.values(), *self._following.values()):
            scope.cancel()
        for scope in self._reading:
            scope.cancel()

    def _serve(
        self,
        place: str,
        listener: Listener[SocketStream],
        kind: Literal["control", "sandbox"],
        grant: Grant | None,
    ) -> None:
        assert self._tasks is not None
        tasks = self._tasks
        scope = anyio.CancelScope()
        self._listeners[place] = scope
        closed = self._closed[place] = anyio.Event()

        async def accept(stream: SocketStream) -> None:
            self._starved.discard(place)
            await self._connection(stream, place, kind, grant)

        async def serve() -> None:
            while True:
                try:
                    await listener.serve(accept, task_group=tasks)
                except (anyio.BrokenResourceError, OSError) as error:
                    # No file descriptor is left: clients wait until one is free.
                    if place not in self._starved:
                        reason = str(error.__cause__ or error)
                        log.warning("accept_failed", listener=place, reason=reason)
                    self._starved.add(place)
                    await anyio.sleep(_ACCEPT_AGAIN_SECONDS)

        async def listen() -> None:
            try:
                with scope:
                    async with listener:
                        await serve()
            finally:
                closed.set()

        tasks.start_soon(listen)

    async def _connection(
        self,
        stream: SocketStream,
        place: str,
        kind: Literal["control", "sandbox"],
        grant: Grant | None,
    ) -> None:
        bounds = self._connections.limits_of(place)
        with anyio.CancelScope() as scope:
            connection = connection_of(stream)
            session = Session(kind, place, bounds, scope, peer_of(stream), self, connection, grant)
            try:
                async with stream:
                    frames = Frames(stream, bounds)
                    try:
                        self._connections.enter(place, session)
                    except errors.RateLimited as error:
                        if self._app is not None:
                            await dispatch.record_turned_away(self._app, session, error)
                        await frames.send(self._refuse(session, error, None))
                    else:
                        await self._talk(frames, session)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                pass  # the client hung up
            except Exception as fault:  # noqa: BLE001  one connection must not end the server
                self._outcomes.faulted(session.caller, decoding.UNKNOWN, fault)
            finally:
                self._connections.leave(session.place, scope)

    def admit(self, session: Session, grant: Grant) -> None:
        """Bind the connection to its token's grant.

        Raises:
            errors.RateLimited: the grant has as many as it may have.
        """
        unknown = session.place
        session.limits = self._connections.limits_of(grant.id)
        self._connections.enter(grant.id, session)
        self._connections.leave(unknown, session.scope)
        session.grant = grant

    async def _talk(self, frames: Frames, session: Session) -> None:
        while True:
            try:
                frame = await self._next(frames)
            except errors.AshError as error:
                if session.meter is not None:
                    session.meter.received(frames.limits.request_bytes)
                await frames.send(self._refuse(session, error, None))
                return
            if frame is None:
                return
            if not frame.strip():
                await _pause(session)
                continue
            if self._stopping:
                stopping = errors.ShuttingDown("The daemon is stopping.")
                reply: bytes | None = self._refuse(session, stopping, envelope.leading_id(frame))
            elif self._app is None:
                reply = await self._starting.reply_to(session, frame)
            else:
                reply = await dispatch.reply_to(self._app, session, frame)
            if reply is None:
                await _pause(session)
            elif not await frames.send(reply):
                return
            if session.listener == "sandbox" and session.grant is None:
                return  # it showed no token, and gets no second try
            frames.limits = session.limits  # connections with a token may be more

    def _refuse(self, session: Session, error: errors.AshError, identifier: Any) -> bytes:
        self._outcomes.refused(session.caller, decoding.UNKNOWN, error.kind)
        return envelope.encode(envelope.error_reply(error, identifier))

    async def _next(self, frames: Frames) -> bytes | None:
        """Return the next frame; while stopping, only one that has arrived already."""
        if not self._stopping:
            with anyio.CancelScope() as scope:
                self._reading.add(scope)
                try:
                    return await frames.next()
                finally:
                    self._reading.discard(scope)
        return frames.buffered()

    def _give_to_group(self, path: Path) -> None:
        if self._group is not None and path.stat().st_gid != self._group:
            os.chown(path, -1, self._group)


async def _pause(session: Session) -> None:
    """Let others go on after a frame that gets no answer; a sandbox cannot send thousands of them.

    Each costs the event loop little, but a loop that is never idle starves the worker threads,
    which need Python's lock, and with them everybody's searches.
    """
    await anyio.sleep(0.01 if session.listener == "sandbox" else 0)


async def _revoke_for_holder(
    app: App, listeners: GrantListeners, grant: Grant, holder: HolderProcess
) -> None:
    """Revoke a grant on behalf of its process; in the audit it is that process's call."""
    # Even if the row cannot be changed, nobody may call through it any more.
    grant.revoked = True
    call = Call(
        actor=Actor("operator", None, frozenset(), Peer(holder.pid, None), "rpc"),
        scope=grant.scope,
        all_scopes=False,
        turn=None,
        method="grant.revoke",
        digest=calls.digest(app.audit_key, "grant.revoke", {"grant_id": grant.id}),
        memory_on=app.memory_on,
    )
    try:
        await app.grants.revoke(call, RevokeParams(grant.id), listeners)
    except errors.AshError as error:
        log.error("grant_not_revoked", grant=grant.id, reason=error.kind)
        await listeners.close(grant.id)
    app.quotas.forget(grant.id)
