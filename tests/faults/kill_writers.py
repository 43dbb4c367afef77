"""Writers whose every call is acknowledged, or repeated with its key after a kill, and compared.

Each has users of its own and knows exactly what the daemon must hold for them.
"""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from daemons import Client

_SYLLABLES = ("ba", "ko", "ri", "mu", "ze", "lo", "ta", "shi", "ne", "fu")


class Sent(NamedTuple):
    """A call with its key, and what its answer changes in the writer's knowledge."""

    method: str
    params: dict[str, Any]
    then: Callable[[Any], None]


class Tally:
    """Counts over all rounds."""

    def __init__(self) -> None:
        self.acknowledged: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.lost: list[str] = []
        self.doubled: list[str] = []
        self.others: list[str] = []
        """Anything else that is not as it must be."""


class Writer:
    """One client that sends one call after the other."""

    def __init__(self, name: str, seed: int, tally: Tally) -> None:
        self.name = name
        self.chance = random.Random(f"{seed} {name}")
        self.tally = tally
        self.me = {"provider": "test", "user_id": name}
        self.facts: dict[str, str] = {}
        """Text to id of every memory that must be there, once."""
        self.pending: Sent | None = None
        self.numbers = itertools.count()
        self.erased: set[str] = set()
        """Words that may be in no file."""

    def word(self) -> str:
        """Return a name that nothing else has."""
        digits = f"{self.chance.randrange(10**7):07d}{next(self.numbers) % 1000:03d}"
        return "".join(_SYLLABLES[int(digit)] for digit in digits).capitalize()

    def step(self, client: Client) -> None:
        """Make a call of some kind; if the daemon is killed meanwhile, it stays pending.

        A call that is pending comes first: whether it took effect decides what may come next.
        """
        if self.pending is not None:
            self.settle(client)
        else:
            self._send(client, self.next())

    def settle(self, client: Client) -> None:
        """Repeat the call that was interrupted, with its key."""
        if self.pending is not None:
            self.tally.repeated[self.pending.method] += 1
            self._send(client, self.pending)

    def _send(self, client: Client, sent: Sent) -> None:
        self.pending = sent
        answer = client.call(sent.method, **sent.params)
        self.pending = None
        self.tally.acknowledged[sent.method] += 1
        sent.then(answer)

    def call(
        self, method: str, then: Callable[[Any], None] = lambda _: None, **params: Any
    ) -> Sent:
        """Return a call on the writer's behalf, with a key."""
        key = f"{self.name} {next(self.numbers)}"
        return Sent(method, {"scope": self.me, "idempotency_key": key, **params}, then)

    def next(self) -> Sent:
        """Choose the next call."""
        raise NotImplementedError

    def compare(self, client: Client) -> None:
        """Compare what the daemon holds with what it must hold."""
        self.expect("memory", Counter(self.facts), _listed(client, self.me))

    def expect(self, what: str, wanted: Counter[str], found: Counter[str]) -> None:
        """Note what is missing, and what is there too often."""
        expected = Counter(dict.fromkeys(wanted, 1))
        self.tally.lost += [f"{self.name} {what}: {one}" for one in expected - found]
        self.tally.doubled += [f"{self.name} {what}: {one}" for one in found - expected]

    def require(self, *, true: bool, what: str) -> None:
        """Note that something else is wrong."""
        if not true:
            self.tally.others.append(f"{self.name}: {what}")

    def add(self, text: str, **params: Any) -> Sent:
        """Return a call that stores a fact."""

        def stored(answer: Any) -> None:
            self.facts[text] = answer["memories"][0]["memory"]["id"]

        return self.call("memory.add", stored, content=text, **params)


class Eraser(Writer):
    """Stores facts, deletes some and erases others."""

    def next(self) -> Sent:
        """Choose the next call."""
        kind = self.chance.choices(["add", "delete", "erase"], [5, 1, 2])[0]
        if kind == "add" or not self.facts:
            return self.add(f"Parcel {self.word()} is in locker {self.word()}")
        text = self.chance.choice(sorted(self.facts))

        def gone(answer: Any) -> None:
            del self.facts[text]
            if kind == "erase":
                self.erased.add(text.split()[1])
                self.require(true=answer["erased"] == 1, what=f"receipt of {text}: {answer}")

        return self.call(f"memory.{kind}", gone, id=self.facts[text])


