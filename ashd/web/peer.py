"""The user at the other end of a TCP connection on this machine, from the kernel's tables."""

import contextlib
import ipaddress
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_TABLES: Final = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
_ESTABLISHED: Final = "01"
"""Only open connections count: once the other end has closed, its row says uid 0."""

Address = tuple[str, int]
Connection = tuple[Address, Address]
"""The client's end of a connection, and the server's."""


def is_known() -> bool:
    """Return whether this system shows which user owns a connection."""
    return _TABLES[0].exists()


def uids_of(connections: Iterable[Connection]) -> dict[Connection, int]:
    """Return the users who own the client's ends of connections; unknown ones are left out."""
    wanted = {
        form: connection
        for connection in connections
        for form in zip(_forms(connection[0]), _forms(connection[1]), strict=True)
    }
    found: dict[Connection, int] = {}
    for table in _TABLES:
        if found.keys() == set(wanted.values()):
            break  # a table costs the kernel milliseconds, however few connections there are
        with contextlib.suppress(OSError), table.open(encoding="ascii") as rows:
            next(rows, None)
            for row in rows:
                fields = row.split(maxsplit=8)
                connection = wanted.get((fields[1], fields[2]))
                if connection is not None and fields[3] == _ESTABLISHED:
                    found[connection] = int(fields[7])
    return found


def _forms(address: Address) -> list[str]:
    """Return an address and port as the kernel's tables write them; IPv4 also mapped into IPv6."""
    ip = ipaddress.ip_address(address[0])
    packed = [ip.packed]
    if ip.version == 4:
        packed.append(bytes(10) + b"\xff\xff" + ip.packed)
    return [f"{_hex(raw)}:{address[1]:04X}" for raw in packed]


def _hex(raw: bytes) -> str:
    """Return an address's bytes as hexadecimal words in the machine's own order."""
    words = [raw[at : at + 4] for at in range(0, len(raw), 4)]
    if sys.byteorder == "little":
        words = [word[::-1] for word in words]
    return b"".join(words).hex().upper()
