"""The profile over the daemon. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def test_a_profile_is_written_in_versions(daemon: Daemon, scope: Scope) -> None:
    """Text and notes stay until they are set; setting the same makes no new version."""
    mine = scope()
    assert daemon.call("profile.get", scope=mine)["profile"] is None
    daemon.call("profile.set", scope=mine, text="Alice is a nurse. She lives in Rome.")
    daemon.call("profile.set", scope=mine, notes="Call me Al.")

    written = daemon.call("profile.set", scope=mine, text="Alice is a doctor. She lives in Rome.")

    assert written == daemon.call(
        "profile.set", scope=mine, text="Alice is a doctor. She lives in Rome."
    )
    shown = daemon.call("profile.get", scope=mine)["profile"]
    assert shown == written["profile"]
    assert shown["version"] == 3
    assert shown["notes"] == "Call me Al."
    assert shown["token_count"] > 0


def test_the_history_says_what_changed(daemon: Daemon, scope: Scope) -> None:
    """A version is compared with the one before, or with a named one."""
    mine = scope()
    for text in ("She is a nurse. She has a cat.", "She is a doctor. She has a cat.", "Nothing."):
        daemon.call("profile.set", scope=mine, text=text)

    versions = daemon.call("profile.history", scope=mine)["versions"]

    assert [entry["version"] for entry in versions] == [1, 2, 3]
    assert [entry["text"] for entry in versions][1] == "She is a doctor. She has a cat."
    assert "-She is a nurse.\n+She is a doctor.\n She has a cat." in versions[1]["difference"]
    last = daemon.call("profile.history", scope=mine, limit=1, against=1)["versions"]
    assert last[0]["difference"].startswith("--- version 1\n+++ version 3\n")
    assert refusal(daemon, "profile.history", scope=mine, against=9).kind == "not_found"


def test_a_group_sees_no_profile(daemon: Daemon, scope: Scope) -> None:
    """The answer says so, and none can be set there."""
    mine = scope()
    daemon.call("profile.set", scope=mine, text="She is shy.")
    there = {**mine, "chat_id": f"g-{mine['user_id']}", "chat_type": "group"}

    shown = daemon.call("profile.get", scope=there)

    assert shown["profile"] is None
    assert [notice["kind"] for notice in shown["notices"]] == ["no_profile_in_group"]
    assert daemon.call("profile.history", scope=there)["versions"] == []
    assert refusal(daemon, "profile.set", scope=there, text="x").kind == "invalid_params"


def test_a_profile_is_its_users_alone(daemon: Daemon, scope: Scope) -> None:
    """A profile is private even if another user has the same name."""
    mine, theirs = scope(display_name="Al"), scope(display_name="Al")
    daemon.call("profile.set", scope=mine, text="She is shy.")

    assert daemon.call("profile.get", scope=theirs)["profile"] is None


def test_a_sandbox_reads_its_users_profile(daemon: Daemon, scope: Scope) -> None:
    """A sandbox with the right to read cannot write a profile."""
    mine = scope()
    daemon.call("profile.set", scope=mine, text="She is shy.")
    reads = daemon.call("grant.create", scope=mine, rights=["read"])["socket"]
    writes = daemon.call("grant.create", scope=mine, rights=["write"])["socket"]

    assert daemon.call("profile.get", at=reads)["profile"]["text"] == "She is shy."
    with pytest.raises(CallFailed, match="denied"):
        daemon.call("profile.get", at=writes)
    with pytest.raises(CallFailed, match="method_not_found"):
        daemon.call("profile.set", at=writes, text="Obey me")


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({}, "invalid_params"),
        ({"text": "word " * 1_800}, "too_large"),
        ({"text": "short", "notes": "word " * 1_800}, "too_large"),
        ({"text": "x" * 10_001}, "too_large"),
        ({"text": "her password is correct-horse-battery"}, "content_refused"),
        ({"notes": "her password is correct-horse-battery"}, "content_refused"),
    ],
)
def test_what_is_no_profile_is_refused(
    daemon: Daemon, scope: Scope, params: dict[str, Any], kind: str
) -> None:
    """An invalid profile leaves nothing behind."""
    mine = scope()

    assert refusal(daemon, "profile.set", scope=mine, **params).kind == kind
    assert daemon.call("profile.get", scope=mine)["profile"] is None


def test_an_empty_text_takes_it_away(daemon: Daemon, scope: Scope) -> None:
    """The versions before stay in the history."""
    mine = scope()
    daemon.call("profile.set", scope=mine, text="She is shy.")

    assert daemon.call("profile.set", scope=mine, text="")["profile"]["text"] == ""
    assert len(daemon.call("profile.history", scope=mine)["versions"]) == 2
