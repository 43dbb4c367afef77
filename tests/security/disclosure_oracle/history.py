"""A random history in a daemon and in the model, side by side."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

from daemons import CallFailed

from disclosure_oracle.rules import EVERY, LABELS, PROJECTS, UNNAMED, Model, Place, Said, Told
from disclosure_oracle.world import World

Json = dict[str, Any]
CONVERSATIONS = ("default", "other", "noted")
WORKED_ON = (*(UNNAMED,) * 4, None, EVERY, *PROJECTS * 2)
"""The projects that somebody works on, as often as they stand here."""
_LETTERS = str.maketrans("0123456789", "abcdefghij")
_histories = itertools.count(1)


class Diverged(Exception):
    """The daemon refused what it must accept, or accepted what it must refuse."""


def _require(holds: bool, what: object) -> None:
    if not holds:
        raise Diverged(what)


class History:
    """A random history in a daemon and in the model, side by side."""

    PROVIDERS = ("p", "p", "p", "p", "q", "q", "http")
    """Those of the gateway's agents have no groups."""
    GROUPS = ("p", "p", "q")

    def __init__(self, world: World, seed: int, model: type[Model] = Model) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.projects = random.Random(f"{seed} projects")
        """Apart from the others, which take the same course in whatever project."""
        self.world = world
        self.daemon = world.daemon
        self.tag = f"{next(_histories)}x{seed}"
        self.model = model(len(self.PROVIDERS))
        self.rules: Model = self.model
        """The rules that answers are judged by."""
        self.words = (f"w{self.tag}n{n}e" for n in itertools.count())
        self.keys: dict[int, str] = {}
        """The gateway's keys, by account."""
        self.waiting: list[tuple[str, Told, Told]] = []
        """The facts and relations of turns that the model has not read."""
        self.told_of: dict[int, tuple[Place, str]] = {}
        """The place where each contact was first named, and the name."""
        self.contacts: dict[int, str] = {}
        self.merged: list[tuple[int, str]] = []
        self.linked: list[tuple[int, int]] = []
        self.own = [
            self.call("person.resolve", Place(n, None), reference="me")["person_id"]
            for n in range(len(self.PROVIDERS))
        ]
        for group, provider in enumerate(self.GROUPS):
            for account in self._of(provider):
                if self.random.random() < 0.6:
                    self._chat("join", account, group)

    # The daemon -----------------------------------------------------------------------------------

    def scope(self, place: Place) -> Json:
        """The scope of somebody who asks somewhere."""
        scope: Json = {
            "provider": self.provider(place.account),
            "user_id": self.user(place.account),
            "display_name": self.name(place.account),
        }
        if place.project != UNNAMED:
            scope["project"] = self.project(place.project)
        if place.group is not None:
            return {**scope, "chat_id": f"g{place.group}", "chat_type": "group"}
        return {**scope, "chat_id": place.chat, "chat_type": "private"} if place.chat else scope

    @staticmethod
    def project(name: str | None) -> Json | str | None:
        """Return a project as a scope names it."""
        return {"id": f"example.org/{name}", "name": name} if name in PROJECTS else name

    def provider(self, account: int) -> str:
        """Return the provider of an account."""
        name = self.PROVIDERS[account]
        return name if self.is_agent(account) else f"{name}{self.tag}"

    def is_agent(self, account: int) -> bool:
        """Return whether an account is one of the gateway's agents."""
        return self.PROVIDERS[account] == "http"

    def user(self, account: int) -> str:
        """The id of an account, which stands in nothing else."""
        return f"user{self.tag}a{account}z"

    def name(self, account: int) -> str:
        """Return the name that its provider shows."""
        return f"Name{self.tag}a{account}z"

    def call(self, method: str, place: Place, **params: Any) -> Any:
        """A call on behalf of somebody somewhere."""
        return self.daemon.call(method, scope=self.scope(place), **params)

    def _of(self, provider: str) -> list[int]:
        return [n for n, one in enumerate(self.PROVIDERS) if one == provider]

    def places(self) -> Iterator[Place]:
        """Return every place where anybody may ask."""
        for account, provider in enumerate(self.PROVIDERS):
            yield Place(account, None)
            yield Place(account, None, "main")
            for group, where in enumerate(self.GROUPS):
                if where == provider:
                    yield Place(account, group)

    def place(self) -> Place:
        """Choose the chat of an event: a private one, or a group, which the speaker then joins."""
        place = self.random.choice(list(self.places()))
        return place._replace(project=self.projects.choice(WORKED_ON))

    # What happens ---------------------------------------------------------------------------------

    def happen(self) -> None:
        """One random event."""
        self.model.step += 1
        events = (
            [self.tell] * 8
            + [self.speak] * 4
            + [self.move] * 3
            + [self.note] * 3
            + [self.learn] * 1
            + [self.relate] * 2
            + [self.remove] * 1
            + [self.change] * 5
            + [self.reword] * 3
            + [self.delete] * 1
            + [self.link] * 1
            + [self.unlink] * 1
            + [self.merge] * 1
            + [self.split] * 1
        )
        self.random.choice(events)()

    def _speaks(self, place: Place) -> None:
        if place.group is not None:
            self.model.join(place.account, place.group)

    def _chat(self, what: str, account: int, group: int) -> None:
        chat = {
            "provider": f"{self.GROUPS[group]}{self.tag}",
            "chat_id": f"g{group}",
            "chat_type": "group",
        }
        who = {"provider": chat["provider"], "user_id": self.user(account)}
        try:
            self.daemon.call(f"chat.{what}", chat=chat, account=who)
        except CallFailed as failed:
            _require(failed.kind == "not_found", failed.error)
        getattr(self.model, what)(account, group)

    def move(self) -> None:
        """Make somebody join or leave a group."""
        group = self.random.randrange(len(self.GROUPS))
        account = self.random.choice(self._of(self.GROUPS[group]))
        self._chat(self.random.choice(["join", "leave"]), account, group)

    def tell(self) -> None:
        """Let somebody state something about themselves, a contact, or a participant."""
        kinds = ["me", "contact", "again", "member", "nobody"]
        kinds += ["contact in words", "again in words"]
        self._tell(self.place(), self.random.choice(kinds))

    def _tell(self, place: Place, kind: str) -> None:
        word, tag = next(self.words), next(self.words)
        self._speaks(place)
        shared = place.group is not None and self.random.random() < 0.3
        label, portable = self.random.choice(LABELS), self.random.random() < 0.7
        subjects, numbers, naming = [], set[int](), ""
        if kind == "me":
            subjects, numbers = ["me"], {place.account}
        elif kind == "contact":
            name = self._new_name()
            subjects = [name]
        elif kind == "contact in words":
            name = self._new_name()
            naming = f". My friend is called {name}"
        elif kind == "again in words" and (named := self._named_in(place)):
            number, name = self.random.choice(named)
            numbers, naming = {number}, f". {name} is my friend"
        elif kind == "again" and (named := self._named_in(place)):
            number, name = self.random.choice(named)
            subjects, numbers = [name], {number}
        elif kind == "member" and place.group is not None:
            other = self.random.choice(sorted(self.model.here(place.group)))
            found = self._member(place, other)
            subjects, numbers = ([found], {other}) if found else ([], set())
        everywhere = self.projects.choice([True, False, False])
        (entry,) = self.call(
            "memory.add",
            place,
            everywhere=everywhere,
            content=f"Box {word} stays here{naming}",
            subjects=subjects,
            sensitivity=label,
            portable=portable,
            shared=shared,
            tags=[tag],
        )["memories"]
        assert entry["outcome"] == "added"
        assert entry["superseded"] == []
        if kind in {"contact", "contact in words"}:
            number = 1_000 + len(self.contacts)
            self.contacts[number] = entry["people"][0]["id"]
            self.told_of[number] = (place.without_project, name)
            numbers = {number}
        self.model.memories[word] = Told(
            word,
            None if shared else place.account,
            place.account,
            place.group,
            label,
            portable,
            set() if naming else set(numbers),
            self.model.step,
            tag,
            id=entry["memory"]["id"],
            named=set(numbers) if naming else set(),
            project=None if everywhere else place.told_in,
        )

    def _new_name(self) -> str:
        """Return the name of a new contact, in letters as names have them."""
        return f"Contact{next(self.words).translate(_LETTERS)}"

    def _named_in(self, place: Place) -> list[tuple[int, str]]:
        """Return the contacts that the speaker named first in this very place, with their names."""
        here = place.without_project
        return [(number, name) for number, (where, name) in self.told_of.items() if where == here]

    def _member(self, place: Place, other: int) -> str | None:
        """The id by which somebody who takes part is known in a group."""
        for person in self.call("person.list", place, limit=100)["people"]:
            if self.user(other) in {account["user_id"] for account in person["accounts"]}:
                found: str = person["id"]
                return found
        return None

    def speak(self) -> None:
        """Add a turn by somebody to a conversation, with the assistant's answer."""
        place, conversation = self.place(), self.random.choice(CONVERSATIONS[:2])
        self._speaks(place)
        words = [next(self.words), next(self.words)]
        self.call(
            "conversation.ingest",
            place,
            conversation_id=conversation,
            turns=[
                {
                    "user": f"Say {words[0]}",
                    "assistant": f"Yes {words[1]}",
                    "external_id": str(self.model.step),
                }
            ],
        )
        owner = place.account if place.group is None else None
        for word, stater in zip(words, (place.account, None), strict=True):
            self.model.messages.append(
                Said(
                    *(word, conversation, owner, stater, place.group, place.chat, self.model.step),
                    place.told_in,
                )
            )

    def note(self) -> None:
        """Say something from which the model will learn a fact and a relation, later."""
        place, said = self.place(), next(self.words)
        self._speaks(place)
        fact, source, target, tag = (next(self.words) for _ in range(4))
        label, is_private = self.random.choice(LABELS), self.random.random() < 0.5
        # About somebody's health: the label is the daemon's own then.
        what = f"is treated for depression {target}" if is_private else f"stands beside {target}"
        turn = f"Hear {said}: {source} {what}"
        self.call(
            "conversation.ingest",
            place,
            conversation_id="noted",
            messages=[{"content": turn, "role": "user", "external_id": str(self.model.step)}],
        )
        owner = place.account if place.group is None else None
        where = (owner, place.account, place.group)
        at = (place.chat, self.model.step, place.told_in)
        self.model.messages.append(Said(said, "noted", *where, *at))
        portable = self.random.random() < 0.7
        self.world.facts[said] = {
            "content": f"Box {fact} stays here",
            "sensitivity": label,
            "portable": portable,
            "tags": [tag],
        }
        by = (place.account, place.account, place.group)
        in_project = {"project": place.told_in}
        learned = Told(fact, *by, label, portable, set(), self.model.step, tag, **in_project)
        # A relation is protected as its turn is: by its words, and as the fact that it states.
        of_relation = max(label, "personal" if is_private else "public", key=LABELS.index)
        relation = Told(
            *(source, *by, of_relation, portable, set(), self.model.step, target), **in_project
        )
        self.waiting.append((said, learned, relation))

    def learn(self) -> None:
        """Let the model read what was said since: the facts are as old as their turns."""
        if not self.waiting:
            return
        assert self.daemon.call("jobs.flush")["waiting"] == 0
        everything = {"limit": 100, "all_scopes": True}
        for said, fact, relation in self.waiting:
            del self.world.facts[said]
            found = self.call("memory.list", Place(0, None), tags=[fact.tag], **everything)
            (memory,) = found["memories"]
            self.model.memories[fact.word] = fact
            fact.id = memory["id"]
            self._labelled(fact, memory["sensitivity"])
            self.model.relations[relation.word] = relation
            tie = self.call("graph.search", Place(0, None), name=relation.word, **everything)
            relation.id = tie["relations"][0]["id"]
            self._labelled(relation, self.world.label_of_relation(relation.id))
        self.waiting.clear()

    @staticmethod
    def _labelled(told: Told, label: str | None) -> None:
        """Take over a label: the classifier may find more in a text than there is, never less."""
        _require(LABELS.index(label or "public") >= LABELS.index(told.label), (told, label))
        told.label = label or "public"

    def relate(self) -> None:
        """State a relation between two new things."""
        place, source, target = self.place(), next(self.words), next(self.words)
        self._speaks(place)
        shared = place.group is not None and self.random.random() < 0.3
        label, portable = self.random.choice(LABELS), self.random.random() < 0.7
        made = self.call(
            "graph.relate",
            place,
            source=source,
            relation="stands beside",
            target=target,
            sensitivity=label,
            portable=portable,
            shared=shared,
        )
        owner = None if shared else place.account
        by = (owner, place.account, place.group)
        told = Told(source, *by, label, portable, set(), self.model.step, target)
        told.id = made["relation"]["id"]
        told.project = place.told_in
        self.model.relations[source] = told

    def remove(self) -> None:
        """Take a relation back, where one may."""
        there = [one for one in self.model.relations.values() if not one.deleted]
        if not there:
            return
        relation = self.random.choice(there)
        places = [
            place
            for place in self.places()
            if self.model.sees(place, relation)
            and place.group == relation.group
            and self.model.joined(place.account) & {relation.owner, relation.stater}
        ]
        if not places:
            return
        self.call("graph.remove", self.random.choice(places), id=relation.id)
        relation.deleted = True

    def _some(self) -> tuple[Place, Told] | None:
        there = [one for one in self.model.memories.values() if not one.deleted]
        if not there:
            return None
        memory = self.random.choice(there)
        own = [p for p in self.places() if self.model.may_change(p, memory)]
        # Choose mostly a place with the right to change it, sometimes any.
        return self.random.choice(
            own if own and self.random.random() < 0.6 else list(self.places())
        ), memory

    def _changed(self, place: Place, memory: Told, **changes: Any) -> Any:
        """Check the reply to a change of a memory and return it; None if it was refused."""
        may = self.model.may_change(place, memory)
        of_group = memory.owner is None and memory.group is not None and memory.group == place.group
        try:
            reply = self.call("memory.update", place, id=memory.id, changes=changes)
        except CallFailed as failed:
            sees = self.model.sees(place, memory)
            replaced = sees and self.model.is_replaced(place, memory)
            expected = {"denied", "conflict"} if replaced else {"denied", "not_found"}
            _require(failed.kind in expected, (place, memory, failed.error))
            _require(not sees or failed.kind != "not_found", (place, memory, failed.error))
            _require(not may or "content" in changes, (place, memory, changes, failed.error))
            return None
        apart = "content" in changes and reply["previous_id"] is None
        sees = self.model.is_shown(place, memory)
        _require(may or (of_group and sees) or (apart and sees), (place, memory, changes))
        self._speaks(place)
        return reply

    def change(self) -> None:
        """Change a label, a tag or the subjects of a memory."""
        if (found := self._some()) is None:
            return
        place, memory = found
        field_ = self.random.choice(["sensitivity", "portable", "tags", "subjects"])
        tag = next(self.words)
        value: Any = {
            "sensitivity": self.random.choice(LABELS),
            "portable": self.random.random() < 0.5,
            "tags": [tag],
            "subjects": self.random.choice([["me"], []]),
        }[field_]
        if self._changed(place, memory, **{field_: value}) is None:
            return
        changed = {
            "sensitivity": ("label", value),
            "portable": ("portable", value),
            "tags": ("tag", tag),
            "subjects": ("subjects", {place.account} if value else set()),
        }[field_]
        self.model.note(place, memory, *changed)

    def reword(self) -> None:
        """Let somebody reword a memory: the new words are said now, here, by them."""
        if (found := self._some()) is None:
            return
        place, memory = found
        if memory.group is not None and self.random.random() < 0.6:
            # Who leaves keeps the former words, and does not read the new ones.
            others = self.model.here(memory.group) - {place.account}
            if others:
                self._chat("leave", self.random.choice(sorted(others)), memory.group)
                self.model.step += 1
        word, named = next(self.words), self._named_in(place)
        naming = f". {named[-1][1]} is my friend" if named else ""
        reply = self._changed(place, memory, content=f"Box {word} stays here{naming}")
        if reply is None:
            return
        newer = self.model.memories[word] = Told(
            word,
            # What an account says is its own, also of what a joined one was told.
            place.account if memory.owner in self.model.joined(place.account) else memory.owner,
            place.account,
            place.group,
            memory.label,
            memory.portable,
            set(memory.subjects),
            self.model.step,
            memory.tag,
            project=memory.project,
            id=reply["memory"]["id"],
        )
        if reply["previous_id"] is not None:
            self.model.replace(memory, newer)

    def rearrange(self) -> None:
        """Let somebody move one of their private memories to another project, or supersede it.

        It comes last in a history: the events before it take the same course with and without.
        """
        self.model.step += 1
        account = self.projects.randrange(len(self.PROVIDERS))
        place = Place(account, None, project=self.projects.choice(PROJECTS))
        own = [
            one
            for one in self.model.memories.values()
            if (one.owner, one.stater, one.group, one.winner) == (account, account, None, None)
            and self.model.may_change(place, one)
        ]
        if own:
            memory = self.projects.choice(own)
            self.projects.choice([self._move_to_project, self._supersede])(place, memory)

    def _move_to_project(self, place: Place, memory: Told) -> None:
        """Change a memory's project through a grant, which may lack the right to forget."""
        rights = ["read", "write", *self.projects.choice([[], ["forget"]])]
        everywhere = self.projects.random() < 0.3
        becomes = None if everywhere else place.told_in
        may = becomes in {None, memory.project} or self.model.may_narrow(rights)
        grant = self.call("grant.create", place, rights=rights)
        changes = {"everywhere": everywhere}
        try:
            self.daemon.call("memory.update", at=grant["socket"], id=memory.id, changes=changes)
        except CallFailed as failed:
            _require(failed.kind == "denied" and not may, (place, memory, failed.error))
        else:
            _require(may, (place, memory, rights))
            memory.project = becomes
        self.daemon.call("grant.revoke", grant_id=grant["grant_id"])

    def _supersede(self, place: Place, memory: Told) -> None:
        """Store new words that replace a memory by its id."""
        word, tag, everywhere = next(self.words), next(self.words), self.projects.random() < 0.3
        project = None if everywhere else place.told_in
        may = self.model.may_supersede(memory, project)
        fields = {"sensitivity": memory.label, "portable": memory.portable, "tags": [tag]}
        try:
            (entry,) = self.call(
                "memory.add",
                place,
                content=f"Box {word} stays here",
                supersedes=memory.id,
                everywhere=everywhere,
                **fields,
            )["memories"]
        except CallFailed as failed:
            _require(failed.kind == "invalid_params" and not may, (place, memory, failed.error))
            return
        _require(may, (place, memory, project))
        by = (place.account, place.account, None, memory.label, memory.portable)
        newer = Told(word, *by, set(), self.model.step, tag, project=project)
        newer.id = entry["memory"]["id"]
        self.model.memories[word] = newer
        self.model.replace(memory, newer)

    def delete(self) -> None:
        """Let the owner delete a memory, wherever they see it."""
        if (found := self._some()) is None:
            return
        place, memory = found
        if self.model.may_change(place, memory):
            self.call("memory.delete", place, id=memory.id)
            self.model.note(place, memory, "deleted", value=True)

    def link(self) -> None:
        """An operator joins two accounts that are nobody else's."""
        free = [
            n
            for n in range(len(self.PROVIDERS))
            if self.model.joined(n) == {n} and self.model.person(n) == n
        ]
        if len(free) < 2:
            return
        one, other = self.random.sample(free, 2)
        account = {key: self.scope(Place(other, None))[key] for key in ("provider", "user_id")}
        try:
            self.daemon.call("person.link_account", id=self.own[one], account=account)
        except CallFailed as failed:  # one was said to be related to the other
            _require(failed.kind == "conflict", failed.error)
            return
        self.model.into[other] = one
        self.linked.append((one, other))

    def unlink(self) -> None:
        """An operator takes two joined accounts apart."""
        if not self.linked:
            return
        one, other = self.linked.pop()
        for account in (one, other) if self.random.random() < 0.7 else ():
            places = [place for place in self.places() if place.account == account]
            self._tell(self.random.choice(places), "me")
            self.model.step += 1
        self.daemon.call(
            "person.unlink_account",
            id=self.own[one],
            account={key: self.scope(Place(other, None))[key] for key in ("provider", "user_id")},
        )
        self.model.part(other, one)

    def merge(self) -> None:
        """An operator says that a contact is another one, or somebody with an account."""
        free = [n for n in self.contacts if n not in self.model.into]
        if not free:
            return
        one = self.random.choice(free)
        target = self.random.choice([*free, *range(len(self.PROVIDERS))])
        if self.model.person(target) == one:
            return
        into = self.contacts.get(target) or self.own[target]
        try:
            self.call(
                "person.merge", Place(0, None), id=self.contacts[one], into=into, all_scopes=True
            )
        except CallFailed as failed:
            _require(failed.kind == "conflict", failed.error)
            return
        self.model.into[one] = self.model.person(target)
        self.merged.append((one, self.contacts[one]))

    def split(self) -> None:
        """Let an operator split the last merge."""
        if not self.merged or self.random.random() < 0.5:
            return
        one, uuid = self.merged.pop()
        self.call("person.split", Place(0, None), id=uuid, all_scopes=True)
        del self.model.into[one]
