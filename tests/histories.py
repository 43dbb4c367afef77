"""Random histories of a database: people who are told of, merged, joined, talked about, withdrawn.

Each text has a word of its own, so that a scan of the files tells what is left of it.
"""

import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, cast

import anyio
from erasures import daemon_app
from rows import opened_tx
from services import FixedClock

from ashd.access.actor import Peer
from ashd.clock import DAY
from ashd.ended_calls import Connection
from ashd.limits import CONTROL
from ashd.rpc import dispatch
from ashd.rpc.app import App, Session
from ashd.store import passages, summaries
from ashd.store.database import Database
from ashd.store.passages import Passage
from ashd.store.transaction import Tx

_SYLLABLES: Final = ("ba", "ko", "ri", "mu", "ze", "lo", "ta", "xi", "ne", "fu")
USERS: Final = ("ada", "bob", "cyd")
_GROUP: Final = {"chat_id": "club", "chat_type": "group", "participants": list(USERS)}
_SHADOWS: Final = ("passage_fts_", "sqlite_")


class SeededClock(FixedClock):
    """A clock whose ids are the same in every run of a seed."""

    def __init__(self, seed: str, at: int) -> None:
        super().__init__(at)
        self._chance = random.Random(seed)

    def new_id(self) -> str:
        """A UUID, version 4."""
        digits = f"{self._chance.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class _NoSockets:
    """Grants without sockets."""

    tcp_address = None

    async def open(self, grant: Any) -> tuple[Path, Path]:
        """Pretend to listen."""
        return Path(grant.id), Path(grant.id, "socket")

    async def close(self, grant_id: str) -> None:
        """There is nothing to close."""


class Caller:
    """Calls methods of a daemon's parts, as the person on the host does."""

    def __init__(self, app: App, clock: FixedClock) -> None:
        self.db: Database = app.db
        self.clock = clock
        self._app = app
        self._session = Session(
            listener="control",
            place="control",
            limits=CONTROL,
            scope=anyio.CancelScope(),
            peer=Peer(None, None),
            listeners=cast("Any", _NoSockets()),
            connection=Connection(-1),  # no client hangs up
        )

    async def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the reply's result or error."""
        self.clock.pass_by(seconds=0.001)
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = await dispatch.reply_to(self._app, self._session, json.dumps(frame).encode())
        assert reply is not None
        answer: dict[str, Any] = json.loads(reply)
        return answer

    async def result(self, method: str, **params: Any) -> Any:
        """Return the result; None for an error."""
        return (await self(method, **params)).get("result")


