"""A connection that was opened to read only (`session.hello`)."""

import pytest
from daemons import CallFailed, Daemon

from ashd.rpc.methods import TABLE


def test_read_only_connection_changes_nothing(daemon: Daemon) -> None:
    """Every method that changes something is denied, and the rest are answered."""
    changing = [name for name, method in TABLE.items() if method.changes]
    assert changing
    with daemon.client() as client:
        client.call("session.hello", read_only=True)

        for name in changing:
            with pytest.raises(CallFailed, match="only reads"):
                client.call(name)

        assert client.call("memory.list")["memories"] is not None


def test_read_only_cannot_be_taken_back(daemon: Daemon) -> None:
    """A later greeting does not open the connection again."""
    with daemon.client() as client:
        client.call("session.hello", read_only=True)
        client.call("session.hello", read_only=False)

        with pytest.raises(CallFailed, match="only reads"):
            client.call("memory.add", content="Anna keeps bees.")
