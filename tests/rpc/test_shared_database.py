"""Two daemons on one database of a server: what one is told or forbidden holds at the other."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

import pytest
from asking import add, listed
from daemons import CallFailed, Client, Daemon
from postgres_server import PostgresServer, needed
from waiting import until

psycopg = pytest.importorskip("psycopg")

ME = {"provider": "test", "user_id": "me"}
_numbers = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with needed() as made:
        yield made


@pytest.fixture
def pair(server: PostgresServer, new_daemon: Callable[..., Daemon]) -> tuple[Daemon, Daemon]:
    """Two daemons that have started, each with a home of its own."""
    name = f"ash_{next(_numbers)}"
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute(f"create database {name}")
    made = [new_daemon(environment={"ASH_STORAGE_URL": server.url_of(name)}) for _ in range(2)]
    for daemon in made:
        daemon.config('[embedding]\nprovider = "none"\n')
        daemon.start()
    return made[0], made[1]


def _socket_at(daemon: Daemon, grant_id: str) -> Any:
    """The path of a grant's socket at a daemon, once it is open there."""
    path = daemon.run / "sandbox" / grant_id / "rpc.sock"

    def is_open() -> bool:
        with suppress(OSError), daemon.client(path):
            return True
        return False

    until(is_open)
    return path


@contextmanager
def refused(kind: str) -> Iterator[None]:
    """A block whose call is refused with this kind of error."""
    with pytest.raises(CallFailed) as failed:
        yield
    assert failed.value.kind == kind


def test_grants_hold_at_every_daemon(pair: tuple[Daemon, Daemon]) -> None:
    """A sandbox is let in wherever it connects, into the same scope."""
    one, other = pair
    add(one, "The kettle is in the attic", scope=ME)
    grant = one.call("grant.create", scope=ME)["grant_id"]

    there = _socket_at(other, grant)
    assert listed(other, at=there) == ["The kettle is in the attic"]
    other.call("memory.add", at=there, content="The rake is in the shed")
    assert listed(one, scope=ME) == ["The rake is in the shed", "The kettle is in the attic"]


def test_a_revoked_grant_is_refused_everywhere_at_once(pair: tuple[Daemon, Daemon]) -> None:
    """The next call is refused, over a connection that was open, too; then its socket goes."""
    one, other = pair
    grant = one.call("grant.create", scope=ME)["grant_id"]
    there = _socket_at(other, grant)
    for _ in range(5):
        again = one.call("grant.create", scope=ME)["grant_id"]
        with other.client(_socket_at(other, again)) as sandbox:
            assert sandbox.call("session.hello")
            one.call("grant.revoke", grant_id=again)
            assert _outcome(sandbox) in {"grant_revoked", "dropped"}
    one.call("grant.revoke", grant_id=grant)
    until(lambda: not there.exists())


def test_a_stopped_daemon_stalls_no_other_and_serves_nothing_old(
    pair: tuple[Daemon, Daemon],
) -> None:
    """It goes on after a SIGCONT, with calls that came before and meanwhile."""
    one, other = pair
    revoked, kept = (one.call("grant.create", scope=ME)["grant_id"] for _ in range(2))
    asked = [one.client(_socket_at(one, grant)) for grant in (revoked, kept)]
    assert one.process is not None
    for sandbox in asked:
        sandbox.call("session.hello")

    os.kill(one.process.pid, signal.SIGSTOP)
    try:
        add(other, "The lantern is in the boat", scope=ME)
        other.call("grant.revoke", grant_id=revoked)
        for sandbox in asked:
            sandbox.send(b'{"jsonrpc": "2.0", "id": 9, "method": "memory.list", "params": {}}\n')
    finally:
        os.kill(one.process.pid, signal.SIGCONT)

    refusal, answer = (sandbox.receive() for sandbox in asked)
    assert refusal is None or refusal["error"]["data"]["kind"] == "grant_revoked"
    contents = [memory["content"] for memory in answer["result"]["memories"]]
    assert contents == ["The lantern is in the boat"]
    for sandbox in asked:
        sandbox.close()


def _outcome(sandbox: Client) -> str:
    """The kind of error that a call is answered with; "dropped" if its connection was ended."""
    try:
        sandbox.call("memory.list")
    except CallFailed as error:
        return error.kind
    except (AssertionError, OSError):
        return "dropped"
    return "answered"


