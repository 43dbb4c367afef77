"""Random histories of two users, told twice: joined for a while, and never joined.

After the accounts are parted every read of theirs, and of those who share a group with them, must
be the same in both, but for ids and times.
"""

import difflib
import random
import re
from typing import Any, Final

from daemons import CallFailed, Daemon

Scope = dict[str, Any]
_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?")
_AS_IT_COMES: Final = frozenset({"revision", "last_accessed_at", "access_count"})
"""Fields that count changes."""
NOTHING: Final = {
    "person_id": None,
    "memories": [],
    "names": [],
    "relationships": 0,
    "unrecorded": 0,
}
REFERENCES: Final = (
    *("me", "me", "me", "Sarah", "my wife", "my wife Sarah", "my boss", "my boss Ann", "Ann"),
    *("Tom", "my son Tom", "Sarah's brother", "my friend Max", "Max Miller"),
)
THINGS: Final = ("likes tea", "plays chess", "has a cold", "lives in Oslo", "keeps bees")
MEMBERS: Final = {"bob": "work", "boss": "work", "rob": "guild", "zoe": "guild"}
NAMES: Final = {"bob": "Bobby", "boss": "Boss", "rob": "Roberto", "zoe": "Zoe"}


class World:
    """The users, their groups, and what they tell; `tag` sets its users apart."""

    def __init__(self, daemon: Daemon, tag: str) -> None:
        self.daemon = daemon
        self.tag = tag
        self.told: dict[int, str] = {}
        """The id of the memory that each step told."""
        for user in MEMBERS:
            self.ask("person.resolve", self.user(user), reference="me")
            self.ask("memory.list", self.in_group(user))

    def user(self, name: str) -> Scope:
        """A user's private scope."""
        provider = "p" if MEMBERS[name] == "work" else "dc"
        return {
            "provider": provider,
            "user_id": f"{name}-{self.tag}",
            "display_name": NAMES[name],
        }

    def in_group(self, name: str) -> Scope:
        """A user's scope in the group."""
        group = MEMBERS[name]
        users = [f"{one}-{self.tag}" for one, its in MEMBERS.items() if its == group]
        chat = {"chat_id": f"{group}-{self.tag}", "chat_type": "group", "participants": users}
        return self.user(name) | chat

    def ask(self, method: str, scope: Scope | None, **params: Any) -> Any:
        """A call; its error, if it is refused."""
        try:
            if scope is None:
                return self.daemon.call(method, **params)
            return self.daemon.call(method, scope=scope, **params)
        except CallFailed as error:
            return {"refused": error.kind}

    def me(self, name: str) -> str:
        """The id of somebody's own person."""
        found = self.ask("person.resolve", self.user(name), reference="me")
        return str(found["person_id"])

    def knows(self, step: "Step", steps: "list[Step]") -> bool:
        """Whether a step is about somebody, or words, that its user knows."""
        _, name, grouped, params = step
        scope = self.in_group(name) if grouped else self.user(name)
        if "person" in params:
            reference = params["person"]
            found = self.ask("person.resolve", scope, reference=reference, create=False)
            return "person_id" in found
        if "of" in params and params.get("changes", {}).keys() & {"content", "subjects"}:
            return {steps[params["of"]][1], name} != {"bob", "rob"}
        return True

    def step(self, number: int, step: "Step") -> bool:
        """Tell a step; False if it is refused."""
        method, name, grouped, params = step
        scope = self.in_group(name) if grouped else self.user(name)
        params = dict(params)
        if "of" in params:  # the memory that an earlier step told
            params["id"] = self.told.get(params.pop("of"), "0" * 36)
        if "over" in params:
            params["superseded_id"] = self.told.get(params.pop("over"), "0" * 36)
        if "person" in params:
            found = self.ask("person.resolve", scope, reference=params.pop("person"), create=False)
            params["id"] = found.get("person_id", "0" * 36)
        answer = self.ask(method, scope, **params)
        if answer.keys() == {"refused"}:
            return False
        if method == "memory.add":
            entry = answer["memories"][0]
            if entry["outcome"] == "refused":
                return False
            self.told[number] = entry["memory"]["id"]
        elif method == "memory.update":
            self.told[number] = answer["memory"]["id"]
        return True

    def link(self) -> None:
        """Join Rob's account to Bob's person."""
        self._join("person.link_account")

    def unlink(self) -> Any:
        """Part it; what could not be parted."""
        return self._join("person.unlink_account")["not_parted"]

    def _join(self, method: str) -> Any:
        account = {"provider": "dc", "user_id": f"rob-{self.tag}"}
        return self.daemon.call(method, id=self.me("bob"), account=account)

    def reads(self) -> dict[str, Any]:
        """Everything that everybody reads."""
        found: dict[str, Any] = {}
        for name in MEMBERS:
            for place, scope in (("alone", self.user(name)), ("group", self.in_group(name))):
                for what, answer in self._read(scope).items():
                    found[f"{name} {place} {what}"] = self._plain(answer)
        return found

    def _read(self, scope: Scope) -> dict[str, Any]:
        everything = {
            "include_superseded": True,
            "include_expired": True,
            "include_archived": True,
            "limit": 100,
            "sort": "oldest",
        }
        found = {
            "memories": self.ask("memory.list", scope, limit=100, sort="oldest"),
            "every memory": self.ask("memory.list", scope, **everything),
            "about me": self.ask("memory.list", scope, about="me", limit=100, sort="oldest"),
            "about my wife": self.ask("memory.list", scope, about="my wife", sort="oldest"),
            "people": self.ask("person.list", scope, order="name", limit=100),
            "tea": self.ask("memory.search", scope, query="who likes tea?", min_score=0),
            "Sarah": self.ask("memory.search", scope, query="Sarah", min_score=0),
            "relations": self.ask("graph.search", scope, name="Sarah", depth=2),
            "boat": self.ask("graph.search", scope, name="Boat", depth=2),
            "overrides": self.ask("override.list", scope),
            "profile": self.ask("profile.get", scope),
            "profiles": self.ask("profile.history", scope),
            "conflicts": self.ask("memory.conflicts", scope, limit=100),
            "talks": self.ask("conversation.list", scope),
            "context": self.ask("context.get", scope, message="What does Sarah like?"),
        }
        for place, memory in enumerate(found["every memory"].get("memories", ())):
            for method in ("memory.history", "memory.get"):
                found[f"{method} {place}"] = self.ask(method, scope, id=memory["id"])
        for person in found["people"].get("people", ()):
            got = self.ask("person.get", scope, id=person["id"], related=True)
            found.setdefault(f"person {person['name']}", []).append(got)
        return found

    def _plain(self, value: Any) -> Any:
        """A reply without ids, times and tags."""
        if isinstance(value, dict):
            return {
                self._plain(key): self._plain(one)
                for key, one in value.items()
                if key not in _AS_IT_COMES
            }
        if isinstance(value, list):
            return [self._plain(one) for one in value]
        if isinstance(value, str):
            return _TIME.sub("AT", _ID.sub("ID", value)).replace(self.tag, "TAG")
        return value


