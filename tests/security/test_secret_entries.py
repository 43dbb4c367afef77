"""Every way into the store refuses a secret. Budget: 10 s."""

import itertools
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import Any

import changes
import pytest
from daemons import CallFailed, Client, Daemon
from sandboxes import bytes_of, opened, refused

Scope = Callable[..., dict[str, Any]]
Path = tuple[str | int, ...]

_random = random.Random(4)
_CHOICES = {"role", "provider", "chat_type"}
"""Fields of few values, or that name the caller; a secret there is tried with the scope's own."""


def secret() -> str:
    """Return an invented API key, in lower case as the full-text index stores its words."""
    return "sk-proj-" + "".join(_random.choices(string.ascii_lowercase + string.digits, k=48))


def texts_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """Return the paths of the texts in a value."""
    if isinstance(value, str):
        yield path
    parts: Any = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        yield from texts_in(part, (*path, key))


def replaced(value: Any, path: Path, by: str) -> Any:
    """Return the value with another text at one path."""
    if not path:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], by)
    return copy


def outcome(call: Callable[..., Any], method: str, params: dict[str, Any]) -> str:
    """The kind of the error, of the call or of its only fact; `done` when there is none."""
    try:
        result = call(method, **params)
    except CallFailed as error:
        return error.kind
    if "error" in result:  # a tool reports it to the model
        return str(result["error"]["data"]["kind"])
    result = result.get("result") or result
    for entry in result.get("refused") or result.get("memories") or ():
        error = entry.get("error")
        if error or "kind" in entry:
            return str(error["data"]["kind"] if error else entry["kind"])
    return "done"


def test_no_text_of_any_change_takes_a_secret(daemon: Daemon, scope: Scope) -> None:
    """Each text of each call in turn; no trace of it is in the files."""
    mine, tried, entered = scope(), [], []
    for step in changes.steps(daemon.call, mine):
        params = {"scope": mine, **step.params}
        for path in texts_in(step.params):
            if path[0] not in step.texts or path[-1] in _CHOICES:
                continue
            tried.append(secret())
            kind = outcome(daemon.call, step.method, replaced(params, path, tried[-1]))
            if kind != "content_refused":
                entered.append((step.method, path, kind))
        daemon.call(step.method, **params)

    assert entered == []
    assert len(tried) > 30
    stored = bytes_of(daemon).lower()
    assert [one for one in tried if one[12:].encode() in stored] == []


@pytest.mark.parametrize(
    "field",
    ["user_id", "username", "display_name", "chat_id", "session_id", "message_id", "participants"],
)
@pytest.mark.parametrize("method", ["memory.add", "memory.list", "grant.create"])
def test_no_scope_takes_a_secret(daemon: Daemon, scope: Scope, field: str, method: str) -> None:
    """Names in a scope are stored too, even by a reading call."""
    tried = secret()
    value = [tried] if field == "participants" else tried
    group = {"chat_id": "c-1", "chat_type": "group"}
    params = {"content": "I like tea"} if method == "memory.add" else {}
    with daemon.client() as client:
        error = refused(client, method, scope={**scope(), **group, field: value}, **params)

    assert error.kind == "content_refused"
    assert tried not in str(error.error)
    assert tried[12:].encode() not in bytes_of(daemon).lower()


def test_no_grant_takes_a_secret(daemon: Daemon, scope: Scope) -> None:
    """A sandbox's socket and the operator's refuse the same secrets."""
    grant = opened(daemon, scope(), rights=["read", "write", "forget"])
    with daemon.client(grant["socket"]) as client:
        for method, params in _of_a_sandbox(client):
            tried = secret()
            spoiled = [
                replaced(params, path, tried)
                for path in texts_in(params)
                if path[-1] not in {"name", "id"}
            ]
            for given in spoiled:
                kind = outcome(client.call, method, given)
                assert kind == "content_refused", (method, given)
            assert tried[12:].encode() not in bytes_of(daemon).lower()