class Forgetter(Writer):
    """Stores facts about people, and forgets those people."""

    def __init__(self, name: str, seed: int, tally: Tally) -> None:
        super().__init__(name, seed, tally)
        self.people: dict[str, str] = {}
        self.about: dict[str, list[str]] = {}

    def next(self) -> Sent:
        """Choose the next call."""
        ready = [name for name, texts in self.about.items() if len(texts) >= 3]
        if ready and self.chance.random() < 0.5:
            return self._forget(self.chance.choice(sorted(ready)))
        name = next((one for one, texts in self.about.items() if len(texts) < 3), None)
        if name is None:
            name = f"{self.word()} {self.word()}"
        return self._tell(name)

    def _tell(self, name: str) -> Sent:
        text = f"Their boat is called {self.word()}"
        sent = self.add(text, subjects=[name])

        def stored(answer: Any) -> None:
            sent.then(answer)
            self.about.setdefault(name, []).append(text)
            self.people[name] = answer["memories"][0]["people"][0]["id"]

        return sent._replace(then=stored)

    def _forget(self, name: str) -> Sent:
        def gone(answer: Any) -> None:
            texts = self.about.pop(name)
            del self.people[name]
            for text in texts:
                del self.facts[text]
            self.erased.update(name.split())
            self.require(
                true=answer["erased"] == len(texts) and answer["receipt"]["rows"]["people"] == 1,
                what=f"receipt of {name}: {answer}",
            )

        return self.call("memory.forget_person", gone, person_id=self.people[name], erase=True)

    def compare(self, client: Client) -> None:
        """Compare memories and people."""
        super().compare(client)
        found = client.call("person.list", scope=self.me, limit=100)["people"]
        names = Counter(one["name"] for one in found if one["name"] != self.name)
        self.expect("person", Counter(self.people), names)


class Joiner(Writer):
    """Merges and splits people, joins accounts and parts them, and relates people and things."""

    def __init__(self, name: str, seed: int, tally: Tally) -> None:
        super().__init__(name, seed, tally)
        self.people: dict[str, str] = {}
        self.merged: dict[str, str] = {}
        """The name of a person to the name of the one it was merged into."""
        self.joined = False
        self.bosses: set[str] = set()
        self.relations: dict[str, str] = {}
        self.account = {"provider": "test", "user_id": f"{name}'s other"}

    def next(self) -> Sent:
        """Choose the next call."""
        free = sorted(set(self.people) - set(self.merged) - set(self.merged.values()))
        kinds = [self._link, self._relate_things, self._create]
        if len(free) > 2:
            kinds += [self._merge, self._relate_people] * 2
        if self.merged:
            kinds += [self._split] * 2
        if len(self.people) > 12:
            kinds.remove(self._create)
        if len(self.relations) > 20:
            kinds.append(self._remove_relation)
        return self.chance.choice(kinds)() if self.people else self._create()

    def _free(self) -> list[str]:
        """Return the people who may be merged, but the first: the account is joined to that one."""
        taken = {*self.merged, *self.merged.values(), next(iter(self.people))}
        return sorted(set(self.people) - taken)

    def _create(self) -> Sent:
        name = f"{self.word()} {self.word()}"

        def made(answer: Any) -> None:
            self.people[name] = answer["person"]["id"]

        return self.call("person.create", made, name=name)

    def _merge(self) -> Sent:
        loser, winner = self.chance.sample(self._free(), 2)

        def done(_: Any) -> None:
            self.merged[loser] = winner

        return self.call("person.merge", done, id=self.people[loser], into=self.people[winner])

    def _split(self) -> Sent:
        loser = self.chance.choice(sorted(self.merged))

        def done(_: Any) -> None:
            del self.merged[loser]

        return self.call("person.split", done, id=self.people[loser])

    def _link(self) -> Sent:
        first = next(iter(self.people.values()))
        joins = not self.joined

        def done(_: Any) -> None:
            self.joined = joins

        method = "person.link_account" if joins else "person.unlink_account"
        return self.call(method, done, id=first, account=self.account)

    def _relate_people(self) -> Sent:
        name = self.chance.choice(self._free())
        ends = name in self.bosses

        def done(_: Any) -> None:
            (self.bosses.discard if ends else self.bosses.add)(name)

        method = "person.unrelate" if ends else "person.relate"
        return self.call(method, done, id=self.people[name], relationship="cousin")

    def _relate_things(self) -> Sent:
        source, target = f"Project {self.word()}", f"Tool {self.word()}"

        def done(answer: Any) -> None:
            self.relations[f"{source} {target}"] = answer["relation"]["id"]

        return self.call("graph.relate", done, source=source, relation="uses", target=target)

    def _remove_relation(self) -> Sent:
        name = self.chance.choice(sorted(self.relations))

        def done(_: Any) -> None:
            del self.relations[name]

        return self.call("graph.remove", done, id=self.relations[name])

    def compare(self, client: Client) -> None:
        """Compare people, who they are merged into, accounts and relations."""
        super().compare(client)
        for name, number in self.people.items():
            person = client.call("person.get", scope=self.me, id=number)["person"]
            into = self.people.get(self.merged.get(name, ""))
            self.require(true=(person["id"] == (into or number)), what=f"merge of {name}")
            if name not in self.merged:
                cousin = any(one["ended_at"] is None for one in person["relationships"])
                expected = {name, *(one for one, to in self.merged.items() if to == name)}
                self.require(true=cousin == bool(expected & self.bosses), what=f"cousin {name}")
        if self.people:
            first = next(iter(self.people.values()))
            person = client.call("person.get", all_scopes=True, id=first)["person"]
            self.require(true=len(person["accounts"]) == int(self.joined), what="joined account")
        found = client.call("graph.search", scope=self.me, relation="uses", limit=100)["relations"]
        names = Counter(f"{one['source']['name']} {one['target']['name']}" for one in found)
        self.expect("relation", Counter(self.relations), names)