Step = tuple[str, str, bool, dict[str, Any]]


def history(seed: int, length: int) -> list[Step]:
    """Random steps: (method, user, in the group, parameters)."""
    chance = random.Random(seed)
    steps: list[Step] = []
    for number in range(length):
        name = chance.choice(["bob", "rob", "bob", "rob", "boss", "zoe"])
        steps.append(_step(chance, number, name))
    return steps


def _step(chance: random.Random, number: int, name: str) -> Step:
    grouped = name in {"boss", "zoe"} or chance.random() < 0.4
    kind = chance.choice([*["add"] * 8, *KINDS])
    if kind == "add":
        subject = chance.choice([*REFERENCES, NAMES[name], "Bobby", "Roberto"])
        content = f"{subject.removeprefix('my ')} {chance.choice(THINGS)}"
        params: dict[str, Any] = {"content": content, "subjects": [subject]}
        if chance.random() < 0.2:
            params |= {"content": f"I {chance.choice(THINGS)}", "subjects": []}
        elif chance.random() < 0.3:  # whom it is about is read from its words
            params |= {
                "content": f"{subject[0].upper()}{subject[1:]} {chance.choice(THINGS)}",
                "subjects": [],
            }
        if chance.random() < 0.2:
            params["sensitivity"] = chance.choice(["personal", "sensitive"])
        if chance.random() < 0.2:
            params["tags"] = [chance.choice(["a", "b"])]
        if grouped and chance.random() < 0.3:
            params["shared"] = True
        return "memory.add", name, grouped, params
    return KINDS[kind](chance, number, name, grouped)