class History:
    """A history before an erasure; `words` are all that were ever told."""

    def __init__(self, seed: str, call: Caller) -> None:
        self.chance = random.Random(seed)
        self.call = call
        self.words: set[str] = set()
        self._numbers = self.chance.sample(range(10**4), 10**4)
        first = [self.word() for _ in range(4)]
        self.names = [f"{self.chance.choice(first)} {self.word()}" for _ in range(4)] + first[:2]
        self.memories: list[str] = []
        self.people: list[str] = []
        self.grants: list[str] = []

    def word(self) -> str:
        """Return a word that stands nowhere else, also where texts follow one another."""
        digits = f"{self._numbers.pop():04d}"
        made = "Q" + "".join(_SYLLABLES[int(one)] for one in digits) + "bo"
        self.words.add(made)
        return made

    def scope(self, *, group: bool | None = None) -> dict[str, Any]:
        """Return somebody's scope, in private or in the group."""
        user = self.chance.choice(USERS)
        there = self.chance.random() < 0.25 if group is None else group
        return {"provider": "test", "user_id": user, **(_GROUP if there else {})}

    async def happen(self, steps: int) -> None:
        """Let so much happen."""
        kinds: dict[Callable[[], Awaitable[None]], int] = {
            self._add: 10,
            self._add_several: 2,
            self._change: 3,
            self._ingest: 3,
            self._create: 2,
            self._name: 2,
            self._merge: 2,
            self._split: 1,
            self._join: 1,
            self._part: 1,
            self._relate: 2,
            self._pin: 1,
            self._grant: 1,
            self._withdraw: 1,
            self._wait: 2,
        }
        for _ in range(steps):
            await self.chance.choices(list(kinds), list(kinds.values()))[0]()

    def _sentence(self) -> str:
        about = self.chance.choice([self.word(), self.chance.choice(self.names)])
        verb = self.chance.choice(["likes", "sails with", "paints", "told of", "lives near"])
        return f"{about} {verb} {self.word()}"

    def _fact(self) -> dict[str, Any]:
        fact: dict[str, Any] = {"content": self._sentence()}
        named = self.chance.sample(self.names, self.chance.choice([0, 1, 1, 1, 2]))
        if named:
            friend = "my friend " if self.chance.random() < 0.3 else ""
            fact["subjects"] = [friend + named[0], *named[1:]]
        if self.chance.random() < 0.2:
            fact["tags"] = [self.word()]
        if self.chance.random() < 0.1:
            fact["type"] = "context"
        if self.chance.random() < 0.1:
            fact["expires_in_days"] = 1
        return fact

    async def _store(self, **params: Any) -> None:
        done = await self.call.result("memory.add", **params)
        for entry in (done or {}).get("memories", ()):
            if entry.get("memory"):
                self.memories.append(entry["memory"]["id"])
                self.people += entry["memory"]["subject_person_ids"]

    async def _add(self) -> None:
        scope = self.scope()
        key = {"idempotency_key": self.word()} if self.chance.random() < 0.3 else {}
        shared = {"shared": True} if "chat_id" in scope and self.chance.random() < 0.4 else {}
        await self._store(scope=scope, **key, **shared, **self._fact())

    async def _add_several(self) -> None:
        await self._store(scope=self.scope(), facts=[self._fact() for _ in range(3)])

    async def _change(self) -> None:
        if not self.memories:
            return
        memory = self.chance.choice(self.memories)
        if self.chance.random() < 0.4:
            await self.call("memory.delete", all_scopes=True, id=memory)
            return
        changes = {"content": self._sentence()}
        scope = self.scope(group=False)
        done = await self.call.result("memory.update", scope=scope, id=memory, changes=changes)
        if done:
            self.memories.append(done["memory"]["id"])

    async def _ingest(self) -> None:
        scope = self.scope()
        messages = [
            {"role": role, "content": self._sentence(), "speaker": self.word()}
            for role in ("user", "assistant", "user")
        ]
        name = f"talk {self.chance.randrange(3)} {scope['user_id']}"
        if "chat_id" in scope:
            name = "club talk"
        await self.call("conversation.ingest", scope=scope, conversation_id=name, messages=messages)

    async def _create(self) -> None:
        name = self.chance.choice(self.names)
        scope = self.scope(group=False)
        more = {"relationship": "friend"} if self.chance.random() < 0.5 else {}
        done = await self.call.result("person.create", scope=scope, name=name, **more)
        if done:
            self.people.append(done["person"]["id"])

    async def _name(self) -> None:
        if self.people:
            person, scope = self.chance.choice(self.people), self.scope(group=False)
            if self.chance.random() < 0.6:
                await self.call("person.add_alias", scope=scope, id=person, alias=self.word())
            else:
                await self.call("person.relate", scope=scope, id=person, relationship="cousin")

    async def _merge(self) -> None:
        if len(self.people) > 1:
            one, other = self.chance.sample(self.people, 2)
            await self.call("person.merge", all_scopes=True, id=one, into=other)

    async def _split(self) -> None:
        if self.people:
            await self.call("person.split", all_scopes=True, id=self.chance.choice(self.people))

    def _account(self) -> dict[str, Any]:
        return {"provider": "test", "user_id": self.chance.choice(USERS)}

    async def _join(self) -> None:
        scope = self.scope(group=False)
        own = await self.call.result("person.resolve", scope=scope, reference="me")
        if own:
            person = own["person_id"]
            await self.call("person.link_account", id=person, account=self._account())

    async def _part(self) -> None:
        account = self._account()
        scope = {"provider": "test", "user_id": account["user_id"]}
        own = await self.call.result("person.resolve", scope=scope, reference="me")
        if own:
            await self.call("person.unlink_account", id=own["person_id"], account=account)

    async def _relate(self) -> None:
        scope, things = self.scope(), [self.word() for _ in range(2)]
        if self.chance.random() < 0.4:
            things[0] = self.chance.choice(self.names)
            kind = {"source_type": "person"}
        else:
            kind = {}
        if self.chance.random() < 0.3:
            entity = {"name": things[0], "type": "project", "aliases": [self.word()]}
            await self.call("graph.add_entity", scope=scope, **entity)
        named = {"source": things[0], "relation": "uses", "target": things[1], **kind}
        await self.call("graph.relate", scope=scope, **named)

    async def _pin(self) -> None:
        scope = self.scope(group=False)
        await self.call("override.add", scope=scope, content=self._sentence())
        await self.call("profile.set", scope=scope, text=self._sentence(), notes=self._sentence())

    async def _grant(self) -> None:
        done = await self.call.result("grant.create", scope=self.scope(group=False))
        if done:
            self.grants.append(done["grant_id"])

    async def _withdraw(self) -> None:
        if self.memories:
            ids = [self.chance.choice(self.memories)]
            await self.call("memory.withdraw", all_scopes=True, ids=ids)

    async def _wait(self) -> None:
        self.call.clock.pass_by(days=self.chance.choice([0.1, 2, 40]))

    # What a model, an embedder and a sandbox would have added ------------------------------------

    async def learn(self) -> None:
        """Add vectors, jobs, summaries, learned profiles, and say what came through grants."""
        await self.call.db.write(self._learn)

    def _learn(self, tx: Tx) -> None:
        chance = self.chance
        for (memory,) in tx.all("select id from memories order by id"):
            if self.grants and chance.random() < 0.3:
                grant = chance.choice(self.grants)
                tx.run("update memories set grant_id = ? where id = ?", grant, memory)
        turns = tx.all(
            "select t.id, t.uuid, t.content, c.external_id, c.chat, c.id, t.position, t.account"
            " from messages t join conversations c on c.id = t.conversation order by t.id"
        )
        for number, uuid, content, name, chat, conversation, position, account in turns:
            if chance.random() < 0.3:
                tx.run(
                    "update memories set source = 'extraction', source_session_id = ?,"
                    " source_message_id = ? where id = (select min(id) from memories"
                    "  where learned_in = ? and source <> 'extraction')",
                    *(name, chance.choice([uuid, None]), chat),
                )
            if account is not None and chance.random() < 0.4:
                tx.run(
                    "insert into profile_statements"
                    " (account, statement, confidence, message, created_at) values (?, ?, 1, ?, ?)"
                    " on conflict do nothing",
                    *(account, self._sentence(), chance.choice([number, None]), tx.now),
                )
            if chance.random() < 0.2:
                self._summarise(tx, conversation, chat, position)
            if chance.random() < 0.2:
                _put_job(tx, content, ascii_only=chance.random() < 0.5)
        for (content,) in tx.all("select content from memories order by id"):
            if chance.random() < 0.1:
                _put_job(tx, content, ascii_only=chance.random() < 0.5)
        for (number,) in tx.all("select max(id) from profile_versions group by owner order by 1"):
            learned = json.dumps(self._sentence())
            tx.run("update profile_versions set learned = ? where id = ?", learned, number)
        tx.run("delete from meta where key = 'clock'")  # the days that passed were no jump
        tx.run(
            "insert into embedding_sets (id, model, dimension, state, created_at)"
            " values (1, 'made up', 2, 'retired', 0)"
        )
        tx.run(
            "insert into embeddings (embedding_set, hash, pooled)"
            " select distinct 1, hash, ? from passages",
            bytes.fromhex("0011223344556677"),
        )
        tx.run(
            "insert into passage_vectors (embedding_set, scope, passage)"
            " select 1, chat * 2 + kind, id from passages order by id"
        )

    def _summarise(self, tx: Tx, conversation: int, chat: int, position: int) -> None:
        text = self._sentence()
        values = {
            **dict.fromkeys(("topics", "decisions", "key_dates", "action_items"), "[]"),
            "conversation": conversation,
            "overall": text,
            "messages": 1,
            "first_position": position,
            "last_position": position,
            "said_from": tx.now,
            "said_until": tx.now,
            "ends_at": tx.now + 900 * DAY,
        }
        passage = {
            "kind": passages.SUMMARY,
            "item": summaries.insert(tx, values),
            "ordinal": 0,
            "chat": chat,
            "hash": text.encode()[-16:],
            "body": text,
            "names": "",
            "dates": "",
            "grams": "",
            "dated": False,
            "asking": 0.0,
            "ends_asking": False,
        }
        passages.insert(tx, Passage(words=4, **passage))


