"""One call of every method that changes something, in an order that satisfies each call's needs."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Params = dict[str, Any]
Call = Callable[..., Any]


class Step(NamedTuple):
    """A call of the control socket. `texts` are the params in which a caller writes words."""

    method: str
    params: Params
    texts: tuple[str, ...] = ()


def steps(call: Call, scope: Params) -> Iterator[Step]:
    """The steps, each made when the ones before it were taken; `scope` is a private one."""
    chat = {"provider": scope["provider"], "chat_id": f"room {scope['user_id']}"}
    group = {**scope, **chat, "chat_type": "group", "participants": [scope["user_id"]]}

    def first(method: str, key: str, **params: Any) -> Any:
        return call(method, scope=scope, **params)[key][0]["id"]

    yield Step(
        "memory.add",
        {
            "content": "My bicycle is in the red shed",
            "subjects": ["Anna Berg"],
            "tags": ["garden"],
            "metadata": {"note": "seen there"},
            "idempotency_key": "the first",
        },
        ("content", "subjects", "tags", "metadata", "idempotency_key"),
    )
    memory = first("memory.list", "memories")
    yield Step(
        "memory.update",
        {"id": memory, "changes": {"content": "My bicycle is in the blue barn", "tags": ["barn"]}},
        ("changes",),
    )
    memory = first("memory.list", "memories")
    yield Step("memory.delete", {"id": memory})
    yield Step("memory.restore", {"id": memory})
    yield Step(
        "tools.call",
        {
            "name": "remember",
            "arguments": {"content": "I like tea", "subjects": ["Bela Toth"]},
            "idempotency_key": "the tool's",
        },
        ("arguments", "idempotency_key"),
    )
    yield Step("memory.add", {"content": "The lamp is by the window"}, ("content",))
    lamp = first("memory.list", "memories")
    yield Step("memory.supersede", {"id": lamp, "superseded_id": memory})
    yield Step("person.create", {"name": "Zora Neal"}, ("name",))
    bela = call("person.resolve", scope=scope, reference="Bela Toth", create=False)["person_id"]
    yield Step(
        "person.undo_identification",
        {"person_id": bela, "reference": "Bela Toth"},
        ("reference",),
    )
    yield Step("override.add", {"content": "Call me Sam"}, ("content",))
    pinned = call("override.list", scope=scope)["overrides"][0]["id"]
    yield Step("override.remove", {"id": pinned})
    yield Step(
        "profile.set",
        {"text": "Lives by the sea.", "notes": "Brief answers.", "learned": "Rides a bicycle."},
        ("text", "notes", "learned"),
    )
    yield Step(
        "conversation.ingest",
        {
            "conversation_id": "evening",
            "messages": [
                {"role": "user", "speaker": "Sam", "content": "Good evening", "external_id": "m1"}
            ],
        },
        ("conversation_id", "messages"),
    )
    yield Step("conversation.delete", {"conversation_id": "evening"})
    yield Step("jobs.flush", {})
    yield Step(
        "graph.add_entity",
        {"name": "Orion", "type": "project", "aliases": ["the project"]},
        ("name", "aliases"),
    )
    yield Step(
        "graph.relate",
        {"source": "Orion", "relation": "uses", "target": "Rust", "valid_from": "2020-01-01"},
        ("source", "relation", "target"),
    )
    relation = call("graph.search", scope=scope, name="Orion")["relations"][0]["id"]
    yield Step("graph.end", {"id": relation})
    yield Step("graph.remove", {"id": relation})
    yield Step("db.backup", {"keep": 2})
    yield Step("db.check", {"fix": True})
    yield Step("db.reindex", {})
    yield Step("system.reload", {})
    file = str(Path(tempfile.mkdtemp()) / "all.jsonl")
    yield Step("db.export", {"path": file})
    yield Step("db.import", {"path": file})
    yield from _people(call, scope)
    yield from _grants_and_chats(call, group, chat)
    yield Step("memory.withdraw", {"source": "rpc"})
    yield Step("memory.forget_person", {"person_id": bela})
    yield Step("memory.erase", {"id": memory})
    yield Step("db.gc", {})
    yield Step("db.compact", {"force": True})


def _people(call: Call, scope: Params) -> Iterator[Step]:
    yield Step("person.resolve", {"reference": "Cara Diaz"}, ("reference",))
    yield Step("person.resolve", {"reference": "Dora Elm"})

    def named(name: str) -> str:
        return str(call("person.list", scope=scope, query=name)["people"][0]["id"])

    cara, dora = named("Cara"), named("Dora")
    yield Step(
        "person.update",
        {"id": cara, "name": "Cara Diaz-Ruiz", "metadata": {"note": "met in May"}},
        ("name", "metadata"),
    )
    yield Step("person.add_alias", {"id": cara, "alias": "Caro"}, ("alias",))
    yield Step("person.remove_alias", {"id": cara, "alias": "Caro"})
    yield Step("person.relate", {"id": cara, "relationship": "sister"}, ("relationship",))
    yield Step("person.unrelate", {"id": cara, "relationship": "sister"})
    account = {"provider": scope["provider"], "user_id": f"caro of {scope['user_id']}"}
    yield Step("person.link_account", {"id": cara, "account": account}, ("account",))
    yield Step("person.unlink_account", {"id": cara, "account": account})
    yield Step("person.merge", {"id": dora, "into": cara})
    yield Step("person.split", {"id": dora})
    yield Step("person.delete", {"id": dora})


def _grants_and_chats(call: Call, group: Params, chat: Params) -> Iterator[Step]:
    there = {"chat": {**chat, "chat_type": "group"}}
    account = {"provider": group["provider"], "user_id": f"guest of {group['user_id']}"}
    yield Step("llm.count", {"task": "chat", "sent": 10, "received": 5})
    yield Step("chat.join", {**there, "account": account}, ("chat", "account"))
    yield Step("chat.leave", {**there, "account": account})
    whose = {key: value for key, value in group.items() if key not in {"user_id", "participants"}}
    yield Step("grant.create", {"scope": whose}, ("scope",))
    grant = next(
        one["grant_id"]
        for one in call("grant.list")["grants"]
        if one["scope"].get("chat_id") == chat["chat_id"]
    )
    call("memory.list", scope=group)
    yield Step(
        "grant.turn",
        {
            "grant_id": grant,
            "user_id": group["user_id"],
            "session_id": "an evening",
            "message_id": "message 1",
        },
        ("session_id", "message_id"),
    )
    yield Step("grant.revoke", {"grant_id": grant})
    yield Step("key.create", {"hash": "0" * 64, "agents": ["notes"]})
    yield Step("key.revoke", {"id": call("key.list")["keys"][-1]["id"]})
