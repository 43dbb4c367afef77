"""A cached block is only for its own audience. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened

Scope = dict[str, Any]


def test_a_kept_block_is_not_for_who_has_left(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """The host asks on behalf of somebody who left, and their sandbox is denied all the same."""
    chat = scope()["user_id"]
    ann, ben = (scope(f"{chat}-{user}", chat_id=chat, chat_type="group") for user in ("ann", "ben"))
    users = [ann["user_id"], ben["user_id"]]
    daemon.call("memory.list", scope={**ann, "participants": users})
    socket = opened(daemon, ben, rights=["read"])["socket"]
    named = {"provider": ben["provider"], "chat_id": chat, "chat_type": "group"}
    account = {"provider": ben["provider"], "user_id": ben["user_id"]}
    daemon.call("chat.leave", chat=named, account=account)
    told = {"content": "After he left the plan is zebra", "sensitivity": "public"}
    daemon.call("memory.add", scope=ann, **told)

    assert "zebra" in daemon.call("context.get", scope=ben, message="the plan?")["text"]
    for _ in range(2):
        with pytest.raises(CallFailed) as failed:
            daemon.call("context.get", at=socket, message="the plan?")
        assert "denied" == failed.value.kind


def test_a_kept_block_is_for_one_speaker(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """In a group's own sandbox "my" means the current speaker."""
    chat = scope()["user_id"]
    users = [f"{chat}-ann", f"{chat}-ben"]
    group = {"provider": "test", "chat_id": chat, "chat_type": "group", "participants": users}
    for user, dog in zip(users, ("Rex", "Bello"), strict=True):
        who = {**group, "user_id": user}
        content = f"My dog is called {dog}"
        daemon.call("memory.add", scope=who, content=content, subjects=["me"])
    grant = opened(daemon, group, rights=["read"])
    people = []
    for user in users:
        daemon.call("grant.turn", grant_id=grant["grant_id"], user_id=user)
        block = daemon.call("context.get", at=grant["socket"], message="what is my dog called?")
        people.append([person["accounts"][0]["user_id"] for person in block["people"]])

    # The speaker is not listed among the known people.
    assert [[users[1]], [users[0]]] == people
