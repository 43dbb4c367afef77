"""Places for connections at `ash web`: who keeps one while others take all. Budget: 30 s."""

import os
import socket
import subprocess
import sys

import pytest
from crowding import crowded
from sites import Site, Visitor

from ashd.http_server import connections

MORE_THAN_ALL = connections.most_connections() + 50


@pytest.mark.parametrize("begin", ["", "GET / HTTP/1.1\r\nHost: HOST\r\nX: ", "POST"])
def test_who_asks_nothing_whole_gives_way(visitor: Visitor, begin: str) -> None:
    """Pages are shown while others hold all places, and renew those they lose."""
    sent = begin.replace("HOST", visitor.site.host)
    if begin == "POST":
        sent = (
            f"POST /login HTTP/1.1\r\nHost: {visitor.site.host}\r\nContent-Length: 100\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
        )
    with crowded(lambda: connected(visitor.site), sent.encode(), MORE_THAN_ALL):
        for _ in range(10):
            assert visitor.get("/").status == 200


_CROWD_OF_ANOTHER_USER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
held = []
print("ready", flush=True)
while True:
    try:
        held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60))
    except OSError:
        pass
    if len(held) > int(sys.argv[2]):
        held.pop(0).close()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_takes_no_place(visitor: Visitor) -> None:
    """Pages are shown while another user of the machine opens connections without end."""
    crowd = subprocess.Popen(
        [
            *(sys.executable, "-I", "-c", _CROWD_OF_ANOTHER_USER),
            *(str(visitor.site.port), str(MORE_THAN_ALL)),
        ],
        stdout=subprocess.PIPE,
    )
    assert crowd.stdout is not None
    try:
        assert crowd.stdout.readline() == b"ready\n"
        for _ in range(10):
            assert visitor.get("/").status == 200
    finally:
        crowd.kill()
        crowd.wait(60)
        crowd.stdout.close()


def connected(site: Site) -> socket.socket:
    """Return a new connection to the page."""
    return socket.create_connection(("127.0.0.1", site.port), timeout=60)
