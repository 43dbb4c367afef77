"""The rules of who sees what, and the record of everything stated that they are applied to."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LABELS = ("public", "personal", "sensitive")
PROJECTS = ("shop", "blog")
EVERY = "*"
UNNAMED = "unnamed"
"""In the place of a project, where a call names none."""


class Place(NamedTuple):
    """Chat that somebody asks from: a group by number, or a private chat by name.

    With the project that is worked on: None if that is said to be none.
    """

    account: int
    group: int | None
    chat: str | None = None
    project: str | None = UNNAMED

    @property
    def without_project(self) -> "Place":
        """The chat alone."""
        return self._replace(project=UNNAMED)

    @property
    def told_in(self) -> str | None:
        """The project that what is told here belongs to."""
        return self.project if self.project in PROJECTS else None

    def is_within(self, project: str | None) -> bool:
        """Return whether what belongs to a project is read here; who names none looks at all."""
        return project is None or self.project in {project, EVERY, UNNAMED}


@dataclass
class Told:
    """A memory or a relation in the model; people by number, `said` in steps."""

    word: str
    owner: int | None
    stater: int
    group: int | None
    label: str
    portable: bool
    subjects: set[int]
    said: int
    tag: str
    deleted: bool = False
    winner: str | None = None
    """The memory that comes next in its chain."""
    id: str | None = None
    """The daemon's id, if it is known."""
    named: set[int] = field(default_factory=set)
    """People whom only its words name: it opens nothing to them."""
    project: str | None = None


class Said(NamedTuple):
    """A message."""

    word: str
    conversation: str
    owner: int | None
    stater: int | None
    group: int | None
    chat: str | None
    said: int
    project: str | None = None


class Change(NamedTuple):
    """A change that an account made to a memory of a joined one."""

    memory: Told
    account: int
    name: str
    was: Any
    became: Any


