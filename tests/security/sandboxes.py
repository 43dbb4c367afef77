"""Steps that the tests of grants share: open one, call through it, read the audit."""

from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Client, Daemon
from scanning import contents


def opened(daemon: Daemon, scope: dict[str, Any], **params: Any) -> dict[str, Any]:
    """A new grant."""
    grant: dict[str, Any] = daemon.call("grant.create", scope=scope, **params)
    return grant


def refused(client: Client, method: str, **params: Any) -> CallFailed:
    """The error that a call is answered with; it always says how to mend it."""
    with pytest.raises(CallFailed) as caught:
        client.call(method, **params)
    assert caught.value.data["hint"]
    return caught.value


def trail(daemon: Daemon, **filters: Any) -> list[dict[str, Any]]:
    """Rows of the audit, newest first."""
    rows: list[dict[str, Any]] = daemon.call("audit.list", limit=100, **filters)["entries"]
    return rows


def bytes_of(daemon: Daemon) -> bytes:
    """Return the contents of the database."""
    return b"".join(contents(daemon.home / "data"))


def memory_kb(daemon: Daemon) -> int:
    """Return the daemon's memory (VmRSS)."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
