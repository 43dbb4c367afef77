"""Daemons on one database answer as if one had given every answer.

Random changes go through any of them; after each, all of them and a daemon that has just started
answer the same questions, and must answer the same. `make daemons-agree` runs many more.
"""

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import anyio
from erasures import daemon_app
from services import FixedClock

from ashd import limits
from ashd.access.actor import Peer
from ashd.ended_calls import Connection
from ashd.rpc import dispatch
from ashd.rpc.app import App, Session

CHANGES = int(os.environ.get("ASH_CHANGES", "40"))
SEED = int(os.environ.get("ASH_SEED", "0"))
USERS = ("ana", "ben", "cem")
GROUPS = ("kitchen",)
THINGS = ("rake", "ladder", "violin")
PLACES = ("cellar", "shed", "attic", "hall")
NOBODY = "00000000-0000-4000-8000-000000000000"
UNLIKE = frozenset({"access_count", "last_accessed_at", "took_ms", "elapsed_ms"})
"""Counters and times, which are each daemon's own."""

Known = tuple[str, dict[str, Any]]
"""The id of a memory, a person or an entry, and the scope in which it was made."""


class Host:
    """A daemon that is called over its control socket."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._session = Session(
            "control",
            "control",
            limits.CONTROL,
            anyio.CancelScope(),
            Peer(None, None),
            None,  # type: ignore[arg-type]  no call here opens or closes a socket
            Connection(-1),  # no call here looks whether its client hung up
        )

    async def call(self, method: str, **params: Any) -> Any:
        """The result of a call, or the kind of its error."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        line = await dispatch.reply_to(self._app, self._session, json.dumps(request).encode())
        assert line is not None
        reply = json.loads(line)
        return reply["error"]["data"]["kind"] if "error" in reply else reply["result"]


@asynccontextmanager
async def host(url: str, home: Path, clock: FixedClock) -> AsyncIterator[Host]:
    """A daemon that has just started."""
    async with daemon_app(home, clock, url) as app:
        yield Host(app)