def _put_job(tx: Tx, text: str, *, ascii_only: bool) -> None:
    tx.run(
        "insert into jobs (uuid, kind, key, owner, state, payload, not_before, attempts, failures,"
        " interruptions, tokens, created_at)"
        " values (?, 'made up', '', '', 'delayed', ?, ?, 0, 0, 0, 0, ?)",
        *(tx.new_id(), json.dumps({"text": text}, ensure_ascii=ascii_only), tx.now + 900 * DAY),
        tx.now,
    )


# Erasures ----------------------------------------------------------------------------------------


def erasures(history: History, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Choose calls that erase, forget, withdraw and clean up."""
    chance = history.chance

    def person(scope: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        how = chance.choice(
            [
                {},
                {"delete_person_record": True},
                {"erase": True},
                {"erase": True},
                {"erase": True, "mentions": True},
                {"erase": True, "mentions": True},
            ]
        )
        whom = chance.choice(history.people or ["nobody"])
        return "memory.forget_person", {**scope, "person_id": whom, **how}

    def withdraw(scope: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        filters = [{"source": "rpc"}, {"session_id": "talk 1 ada"}, {"since": "2026-01-01"}]
        filters += [{"grant_id": one} for one in history.grants[:1]]
        filters += [{"ids": history.memories[:2]}] if history.memories else []
        return "memory.withdraw", {**scope, **chance.choice(filters)}

    made = []
    for _ in range(count):
        by_scope = {"scope": history.scope()}
        scope = {"all_scopes": True} if chance.random() < 0.6 else by_scope
        talk = f"talk {chance.randrange(3)} {chance.choice(USERS)}"
        account = {"provider": "test", "user_id": chance.choice(USERS)}
        memory = {"id": chance.choice(history.memories or ["nothing"])}
        kinds = [
            ("memory.erase", {**scope, **memory}),
            ("memory.erase", {**scope, **memory}),
            ("memory.erase", {**scope, "conversation_id": chance.choice([talk, "club talk"])}),
            ("memory.erase", {"grant_id": chance.choice(history.grants or ["none"])}),
            ("memory.erase", {"owner": account}),
            person(scope),
            person(scope),
            person(scope),
            withdraw(scope),
            ("db.gc", {}),
            ("db.compact", {"older_than_days": chance.choice([0, 30]), "force": True}),
            ("conversation.delete", {**scope, "conversation_id": talk}),
            ("memory.restore", {"all_scopes": True, **memory}),
        ]
        if chance.random() < 0.04:
            kinds = [("db.clear", {"confirm": "everything"})]
        method, params = chance.choice(kinds)
        if chance.random() < 0.3:
            params = {**params, "idempotency_key": history.word()}
        made.append((method, params))
    return made


def dump(path: Path) -> dict[str, list[str]]:
    """Return every row of every table, as text."""
    with opened_tx(path, read_only=True) as tx:
        names = tx.dialect.catalog.tables(tx.connection)
        return {
            name: sorted(map(repr, tx.all(f"select * from {name} where {kept}")))
            for name in names
            if not name.startswith(_SHADOWS)
            for kept in ["key not in ('clock', 'commits')" if name == "meta" else "true"]
        }


def told(rows: dict[str, list[str]], words: set[str]) -> set[str]:
    """Return those of the words that a row still has, in any form that a scan finds."""
    text = "\n".join(row for table in rows.values() for row in table).lower()
    return {word for word in words if word.lower() in text or word.lower()[:-2] in text}


__all__ = ["Caller", "History", "SeededClock", "daemon_app", "dump", "erasures", "told"]
