"""Every way of asking the daemon: each returns its replies as text, and the memories it showed.

A surface is told of one memory to ask about. `Shown.memories` is None if it shows what fits the
question only; then the memory asked about must be among its words if it is shown at all.
"""

import html
import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from daemons import CallFailed

from disclosure_oracle.history import History
from disclosure_oracle.rules import EVERY, PROJECTS, UNNAMED, Place, Told

Json = dict[str, Any]
_BOX = re.compile(r"Box (\w+) stays here")


class Shown(NamedTuple):
    """The replies of a surface as text, and the words of all memories in use that it showed."""

    text: str
    memories: set[str] | None = None
    every: set[str] | None = None
    """The words of all memories that it showed, whatever their state."""
    wrong: Sequence[str] = ()
    """Other differences."""


Surface = Callable[[History, Place, Told], Shown | None]


def _words(listed: list[Json]) -> set[str]:
    return {one["content"].split()[1] for one in listed}


def _question(asked: Told) -> str:
    return f"Box {asked.word}"


def listing(history: History, place: Place, _asked: Told) -> Shown:
    """`memory.list`, its total, and the list of what was replaced."""
    listed = history.call("memory.list", place, limit=100)
    replaced = history.call("memory.list", place, limit=100, state="superseded")
    assert listed["next_cursor"] is None
    assert listed["total"] == len(listed["memories"])
    assert not _words(listed["memories"]) & _words(replaced["memories"])
    assert all(one["superseded_at"] is None for one in listed["memories"])
    return Shown(json.dumps([listed, replaced]), _words(listed["memories"]))


def search(history: History, place: Place, asked: Told) -> Shown:
    """`memory.search` and `context.get`."""
    query = _question(asked)
    found = history.call("memory.search", place, query=query, min_score=0, limit=50)
    block = history.call("context.get", place, message=query)
    return Shown(json.dumps([found, block]))


def by_id(history: History, place: Place, asked: Told) -> Shown:
    """`memory.get` and `memory.history`: hidden ones are as unknown as those that never were."""
    replies = []
    for method in ("memory.get", "memory.history"):
        try:
            replies.append(history.call(method, place, id=asked.id))
        except CallFailed as failed:
            replies.append(failed.error if failed.kind == "not_found" else {"memory": "?"})
    found = {asked.word} if "memory" in replies[0] else set()
    found |= _words(replies[1].get("chain", []))
    chain = {one.word for one in _chain(history, asked) if history.rules.sees(place, one)}
    expected = chain if history.rules.sees(place, asked) else set()
    wrong = [f"{found} by the id of {asked}, for {expected}"] if found != expected else []
    return Shown(json.dumps(replies), wrong=wrong)


def _chain(history: History, memory: Told) -> list[Told]:
    """Return the memories of a chain: all that lead to the same last one."""

    def last(one: Told) -> str:
        while one.winner is not None:
            one = history.model.memories[one.winner]
        return one.word

    return [one for one in history.model.memories.values() if last(one) == last(memory)]


def people(history: History, place: Place, _asked: Told) -> Shown:
    """`person.list`."""
    return Shown(json.dumps(history.call("person.list", place, limit=100)))


def projects(history: History, place: Place, _asked: Told) -> Shown:
    """`project.list`: the projects of what is read there, with counts."""
    listed = history.call("project.list", place)["projects"]
    counted = {one["id"]: (one["memories"], one["messages"]) for one in listed}
    rules, expected = history.rules, {}
    for name in PROJECTS:
        told = [one for one in rules.memories.values() if one.project == name]
        said = [one for one in rules.messages if one.project == name]
        counts = (
            sum(rules.is_shown(place, one) for one in told),
            sum(rules.reads(place, one) for one in said),
        )
        if any(counts):
            project = history.project(name)
            assert isinstance(project, dict)
            expected[project["id"]] = counts
    wrong = [f"counts {counted} for {expected}"] if counted != expected else []
    return Shown(json.dumps(listed), wrong=wrong)


def export(history: History, place: Place, _asked: Told) -> Shown:
    """`db.export` for a scope."""
    path = history.world.daemon.home / f"export{secrets.token_hex(8)}.jsonl"
    try:
        history.call("db.export", place, path=str(path))
        text = Path(path).read_text(encoding="utf-8")
    finally:
        path.unlink(missing_ok=True)
    records = [json.loads(line) for line in text.splitlines()]
    written = [one for one in records if one["kind"] == "memory"]
    replaced = {
        one["memory"] for one in records if one["kind"] == "supersession" and one["until"] is None
    }
    in_use = [one for one in written if not one["archived_at"] and one["id"] not in replaced]
    return Shown(text, _words(in_use), _words(written))


