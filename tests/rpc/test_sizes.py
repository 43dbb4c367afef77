"""One call may use every limit fully; a call beyond a limit changes nothing."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from daemons import CallFailed, Daemon

from ashd import limits

Scope = Callable[..., dict[str, Any]]


class Hurried(Daemon):
    """A daemon that gives a sandbox's call a tenth of a second."""

    def command(self) -> list[str]:
        own = super().command()
        hurry = (
            "import msgspec; from ashd import limits; from ashd.cli.ashd import main;"
            "limits.SANDBOX = msgspec.structs.replace(limits.SANDBOX, call_seconds=0.1); main()"
        )
        return [own[0], "-c", hurry, *own[3:]]


def chinese(chars: int) -> str:
    """Return text without spaces, another each time."""
    return "".join(chr(random.randint(0x4E00, 0x6FFF)) for _ in range(chars))


def largest() -> list[dict[str, str]]:
    """Return the largest call: the most facts allowed, each of the greatest length."""
    return [{"content": chinese(limits.CONTENT_CHARS)} for _ in range(limits.FACTS_PER_CALL)]


def request(facts: list[dict[str, Any]], *, escaped: bool = False) -> bytes:
    """The frame of a memory.add."""
    whole = {"jsonrpc": "2.0", "id": 1, "method": "memory.add", "params": {"facts": facts}}
    return json.dumps(whole, ensure_ascii=escaped).encode() + b"\n"


def test_the_largest_batch_of_long_chinese_texts_is_stored(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """100 facts of 10,000 characters, three bytes each, are one call and one answer.

    On a loaded machine some are refused, as ones that may be sent again.
    """
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    mine = scope()
    facts = largest()
    with daemon.client(daemon.call("grant.create", scope=mine)["socket"]) as client:
        for _ in range(30):  # how many it takes depends on the machine
            client.send(request(facts))
            reply = client.receive()
            entries = reply["result"]["memories"] if "result" in reply else [reply] * len(facts)
            refused = [entry for entry in entries if entry.get("outcome") != "added"]
            facts = [fact for fact, entry in zip(facts, entries, strict=True) if entry in refused]
            assert {"timed_out"} >= {entry["error"]["data"]["kind"] for entry in refused}
            if not facts:
                break

    assert facts == []
    assert daemon.call("memory.list", scope=mine)["total"] == limits.FACTS_PER_CALL


def test_escapes_that_make_a_call_too_large_are_named(daemon: Daemon, scope: Scope) -> None:
    """The call is refused before anything is done, with the advice to send UTF-8."""
    mine = scope()
    grant = daemon.call("grant.create", scope=mine)
    with daemon.client(grant["socket"]) as client:
        with suppress(BrokenPipeError, ConnectionResetError):  # it is not read to its end
            client.send(request(largest(), escaped=True))
        error = client.receive()["error"]

    assert error["data"]["kind"] == "too_large"
    assert "in UTF-8" in error["data"]["hint"]
    assert daemon.call("memory.list", scope=mine)["total"] == 0


@pytest.mark.parametrize("chars", [4_000, 200])
def test_a_call_that_takes_too_long_changes_nothing(scope: Scope, chars: int) -> None:
    """The reply says so, as an error to try again, however far it had come."""
    daemon = Hurried()
    try:
        daemon.start()
        mine = scope()
        grant = daemon.call("grant.create", scope=mine)
        facts = [{"content": chinese(chars), "subjects": [f"Person {n}"]} for n in range(100)]
        with pytest.raises(CallFailed) as failed:
            daemon.call("memory.add", at=grant["socket"], facts=facts)

        assert failed.value.kind == "timed_out"
        assert failed.value.data["retryable"] is True
        assert failed.value.data["hint"].startswith("Ask or send less in a call")
        assert daemon.call("memory.list", scope=mine)["total"] == 0
        assert [mine["user_id"]] == [
            person["name"] for person in daemon.call("person.list", scope=mine)["people"]
        ]
        assert daemon.unexpected() == []
    finally:
        daemon.remove()