def test_a_repeated_call_waits_for_a_standby_as_its_first_run_did(
    server: PostgresServer, pair: tuple[Daemon, Daemon]
) -> None:
    """Its first reply may be one that a crash has spared, and not be at a standby yet."""
    params = {"scope": ME, "name": "Ana Anders", "idempotency_key": "once"}
    first = pair[0].call("person.create", **params)
    with psycopg.connect(server.url_of(f"ash_{next(_numbers) - 1}"), autocommit=True) as admin:
        lsn = "select pg_current_wal_flush_lsn() > cast(%s as pg_lsn)"
        for daemon in pair:
            before = admin.execute("select pg_current_wal_insert_lsn()").fetchone()
            assert daemon.call("person.create", **params) == first
            assert admin.execute(lsn, before).fetchone() == (True,), "a commit wrote nothing"


def test_tokens_are_known_everywhere_at_once(pair: tuple[Daemon, Daemon]) -> None:
    """A token that one daemon made is good at the other, until either revokes it."""
    one, other = pair
    shared = other.run / "token" / "rpc.sock"
    other.call("grant.create", scope={**ME, "user_id": "somebody"}, token=True)  # opens it
    made = one.call("grant.create", scope=ME, token=True)
    with other.client(shared) as sandbox:
        sandbox.call("session.hello", token=made["token"])
        sandbox.call("memory.add", content="The violin is in the hall")
    assert listed(one, scope=ME) == ["The violin is in the hall"]

    other.call("grant.revoke", grant_id=made["grant_id"])
    with one.client(made["socket"]) as sandbox, refused("denied"):
        sandbox.call("session.hello", token=made["token"])


def test_turns_are_known_everywhere_at_once(pair: tuple[Daemon, Daemon]) -> None:
    """A sandbox stores under the session and the message that its host told last."""
    one, other = pair
    grant = one.call("grant.create", scope=ME)["grant_id"]
    there = _socket_at(other, grant)
    for number in range(5):
        place = {"session_id": f"s{number}", "message_id": f"m{number}"}
        one.call("grant.turn", grant_id=grant, **place)
        stored = add(other, f"The box {number} is in the attic", at=there)
        assert {name: stored[f"source_{name}"] for name in place} == place


def test_a_days_quota_is_shared(pair: tuple[Daemon, Daemon]) -> None:
    """Writes through one daemon count at the other."""
    one, other = pair
    made = one.call("grant.create", scope=ME, quota={"writes_per_day": 3})
    for number in range(3):
        one.call("memory.add", at=made["socket"], content=f"The box {number} is in the attic")
    until(
        lambda: (
            one.call("grant.list", count=True)["grants"][0]["use"]["used"]["writes_per_day"] == 3
        )
    )
    with refused("quota_exceeded"):
        other.call("memory.add", at=_socket_at(other, made["grant_id"]), content="The rake is here")


def test_erased_words_are_gone_everywhere(pair: tuple[Daemon, Daemon]) -> None:
    """A search, a list and a prompt's block of either daemon hold nothing of them."""
    one, other = pair
    memory = add(one, "The tulips of the garden are red", scope=ME)
    asked = {"scope": ME, "message": "What colour do the tulips of the garden have?"}
    for daemon in pair:
        assert "are red" in daemon.call("context.get", **asked)["text"]
    other.call("memory.erase", scope=ME, id=memory["id"])
    for daemon in pair:
        assert "are red" not in daemon.call("context.get", **asked)["text"]
        assert listed(daemon, scope=ME) == []


def test_a_daemon_that_is_killed_leaves_the_other_alone(pair: tuple[Daemon, Daemon]) -> None:
    """Its acknowledged changes are there, and its grants go on at the other daemon."""
    one, other = pair
    grant = one.call("grant.create", scope=ME)
    one.call("memory.add", at=grant["socket"], content="The ladder is in the hall")
    one.kill()
    there = _socket_at(other, grant["grant_id"])
    assert listed(other, at=there) == ["The ladder is in the hall"]
    other.call("memory.add", at=there, content="The rake is in the shed")


def test_a_call_that_is_repeated_at_once_has_one_answer(pair: tuple[Daemon, Daemon]) -> None:
    """Whichever daemon it comes to, and whichever of the two is first."""

    def add_override(number: int) -> str:
        with pair[number % 2].client() as client:
            made = client.call(
                "override.add", scope=ME, content="Mention the kettle", idempotency_key="once"
            )
            return str(made["override"]["id"])

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(add_override, range(6)))) == 1
