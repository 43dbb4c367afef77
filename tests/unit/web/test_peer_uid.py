"""The user of a connection, from the kernel's tables."""

import os
import socket
from pathlib import Path

import pytest

from ashd.web import peer

pytestmark = pytest.mark.skipif(not peer.is_known(), reason="the kernel has no such tables")


@pytest.fixture
def listening() -> socket.socket:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_own_connection_is_recognised(listening: socket.socket) -> None:
    with socket.create_connection(listening.getsockname()) as client:
        server, _ = listening.accept()
        with server:
            pair = (client.getsockname(), server.getsockname())
            assert peer.uids_of([pair]) == {pair: os.getuid()}


def test_connection_mapped_into_ipv6_is_recognised(listening: socket.socket) -> None:
    """A client that only speaks IPv6 sockets is in the other table."""
    with socket.socket(socket.AF_INET6) as client:
        client.connect(("::ffff:127.0.0.1", listening.getsockname()[1]))
        server, address = listening.accept()
        with server:
            pair = (address, server.getsockname())
            assert peer.uids_of([pair]) == {pair: os.getuid()}


def test_connection_of_ipv6_is_recognised() -> None:
    """Browsers may come by either address of the loopback."""
    try:
        listening = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("there is no IPv6")
    with listening, socket.create_connection(listening.getsockname()[:2]) as client:
        server, address = listening.accept()
        with server:
            known = (address[:2], server.getsockname()[:2])
            unknown = (client.getsockname()[:2], ("::1", 1))
            assert peer.uids_of([known, unknown]) == {known: os.getuid()}


def test_no_further_table_is_read_when_all_are_known(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Writing one takes the kernel milliseconds; here the second names another user."""
    with socket.create_connection(listening.getsockname()) as client:
        server, _ = listening.accept()
        with server:
            pair = (client.getsockname(), server.getsockname())
            first, _ = peer._TABLES
            rows = [row.split() for row in first.read_text().splitlines()]
            ours = [peer._forms(end)[0] for end in pair]
            other = str(os.getuid() + 1)
            of_other = [[*row[:7], other, *row[8:]] for row in rows if row[1:3] == ours]
            second = tmp_path / "tcp6"
            second.write_text("\n".join(map(" ".join, [rows[0], *of_other])))
            monkeypatch.setattr(peer, "_TABLES", (first, second))
            assert len(of_other) == 1
            assert peer.uids_of([pair]) == {pair: os.getuid()}


def test_closed_connection_is_nobodys(listening: socket.socket) -> None:
    """The kernel's row of a closed connection says root, whoever it was."""
    client = socket.create_connection(listening.getsockname())
    server, address = listening.accept()
    with server:
        client.close()
        assert peer.uids_of([(address, server.getsockname())]) == {}