def graph(history: History, place: Place, _asked: Told) -> Shown:
    """`graph.search` over all relations."""
    found = history.call("graph.search", place, limit=100)
    return Shown(json.dumps(found))


@contextmanager
def _granted(history: History, place: Place) -> Iterator[str | None]:
    """Open a grant for a place; None for a group in which the account takes no part."""
    daemon = history.world.daemon
    if place.group is not None and place.account not in history.model.here(place.group):
        yield None
        return
    grant = daemon.call("grant.create", scope=history.scope(place), rights=["read"])
    try:
        yield grant["socket"]
    finally:
        daemon.call("grant.revoke", grant_id=grant["grant_id"])


def grant(history: History, place: Place, asked: Told) -> Shown | None:
    """The list, the search and the context of a sandbox."""
    daemon = history.world.daemon
    with _granted(history, place) as socket:
        if socket is None:
            return None
        listed = daemon.call("memory.list", at=socket, limit=100)
        query = _question(asked)
        found = daemon.call("memory.search", at=socket, query=query, min_score=0, limit=50)
        text = daemon.call("context.get", at=socket, message=query)
    return Shown(json.dumps([listed, found, text]), _words(listed["memories"]))


def mcp(history: History, place: Place, asked: Told) -> Shown | None:
    """The tools of an agent that speaks MCP over its grant's socket."""
    daemon = history.world.daemon
    with _granted(history, place) as socket:
        if socket is None:
            return None
        replies = [
            daemon.call("tools/call", at=socket, name=name, arguments=arguments)
            for name, arguments in _tools(asked)
        ]
    assert not any(reply.get("isError") for reply in replies), replies
    return Shown(json.dumps(replies))


def _tools(asked: Told) -> list[tuple[str, Json]]:
    query = _question(asked)
    return [("recall", {"query": query}), ("search_conversations", {"query": query})]


def http(history: History, place: Place, asked: Told) -> Shown | None:
    """`/rpc` and `/mcp` of the gateway; only its agents have keys, and no groups."""
    if not history.is_agent(place.account) or place.group is not None or place.chat is not None:
        return None
    if place.project == EVERY:
        return None  # a key reads one project at a time
    key = history.keys.get(place.account)
    gateway = history.world.gateway
    if key is None:
        key = history.keys[place.account] = gateway.key_for(history.user(place.account))

    project = history.project(place.told_in)
    named = {"X-Ash-Project": project["id"]} if isinstance(project, dict) else {}

    def send(path: str, method: str, params: Json) -> Json:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, _, raw = gateway.ask("POST", path, body, key=key, **named)
        assert status == 200, raw
        reply: Json = json.loads(raw)
        return reply

    listed = send("/rpc", "memory.list", {"limit": 100})
    query = {"query": _question(asked), "min_score": 0, "limit": 50}
    replies = [listed, send("/rpc", "memory.search", query)]
    for name, arguments in _tools(asked):
        replies.append(send("/mcp", "tools/call", {"name": name, "arguments": arguments}))
    return Shown(json.dumps(replies), _words(listed["result"]["memories"]))


def page(history: History, place: Place, asked: Told) -> Shown:
    """The page in the browser, as somebody: memories, people, conversations, one memory."""
    if place.project not in {UNNAMED, EVERY}:
        return None
    visitor, scope = history.world.visitor, history.scope(place)
    chosen = visitor.post(
        "/viewing",
        account=f"{scope['provider']}:{scope['user_id']}",
        chat=scope.get("chat_id", ""),
        chat_type=scope.get("chat_type", ""),
        back="/memories",
    )
    assert chosen.status == 200, chosen.words
    paths = ["/people", "/conversations", f"/memories/{asked.id}"]
    others = [visitor.get(path) for path in paths]
    assert {one.status for one in others} <= {200, 404}
    text = "\n".join(html.unescape(_body(one.text)) for one in [chosen, *others])
    return Shown(text, set(_BOX.findall(_body(chosen.text))) if _is_whole(chosen.text) else None)


def _body(text: str) -> str:
    """Return a page without the picker, which names accounts to the operator who looks."""
    return re.sub(r"<header.*?</header>", "", text, flags=re.DOTALL)


def _is_whole(text: str) -> bool:
    return "cursor=" not in text


SURFACES: dict[str, Surface] = {
    one.__name__: one
    for one in (listing, search, by_id, people, projects, export, graph, grant, mcp, http, page)
}
ALWAYS = ("listing", "search", "people", "graph")
"""The surfaces that are asked in every place; the others are asked in some."""
LOOK_AFTER = ("listing", "by_id", "projects", "export", "page")
"""The surfaces by which a person looks after what is stored."""
OFTEN = 0.12
"""The share of the places in which each of the others is asked."""
FIND = ("search", "grant", "mcp", "http")
"""The surfaces that must show the memory asked about, if it is in use there."""