class Talker(Writer):
    """Says things in a conversation, of which a language model learns facts."""

    def __init__(self, name: str, seed: int, tally: Tally) -> None:
        super().__init__(name, seed, tally)
        self.said: set[str] = set()

    def next(self) -> Sent:
        """Choose the next call."""
        if self.said and self.chance.random() < 0.4:
            return self.call("jobs.flush")
        texts = [f"I named a boat {self.word()}." for _ in range(2)]

        def stored(_: Any) -> None:
            self.said.update(texts)

        turns = [{"user": text, "assistant": "Noted.", "external_id": text} for text in texts]
        return self.call("conversation.ingest", stored, conversation_id="boats", turns=turns)

    def compare(self, client: Client) -> None:
        """Compare what was said; what was learned of it is there at most once."""
        said = _said(client, self.me)
        self.expect("turn", Counter(self.said), said)
        learned = _listed(client, self.me)
        self.tally.doubled += [f"{self.name} fact: {one}" for one, n in learned.items() if n > 1]

    def finish(self, client: Client) -> None:
        """Compare what was learned, once every job is done."""
        while client.call("jobs.flush")["waiting"]:
            pass
        self.expect("fact", Counter(self.said), _listed(client, self.me))


def writers(seed: int, tally: Tally, *, eras: int) -> list[Writer]:
    """Return one writer of each kind, for a home of its own."""
    kinds = (Eraser, Forgetter, Joiner, Talker)
    return [kind(f"{kind.__name__.lower()}-{eras}", seed, tally) for kind in kinds]


def _listed(client: Client, scope: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    cursor: dict[str, Any] = {}
    while True:
        page = client.call("memory.list", scope=scope, limit=100, **cursor)
        found.update(one["content"] for one in page["memories"])
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


def _said(client: Client, scope: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    if not client.call("conversation.list", scope=scope)["total"]:
        return found
    before: dict[str, Any] = {}
    while True:
        page = client.call(
            "conversation.get", scope=scope, conversation_id="boats", limit=100, **before
        )
        found.update(one["content"] for one in page["messages"] if one["role"] == "user")
        if page["before"] is None:
            return found
        before = {"before": page["before"]}
