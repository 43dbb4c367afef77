"""A scoped export holds what its reader may read, and nothing more. Budget: 10 s."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemons import Daemon

Scope = dict[str, Any]
Names = Callable[..., Scope]


def exported(daemon: Daemon, who: Scope, path: Path) -> str:
    """Return the text of an export of what somebody may read."""
    daemon.call("db.export", path=str(path), scope=who)
    return path.read_text()


def test_names_of_tellers_who_were_never_met(daemon: Daemon, scope: Names, tmp_path: Path) -> None:
    """A subject in another provider gets the sentence, and not who told it, nor where."""
    tag = scope()["user_id"]
    zed = scope(f"{tag}-zed", chat_id=f"{tag}-club", chat_type="group", session_id=f"{tag}-session")
    zed |= {"participants": [zed["user_id"], f"{tag}-amy"], "username": f"{tag}_f"}
    zed["display_name"] = f"Zed {tag}"
    fact = {"content": "Quentin repairs clocks", "subjects": [f"my neighbour Quentin {tag}"]}
    added = daemon.call("memory.add", scope=zed, **fact)["memories"][0]
    forum = {"provider": "forum", "user_id": f"{tag}-qq"}
    own = daemon.call("person.resolve", scope=forum, reference="me")["person_id"]
    daemon.call("person.merge", all_scopes=True, scope=forum, id=added["people"][0]["id"], into=own)

    text = exported(daemon, forum, tmp_path / "forum")
    assert "Quentin repairs clocks" in text
    for hidden in ("zed", "_f", "Zed", "club", "session", "amy"):
        assert f"{tag}-{hidden}" not in text
        assert f"{tag}{hidden}" not in text
    assert f"Zed {tag}" not in text
    assert f"neighbour Quentin {tag}" not in text
    own_text = exported(daemon, scope(zed["user_id"]), tmp_path / "zed")
    assert f"Zed {tag}" in own_text


def test_a_group_export_names_nobody_by_an_id_of_elsewhere(
    daemon: Daemon, scope: Names, tmp_path: Path
) -> None:
    """Joined accounts have the id in each group that they had before, and no details."""
    tag = scope()["user_id"]
    one, other = scope(f"{tag}-one"), {"provider": "forum", "user_id": f"{tag}-other"}
    ids = [
        daemon.call("person.resolve", scope=who, reference="me")["person_id"]
        for who in (one, other)
    ]
    account = {"provider": "forum", "user_id": other["user_id"]}
    daemon.call("person.link_account", id=ids[0], account=account)
    daemon.call("person.update", scope=one, id=ids[0], metadata={"note": f"{tag}-detail"})
    board = {**other, "chat_id": tag, "chat_type": "group", "display_name": f"Olly {tag}"}
    daemon.call("memory.add", scope=board, content="I sail", subjects=["me"])

    text = exported(daemon, board, tmp_path / "board")
    assert "I sail" in text
    assert ids[1] in text
    for hidden in (ids[0], one["user_id"], f"{tag}-detail"):
        assert hidden not in text


def test_positions_tell_nothing_of_what_was_said_before(
    daemon: Daemon, scope: Names, tmp_path: Path
) -> None:
    """A later member's export counts the messages from the first that is shown."""
    tag = scope()["user_id"]
    users = [f"{tag}-ann", f"{tag}-ben"]
    chat = {"chat_id": tag, "chat_type": "group"}

    def say(speaker: str, members: list[str], words: str) -> None:
        here = scope(speaker, **chat, participants=members)
        messages = [{"content": words, "role": "user"}]
        daemon.call("conversation.ingest", scope=here, conversation_id="c", messages=messages)

    for number in range(3):
        say(users[0], users[:1], f"Before {tag} {number}")
    say(users[0], users, f"After {tag}")
    lines = exported(daemon, scope(users[1]), tmp_path / "ben").splitlines()
    records = [json.loads(line) for line in lines]
    (message,) = (one for one in records if one["kind"] == "message")
    (conversation,) = (one for one in records if one["kind"] == "conversation")
    assert (f"After {tag}", 0) == (message["content"], message["position"])
    assert conversation["created_at"] == message["said_at"]