def _of_a_sandbox(client: Client) -> Iterator[tuple[str, dict[str, Any]]]:
    fact = {"content": "I like tea", "subjects": ["Anna"], "tags": ["t"], "metadata": {"k": "v"}}
    yield "memory.add", {**fact, "idempotency_key": "key"}
    yield "memory.add", {"facts": [fact]}
    yield "person.resolve", {"reference": "Anna"}
    declared = {name: fact[name] for name in ("content", "subjects")}
    yield "tools.call", {"name": "remember", "arguments": {"facts": [declared]}}
    memory = client.call("memory.add", content="My bicycle is red")["memories"][0]["memory"]["id"]
    for field, value in fact.items():
        yield "memory.update", {"id": memory, "changes": {field: value}}


def test_an_argument_that_a_tool_ignores_is_stored_nowhere(daemon: Daemon, scope: Scope) -> None:
    """A fact is stored without the fields that the tool does not declare, and none is repeated."""
    tried = secret()
    grant = opened(daemon, scope())
    fact = {"content": "I like tea", "tags": [tried], "metadata": {tried: tried}}
    with daemon.client(grant["socket"]) as client:
        told = client.call("tools.call", name="remember", arguments={"facts": [fact], "k": tried})

    assert "I like tea" in told["content"]
    assert tried not in json.dumps(told)
    assert tried[12:].encode() not in bytes_of(daemon).lower()


@pytest.mark.parametrize("name", ["hunter2-Horse", "rosebud", None], ids=["made", "word", "key"])
def test_a_secret_in_place_of_a_name_is_not_repeated(
    daemon: Daemon, scope: Scope, name: str | None
) -> None:
    """The error names valid methods, parameters, fields or tools instead."""
    name = name or secret()
    grant = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client:
        answers = [
            refused(client, name),
            refused(client, f"memory.{name}"),
            refused(client, "memory.search", **{"query": "x", name: 1}),
            refused(client, "memory.search", **{"query": "x", f"query{name}": 1}),
            refused(client, "memory.update", id="0" * 8, changes={name: 1}),
        ]
        told = client.call("tools.call", name=name, arguments={})
        told_of = client.call("tools.call", name="recall", arguments={"query": "x", name: 1})

    assert {error.kind for error in answers} == {"method_not_found", "invalid_params"}
    assert name not in json.dumps([error.error for error in answers])
    assert name not in json.dumps([told, told_of])


def test_long_numbers_are_no_secrets_of_an_account(daemon: Daemon, scope: Scope) -> None:
    """Providers use numbers for users and chats, and some of them look like card numbers."""
    number = "4111111111111111"
    mine = {**scope(number), "chat_id": f"-{number}", "chat_type": "group"}

    added = daemon.call("memory.add", scope=mine, content="I like tea")["memories"][0]

    assert added["memory"]["owner_user_id"] == number


HIDDEN = ("\x1b[31m", "\x07", "\n", "\t", "\u202e", "\u2066", "\u200b", "\x7f", "\x9b")


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_an_id_holds_nothing_hidden(daemon: Daemon, scope: Scope, char: str) -> None:
    """An id is stored unchanged, so it is refused and not cleaned: two ids could become one."""
    spoiled = f"a{char}b"
    calls = [
        ("memory.list", {"scope": {**scope(), "user_id": spoiled}}),
        ("memory.list", {"scope": {**scope(), "chat_id": spoiled, "chat_type": "group"}}),
        ("memory.list", {"scope": {**scope(), "session_id": spoiled}}),
        ("memory.add", {"scope": scope(), "content": "x", "idempotency_key": spoiled}),
        ("conversation.ingest", {"scope": scope(), "conversation_id": spoiled, "turns": []}),
        (
            "conversation.ingest",
            {
                "scope": scope(),
                "conversation_id": "c",
                "messages": [{"content": "x", "external_id": spoiled}],
            },
        ),
    ]
    with daemon.client() as client:
        assert {refused(client, method, **params).kind for method, params in calls} == {
            "invalid_params"
        }


def test_what_is_tried_is_really_tried() -> None:
    """The helper reaches texts in lists and objects."""
    value = {"a": "x", "b": [{"c": "y"}, "z"], "d": 1}

    assert list(texts_in(value)) == [("a",), ("b", 0, "c"), ("b", 1)]
    assert replaced(value, ("b", 0, "c"), "!") == {"a": "x", "b": [{"c": "!"}, "z"], "d": 1}
    assert len(set(itertools.islice(iter(secret, None), 100))) == 100