class Changes:
    """Random changes, each through the daemon that it is given."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._memories: list[Known] = []
        self._people: list[Known] = []
        self._entries: list[Known] = []
        self._turns = 0
        self._kinds: list[tuple[int, Callable[[Host], Any]]] = [
            (8, self._add),
            (3, self._ingest),
            (2, self._rewrite),
            (2, self._delete),
            (1, self._restore),
            (2, self._join),
            (2, self._leave),
            (1, self._forget),
            (1, self._pin),
            (1, self._unpin),
            (1, self._create_person),
            (1, self._link),
            (1, self._unlink),
            (1, self._relate),
        ]

    def scope(self) -> dict[str, Any]:
        """The scope of somebody, alone or in a group with whoever is there."""
        user = {"provider": "test", "user_id": self._random.choice(USERS)}
        if self._random.random() < 0.6:
            return user
        return {**user, "chat_id": self._random.choice(GROUPS), "chat_type": "group"}

    async def one(self, daemon: Host) -> None:
        """Make one change."""
        weights = [weight for weight, _ in self._kinds]
        [(_, change)] = self._random.choices(self._kinds, weights)
        await change(daemon)

    def _pick(self, known: list[Known]) -> Known:
        return self._random.choice(known) if known else (NOBODY, self.scope())

    def _fact(self) -> str:
        thing, place = self._random.choice(THINGS), self._random.choice(PLACES)
        return f"The {thing} of {self._random.choice(USERS)} is in the {place}"

    async def _add(self, daemon: Host) -> None:
        scope = self.scope()
        stored = await daemon.call("memory.add", scope=scope, content=self._fact())
        self._memories += [
            (one["memory"]["id"], scope) for one in stored["memories"] if one.get("memory")
        ]

    async def _ingest(self, daemon: Host) -> None:
        self._turns += 1
        said = {"role": "user", "content": self._fact(), "external_id": f"m{self._turns}"}
        scope = self.scope()
        conversation = f"{scope['user_id']} in {scope.get('chat_id')}"
        await daemon.call(
            "conversation.ingest", scope=scope, conversation_id=conversation, messages=[said]
        )

    async def _rewrite(self, daemon: Host) -> None:
        memory, scope = self._pick(self._memories)
        changes = {"content": self._fact()}
        await daemon.call("memory.update", scope=scope, id=memory, changes=changes)

    async def _delete(self, daemon: Host) -> None:
        memory, scope = self._pick(self._memories)
        await daemon.call("memory.delete", scope=scope, id=memory)

    async def _restore(self, daemon: Host) -> None:
        memory, scope = self._pick(self._memories)
        await daemon.call("memory.restore", scope=scope, id=memory)

    async def _join(self, daemon: Host) -> None:
        await daemon.call("chat.join", chat=self._group(), account=self._account())

    async def _leave(self, daemon: Host) -> None:
        await daemon.call("chat.leave", chat=self._group(), account=self._account())

    def _group(self) -> dict[str, Any]:
        chat = self._random.choice(GROUPS)
        return {"provider": "test", "chat_id": chat, "chat_type": "group"}

    def _account(self) -> dict[str, Any]:
        return {"provider": "test", "user_id": self._random.choice(USERS)}

    async def _forget(self, daemon: Host) -> None:
        person, scope = self._pick(self._people)
        await daemon.call("memory.forget_person", scope=scope, person_id=person, erase=True)

    async def _pin(self, daemon: Host) -> None:
        scope = self.scope()
        made = await daemon.call("override.add", scope=scope, content=self._fact())
        self._entries.append((made["override"]["id"], scope))

    async def _unpin(self, daemon: Host) -> None:
        entry, scope = self._pick(self._entries)
        await daemon.call("override.remove", scope=scope, id=entry)

    async def _create_person(self, daemon: Host) -> None:
        scope = self.scope()
        name = f"{self._random.choice(PLACES).title()} Smith"
        made = await daemon.call("person.create", scope=scope, name=name)
        self._people.append((made["person"]["id"], scope))

    async def _link(self, daemon: Host) -> None:
        person, scope = self._pick(self._people)
        await daemon.call("person.link_account", scope=scope, id=person, account=self._account())

    async def _unlink(self, daemon: Host) -> None:
        person, scope = self._pick(self._people)
        await daemon.call("person.unlink_account", scope=scope, id=person, account=self._account())

    async def _relate(self, daemon: Host) -> None:
        source, target = self._random.sample(THINGS, 2)
        await daemon.call(
            "graph.relate", scope=self.scope(), source=source, relation="near", target=target
        )


Question = tuple[str, dict[str, Any]]

QUESTIONS: list[Question] = [
    ("memory.list", {}),
    ("memory.conflicts", {}),
    ("conversation.search", {"query": "Where is the ladder"}),
    ("context.get", {"message": "Where is the rake, and the violin"}),
    ("graph.search", {"name": "ladder"}),
    ("person.list", {}),
    ("override.list", {}),
    *(("memory.search", {"query": f"Where is the {thing}", "min_score": 0}) for thing in THINGS),
]


def _alike(answer: Any) -> Any:
    """An answer without what is each daemon's own."""
    if isinstance(answer, dict):
        return {name: _alike(one) for name, one in answer.items() if name not in UNLIKE}
    return [_alike(one) for one in answer] if isinstance(answer, list) else answer


async def test_daemons_agree(url: str, tmp_path: Path) -> None:
    """With each other, and with one that remembers nothing."""
    random, clock = Random(SEED), FixedClock()
    asked = 0
    async with AsyncExitStack() as running:
        changes = Changes(random)
        daemons = [
            await running.enter_async_context(host(url, tmp_path / f"home-{number}", clock))
            for number in range(random.choice([2, 3, 5]))
        ]
        for number in range(CHANGES):
            clock.pass_by(seconds=1)
            await changes.one(random.choice(daemons))
            scope = changes.scope()
            questions = random.sample(QUESTIONS, 4)
            async with host(url, tmp_path / "fresh", clock) as fresh:
                right = [await _answer(fresh, scope, question) for question in questions]
            for daemon in daemons:
                for question, expected in zip(questions, right, strict=True):
                    answer = await _answer(daemon, scope, question)
                    assert answer == expected, f"seed {SEED}, change {number}: {question} {scope}"
                    asked += isinstance(answer, dict)
    assert asked > CHANGES, "most questions were answered"


async def _answer(daemon: Host, scope: dict[str, Any], question: Question) -> Any:
    method, params = question
    return _alike(await daemon.call(method, scope=scope, **params))