def _of(chance: random.Random, number: int) -> dict[str, Any]:
    return {"of": chance.randrange(max(1, number))}


KINDS: Final[dict[str, Any]] = {
    "tags": lambda c, n, u, g: (
        "memory.update",
        u,
        g,
        {**_of(c, n), "changes": {"tags": [c.choice("abc")]}},
    ),
    "label": lambda c, n, u, g: (
        "memory.update",
        u,
        g,
        {**_of(c, n), "changes": {"sensitivity": "personal"}},
    ),
    "subjects": lambda c, n, u, g: (
        "memory.update",
        u,
        g,
        {**_of(c, n), "changes": {"subjects": [c.choice(REFERENCES)]}},
    ),
    "words": lambda c, n, u, g: (
        "memory.update",
        u,
        g,
        {**_of(c, n), "changes": {"content": f"It {c.choice(THINGS)}"}},
    ),
    "settle": lambda c, n, u, g: (
        "memory.supersede",
        u,
        g,
        {
            **_of(c, n),
            "over": c.randrange(max(1, n)),
            "verdict": c.choice(["replaces", "replaces", "both", "unsure"]),
        },
    ),
    "delete": lambda c, n, u, g: ("memory.delete", u, g, _of(c, n)),
    "alias": lambda c, _, u, g: (
        "person.add_alias",
        u,
        g,
        {"person": c.choice(REFERENCES), "alias": c.choice(["Sal", "Ty"])},
    ),
    "relate": lambda c, _, u, g: (
        "person.relate",
        u,
        g,
        {"person": c.choice(REFERENCES), "relationship": "neighbour"},
    ),
    "rename": lambda c, _, u, g: (
        "person.update",
        u,
        g,
        {"person": c.choice(REFERENCES), "name": c.choice(["Sue", "Lou"])},
    ),
    "pin": lambda c, _, u, g: ("override.add", u, g, {"content": f"Pinned {c.choice(THINGS)}"}),
    "profile": lambda c, _, u, _g: (
        "profile.set",
        u,
        False,
        {c.choice(["text", "notes"]): f"{u} {c.choice(THINGS)}"},
    ),
    "graph": lambda c, _, u, g: (
        "graph.relate",
        u,
        g,
        {
            "source": c.choice(["Sarah", "Boat", "me", "Ann"]),
            "relation": c.choice(["owns", "lives in", "works at"]),
            "target": c.choice(["Boat", "Oslo", "Acme"]),
        },
    ),
    "talk": lambda c, n, u, g: (
        "conversation.ingest",
        u,
        g,
        {"conversation_id": f"c{n}", "messages": [{"content": f"Said {c.choice(THINGS)}"}]},
    ),
}


def compare(daemon: Daemon, seed: int, length: int) -> list[str]:
    """Tell a history in both worlds; return how the reads differ."""
    steps = history(seed, length)
    chance = random.Random(seed)
    begin = chance.randrange(length // 2)
    end = chance.randrange(begin, length) + 1
    joined, apart = World(daemon, f"j{seed}"), World(daemon, f"a{seed}")
    left = NOTHING
    for number, step in enumerate(steps):
        if number == begin:
            joined.link()
        if number == end:
            left = joined.unlink()
        # What is said of what is only known by the join stays with whoever says it.
        if apart.knows(step, steps) and joined.step(number, step):
            apart.step(number, step)
    if end >= length:
        left = joined.unlink()
    wrong = [] if left == NOTHING else [f"not parted: {left}"]
    ones, others = joined.reads(), apart.reads()
    for what in sorted(ones.keys() | others.keys()):
        one, other = ones.get(what), others.get(what)
        if one != other:
            wrong.append(f"{what}: {'; '.join(_differ(one, other))}")
    return wrong


def _differ(one: Any, other: Any, at: str = "") -> list[str]:
    """How two replies differ, by place: joined, then apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(one.keys() | other.keys())
        return [
            said for key in keys for said in _differ(one.get(key), other.get(key), f"{at}.{key}")
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = zip(one, other, strict=True)
        return [said for n, two in enumerate(pairs) for said in _differ(*two, f"{at}[{n}]")]
    if isinstance(one, str) and isinstance(other, str) and "\n" in one:
        lines = [*difflib.ndiff(one.splitlines(), other.splitlines())]
        return [f"{at}: {line}" for line in lines if line[0] in "+-"]
    return [] if one == other else [f"{at}: {one} / {other}"]
