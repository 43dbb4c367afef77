"""The process at the other end of a connection, from the kernel."""

import socket
import struct
from typing import Final

from anyio.abc import SocketAttribute, SocketStream

from ashd.access.actor import Peer
from ashd.ended_calls import Connection

_CREDENTIALS: Final = struct.Struct("3i")


def peer_of(stream: SocketStream) -> Peer:
    """Return the process and user at the other end of a socket, if the kernel knows them."""
    if stream.extra(SocketAttribute.family) != socket.AF_UNIX:  # noqa: S610  not Django's `extra`
        return Peer(None, None)
    try:
        raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  not Django's `extra`
        pid, uid, _ = _CREDENTIALS.unpack(
            raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
    except OSError:
        return Peer(None, None)
    return Peer(pid, uid)


def connection_of(stream: SocketStream) -> Connection:
    """Return the connection of a stream, which is valid as long as the stream is open."""
    raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610  not Django's `extra`
    return Connection(raw.fileno())