@dataclass
class Model:
    """Record of everything stated, with the rules for who may see it."""

    accounts: int
    step: int = 0
    stays: dict[tuple[int, int], list[list[int | None]]] = field(default_factory=dict)
    into: dict[int, int] = field(default_factory=dict)
    """The person that each merged person was replaced by. Account n's own person is n."""
    memories: dict[str, Told] = field(default_factory=dict)
    relations: dict[str, Told] = field(default_factory=dict)
    messages: list[Said] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    # People and places ----------------------------------------------------------------------------

    def person(self, number: int) -> int:
        """Return the person that a person was merged into, or itself."""
        while number in self.into:
            number = self.into[number]
        return number

    def joined(self, account: int) -> set[int]:
        """Return the accounts of the account's person."""
        return {n for n in range(self.accounts) if self.person(n) == self.person(account)}

    def here(self, group: int) -> set[int]:
        """Return the accounts that take part in a group now."""
        return {
            account
            for (account, where), stays in self.stays.items()
            if where == group and stays and stays[-1][1] is None
        }

    def was_there(self, account: int, group: int, at: int) -> bool:
        """Return whether an account took part at a step."""
        stays = self.stays.get((account, group), [])
        return any(a <= at and (b is None or at < b) for a, b in stays if a is not None)

    def join(self, account: int, group: int) -> None:
        """Let an account take part from now on."""
        if account not in self.here(group):
            self.stays.setdefault((account, group), []).append([self.step, None])

    def leave(self, account: int, group: int) -> None:
        """End an account's participation."""
        if account in self.here(group):
            self.stays[account, group][-1][1] = self.step

    def strangers(self, place: Place) -> set[int]:
        """Return the accounts that must not be named there.

        They were never met in it, and are not the asker's own.
        """
        if place.group is not None:
            met = {account for account, group in self.stays if group == place.group}
            return set(range(self.accounts)) - met - {place.account}
        mine = self.joined(place.account)
        groups = {group for account, group in self.stays if account in mine}
        met = {account for account, group in self.stays if group in groups}
        return set(range(self.accounts)) - met - mine

    # Memories -------------------------------------------------------------------------------------

    def later(self, memory: Told) -> list[Told]:
        """Return the memories after one in its chain that were not deleted."""
        found = []
        winner = self.memories.get(memory.winner or "")
        while winner is not None:
            found.append(winner)
            winner = self.memories.get(winner.winner or "")
        return [one for one in found if not one.deleted]

    def is_replaced(self, place: Place, memory: Told) -> bool:
        """Return whether another memory replaces it for those who read there: one they may read."""
        return any(self.sees(place, one) for one in self.later(memory))

    def is_shown(self, place: Place, memory: Told) -> bool:
        """Return whether a memory is in use there: neither hidden, deleted nor replaced."""
        return (
            not memory.deleted and self.sees(place, memory) and not self.is_replaced(place, memory)
        )

    def replace(self, memory: Told, newer: Told) -> None:
        """Put new words at the end of a memory's chain: each reader gets the latest of theirs."""
        while memory.winner is not None and self.later(memory):
            memory = self.memories[memory.winner]
        memory.winner = newer.word

    def sees(self, place: Place, told: Told) -> bool:
        """Return whether a memory or a relation is shown there, in whatever state."""
        if not place.is_within(told.project):
            return False
        mine = self.joined(place.account)
        told_it = told.owner in mine or told.stater in mine
        if told.group is None:
            return told_it and place.group is None
        if place.group is None:
            heard = any(self.was_there(one, told.group, told.said) for one in mine)
            meant = self.person(place.account) in {self.person(n) for n in told.subjects}
            if told_it or (heard and (told.label != "sensitive" or meant)):
                return True
            return meant and told.label == "public" and told.portable
        hears = self.here(place.group) | {place.account}
        if place.group == told.group:
            everybody = all(self.was_there(one, told.group, told.said) for one in hears)
            return told.label == "public" or (told.label == "personal" and everybody)
        about = {self.person(n) for n in told.subjects}
        meant = any(self.person(one) in about for one in hears)
        return told.label == "public" and told.portable and (told_it or meant)

    def may_change(self, place: Place, memory: Told) -> bool:
        """Return whether its speaker may change it there, in place."""
        mine = self.joined(place.account)
        own = memory.owner in mine or memory.stater in mine
        where = place.group is None if memory.group is None else place.group == memory.group
        return own and where and self.is_shown(place, memory)

    def may_supersede(self, memory: Told, project: str | None) -> bool:
        """Return whether new words of a project are shown wherever the memory is."""
        return project in {None, memory.project}

    def may_narrow(self, rights: Collection[str]) -> bool:
        """Return whether a grant may take a memory of everywhere out of the other projects."""
        return "forget" in rights

    def note(self, place: Place, memory: Told, name: str, value: Any) -> None:
        """Change a field of a memory; what an account changes of a joined one's is undone later."""
        if memory.owner is not None and memory.owner != place.account:
            was = getattr(memory, name)
            self.changes.append(Change(memory, place.account, name, was, value))
        setattr(memory, name, value)

    def part(self, account: int, main: int) -> None:
        """Take an account from its person: each gets back what was its own before."""
        both = self.joined(account)
        for ones in ({account}, both - {account}):
            for change in reversed(self.changes):
                mine = change.memory.owner in ones and change.account in both - ones
                if mine and getattr(change.memory, change.name) == change.became:
                    setattr(change.memory, change.name, change.was)
            self.changes = [
                one
                for one in self.changes
                if not (one.memory.owner in ones and one.account in both - ones)
            ]
        for memory in self.memories.values():
            winner = self.memories.get(memory.winner or "")
            ones = {account} if memory.owner == account else both - {account}
            if winner is None or memory.owner not in both or winner.owner not in both - ones:
                continue
            while winner is not None and winner.owner not in ones:
                winner = self.memories.get(winner.winner or "")
            memory.winner = None if winner is None else winner.word
        assert self.into.pop(account) == main

    # Messages -------------------------------------------------------------------------------------

    def reads(self, place: Place, message: Said) -> bool:
        """Return whether a message is shown there."""
        if not place.is_within(message.project):
            return False
        mine = self.joined(place.account)
        if message.group is None:
            return place.group is None and message.owner in mine
        if place.group is None:
            heard = any(self.was_there(one, message.group, message.said) for one in mine)
            return heard or message.stater in mine
        hears = self.here(place.group) | {place.account}
        everybody = all(self.was_there(one, message.group, message.said) for one in hears)
        return place.group == message.group and everybody
