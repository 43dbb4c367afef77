"""Listens: the control socket, and one socket a grant in a directory of its own.

What must hold: no exception leaves a connection (it would end the server); a stop lets calls in
flight finish; closing a grant drops its connections at once.
"""

import os
import socket
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream, TaskGroup

from ashd import errors, limits, log
from ashd.access.call import Peer
from ashd.access.grants import Grant
from ashd.limits import SocketLimits
from ashd.rpc import dispatch, envelope
from ashd.rpc.app import App, Session
from ashd.rpc.framing import Frames

CONTROL_SOCKET: Final = "ashd.sock"
SANDBOX_FOLDER: Final = "sandbox"
SANDBOX_SOCKET: Final = "rpc.sock"
_CREDENTIALS: Final = struct.Struct("3i")


class Server:
    """All doors of the daemon."""

    def __init__(self, run_dir: Path, group: int | None) -> None:
        self._run_dir = run_dir
        self._group = group
        self._app: App | None = None
        self._tasks: TaskGroup | None = None
        self._listeners: dict[str | None, anyio.CancelScope] = {}
        self._connections: Counter[str | None] = Counter()
        self._of_grant: dict[str, set[anyio.CancelScope]] = {}
        self._reading: set[anyio.CancelScope] = set()
        self._stopping = False

    async def control_listener(self, listening: socket.socket | None) -> SocketListener:
        """Make the control socket, or take the one that systemd holds.

        Raises:
            errors.StartError: it cannot be made; the message says why and what to do.
        """
        if listening is not None:
            return await SocketListener.from_socket(listening)
        path = self._run_dir / CONTROL_SOCKET
        mode = 0o600 if self._group is None else 0o660
        try:
            listener = await anyio.create_unix_listener(path, mode=mode)
            self._give_to_group(path)
        except OSError as error:
            raise errors.StartError(
                f"{path} cannot be made ({error.strerror}). "
                "Take away what stands there, or name another place (--run-dir)."
            ) from error
        return listener

    def serve_control(self, app: App, tasks: TaskGroup, listener: SocketListener) -> None:
        """Answer on the control socket; from now on grants' doors can be opened too."""
        self._app, self._tasks = app, tasks
        self._serve(None, listener, "control", limits.CONTROL, None)

    async def open(self, grant: Grant) -> tuple[Path, Path]:
        """Open a grant's door; (directory to mount, socket in it)."""
        parent = self._run_dir / SANDBOX_FOLDER
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory = parent / grant.id
        directory.mkdir(mode=0o755, exist_ok=True)
        directory.chmod(0o755)
        path = directory / SANDBOX_SOCKET
        # Whoever can reach the directory holds the grant; the parent guards it on the host.
        listener = await anyio.create_unix_listener(path, mode=0o666)
        self._serve(grant.id, listener, "sandbox", limits.SANDBOX, grant)
        return directory, path

    async def close(self, grant_id: str) -> None:
        """Close a grant's door and drop its connections."""
        scope = self._listeners.pop(grant_id, None)
        if scope is not None:
            scope.cancel()
        for connection in self._of_grant.pop(grant_id, set()):
            connection.cancel()
        directory = self._run_dir / SANDBOX_FOLDER / grant_id
        with suppress(OSError):
            (directory / SANDBOX_SOCKET).unlink()
        with suppress(OSError):
            directory.rmdir()

    def stop(self) -> None:
        """Take no more connections or calls; those in flight finish."""
        self._stopping = True
        for scope in self._listeners.values():
            scope.cancel()
        for scope in self._reading:
            scope.cancel()

    def connections(self) -> int:
        """How many clients are connected."""
        return self._connections.total()

    def _serve(
        self,
        key: str | None,
        listener: SocketListener,
        door: Literal["control", "sandbox"],
        bounds: SocketLimits,
        grant: Grant | None,
    ) -> None:
        assert self._tasks is not None
        tasks = self._tasks
        scope = anyio.CancelScope()
        self._listeners[key] = scope

        async def accept(stream: SocketStream) -> None:
            await self._connection(stream, door, bounds, grant)

        async def listen() -> None:
            with scope:
                async with listener:
                    await listener.serve(accept, task_group=tasks)

        tasks.start_soon(listen)

    async def _connection(
        self,
        stream: SocketStream,
        door: Literal["control", "sandbox"],
        bounds: SocketLimits,
        grant: Grant | None,
    ) -> None:
        key = grant.id if grant else None
        with anyio.CancelScope() as scope:
            if grant is not None:
                self._of_grant.setdefault(grant.id, set()).add(scope)
            self._connections[key] += 1
            try:
                async with stream:
                    frames = Frames(stream, bounds)
                    if self._connections[key] > bounds.connections:
                        error = errors.RateLimited("Too many connections.", "Close one first.")
                        await frames.send(envelope.encode(envelope.error_reply(error, None)))
                    else:
                        session = Session(door, bounds, _peer(stream), self, grant)
                        await self._talk(frames, session)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                pass  # the client hung up; nobody is left to tell
            except Exception as fault:  # noqa: BLE001  one connection must not end the server
                log.error("connection_failed", door=door, error=type(fault).__name__)
            finally:
                self._connections[key] -= 1
                if grant is not None:
                    self._of_grant.get(grant.id, set()).discard(scope)

    async def _talk(self, frames: Frames, session: Session) -> None:
        assert self._app is not None
        while True:
            try:
                frame = await self._next(frames)
            except errors.AshError as error:
                await frames.send(envelope.encode(envelope.error_reply(error, None)))
                return
            if frame is None:
                return
            if not frame.strip():
                continue
            if self._stopping:
                stopping = errors.ShuttingDown("The daemon is stopping.")
                reply: bytes | None = envelope.encode(
                    envelope.error_reply(stopping, envelope.request_id(frame))
                )
            else:
                reply = await dispatch.reply_to(self._app, session, frame)
            if reply is not None and not await frames.send(reply):
                return

    async def _next(self, frames: Frames) -> bytes | None:
        """The next frame; while stopping only what is here already."""
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


def _peer(stream: SocketStream) -> Peer:
    try:
        raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  anyio's, not Django's
        pid, uid, _ = _CREDENTIALS.unpack(
            raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
    except OSError:
        return Peer(None, None)
    return Peer(pid, uid)
