"""Connections of other users are not admitted to the page."""

import asyncio
import os
from typing import Any

import pytest

from ashd.web import peer
from ashd.web.admission import OwnUser


class Transport(asyncio.Transport):
    """A connection from a port."""

    def __init__(self, port: int | None) -> None:
        super().__init__()
        self._port = port

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if self._port is None:
            return default
        return ("127.0.0.1", self._port if name == "peername" else 1)


@pytest.fixture(autouse=True)
def users(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ports below 100 are the user's own, those below 200 another's, others nobody's."""
    read: list[int] = []

    def uids_of(connections: Any) -> dict[Any, int]:
        read.append(len(connections))
        own = os.getuid()
        return {one: own if one[0][1] < 100 else own + 1 for one in connections if one[0][1] < 200}

    monkeypatch.setattr(peer, "is_known", lambda: True)
    monkeypatch.setattr(peer, "uids_of", uids_of)
    return read


async def test_the_users_own_connections_are_admitted(users: list[int]) -> None:
    """Another user's is not, nor one that the kernel does not know, nor one that has left."""
    admission = OwnUser(10)
    asked = [admission.admits(Transport(port)) for port in (1, 101, 201, None, 2)]

    assert [await one for one in asked] == [True, False, False, False, True]
    assert users == [4]


async def test_who_waits_longest_for_admission_gives_way() -> None:
    """So many connections wait for the kernel's table, and no more."""
    admission = OwnUser(2)
    asked = [admission.admits(Transport(port)) for port in (1, 2, 3, 4)]

    assert [await one for one in asked] == [False, False, True, True]


async def test_later_connections_are_looked_up_too() -> None:
    """One that comes while the table is read waits for the next reading."""
    admission = OwnUser(10)
    first = admission.admits(Transport(1))
    await asyncio.sleep(0)
    second = admission.admits(Transport(101))

    assert [await first, await second] == [True, False]
    assert await admission.admits(Transport(2))
