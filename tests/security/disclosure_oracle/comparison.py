"""Compare every answer of the daemon with what the rules say."""

import copy
import itertools
import json
import random
from collections.abc import Collection
from typing import Any

from daemons import CallFailed

from disclosure_oracle.history import CONVERSATIONS, WORKED_ON, History
from disclosure_oracle.rules import EVERY, UNNAMED, Model, Place, Told
from disclosure_oracle.surfaces import ALWAYS, FIND, LOOK_AFTER, OFTEN, SURFACES, Shown
from disclosure_oracle.world import World

Json = dict[str, Any]
_NOBODY = Told("none", None, -1, None, "sensitive", portable=False, subjects=set(), said=0, tag="")
_NOBODY.id = "00000000-0000-4000-8000-000000000000"


class Comparison:
    """Compares one moment of a history; `count` is the number of comparisons."""

    def __init__(
        self, history: History, only: Collection[str] = (), judge: type[Model] | None = None
    ) -> None:
        self.history = history
        self.model: Model = copy.copy(history.model)
        """The record with the rules that the answers are judged by."""
        if judge is not None:
            self.model.__class__ = judge
        history.rules = self.model
        self.random = random.Random(f"{history.seed} {self.model.step}")
        """Apart from the history's, which takes the same course whatever is asked."""
        self.projects = random.Random(f"{history.seed} {self.model.step} projects")
        self.only = only
        """The surfaces to ask, each of them everywhere; all in their turn if empty."""
        self.count = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Ask in every place."""
        for chat in self.history.places():
            place = chat._replace(project=self.projects.choice(WORKED_ON))
            asked = self._asked(place)
            for name, surface in SURFACES.items():
                if self._is_asked(name) and (shown := surface(self.history, place, asked)):
                    read = _read_at(place, name)
                    self._compare(f"{place} by {name}", read, shown)
                    if name in FIND:
                        self._finds(f"{place} by {name}", read, asked, shown)
            if not self.only:
                self._talk(place)

    def _is_asked(self, name: str) -> bool:
        if self.only:
            return name in self.only
        return name in ALWAYS or self.random.random() < OFTEN

    def _asked(self, place: Place) -> Told:
        """Choose the memory to ask about: mostly one that is in use there."""
        every = list(self.model.memories.values())
        used = [one for one in every if self.model.is_shown(place, one)]
        chosen = used if used and self.random.random() < 0.6 else every
        return self.random.choice(chosen) if chosen else _NOBODY

    def _differs(self, where: str, what: object) -> None:
        self.wrong.append(f"{where}: {what}")

    def _compare(self, where: str, place: Place, shown: Shown) -> None:
        """Compare the memories, the relations and the names that were shown in a place."""
        self.wrong += [f"{where}: {one}" for one in shown.wrong]
        sees = {one.word for one in self.model.memories.values() if self.model.sees(place, one)}
        for memory in self.model.memories.values():
            if shown.memories is not None:
                self.count += 1
                expected = self.model.is_shown(place, memory)
                if (memory.word in shown.memories) != expected:
                    self._differs(where, f"memory {memory} shown: {not expected}")
            if shown.every is not None:
                self.count += 1
                if (memory.word in shown.every) != (memory.word in sees):
                    self._differs(where, f"memory {memory} in any state")
        self._search(where, place, shown.text)

    def _finds(self, where: str, place: Place, asked: Told, shown: Shown) -> None:
        self.count += 1
        must = asked is not _NOBODY and self.model.is_shown(place, asked)
        if must and f"Box {asked.word} stays here" not in shown.text:
            self._differs(where, f"does not find {asked}")

    def _search(self, where: str, place: Place, text: str) -> None:
        """Look for the words, details and ids of all that is hidden, and for strangers."""
        seen = [one for one in self.model.memories.values() if self.model.sees(place, one)]
        tags = {one.tag for one in seen}
        read = {one.word for one in self.model.messages if self.model.reads(place, one)}
        known = {one.word for one in seen} | tags | read
        for memory in self.model.memories.values():
            if memory.word in known:
                continue
            hidden = {memory.word, memory.id or memory.word}
            hidden |= {memory.tag} - tags
            if any(one in text for one in hidden):
                self._differs(where, f"hears of {memory}")
        for message in self.model.messages:
            if message.word not in read and message.word in text:
                self._differs(where, f"hears of {message}")
        for account in self.model.strangers(place):
            self.count += 1
            if self.history.user(account) in text or self.history.name(account) in text:
                self._differs(where, f"hears of account {account}")
        self._relations(where, place, text)

    def _relations(self, where: str, place: Place, text: str) -> None:
        shown = {one["source"]["name"]: one["id"] for one in _relations(text)}
        is_graph = where.endswith("by graph")
        for relation in self.model.relations.values():
            expected = not relation.deleted and self.model.sees(place, relation)
            if is_graph:
                self.count += 1
                if (relation.word in shown) != expected:
                    self._differs(where, f"relation {relation} shown: {not expected}")
            # The words of a turn name both ends too; the id stands in nothing else.
            if not expected and relation.id and relation.id in text:
                self._differs(where, f"hears of {relation}")
            if not self._may_be_named(place, relation) and relation.word in text:
                self._differs(where, f"hears of {relation}")

    def _may_be_named(self, place: Place, relation: Told) -> bool:
        """Return whether a relation, or a turn that may have told it, is shown there."""
        if self.model.sees(place, relation):
            return True
        return any(
            self.model.reads(place, one)
            for one in self.model.messages
            if (one.said, one.conversation) == (relation.said, "noted")
        )

    def _talk(self, place: Place) -> None:
        """Compare the conversations shown in a chat with the model."""
        call, where = self.history.call, f"{place} by conversation"
        reads = [one for one in self.model.messages if self.model.reads(place, one)]
        listed = call("conversation.list", place, limit=100)
        counted = sorted((c["conversation_id"], c["messages"]) for c in listed["conversations"])
        of_each: dict[tuple[Any, ...], int] = {}
        for one in reads:
            key = (one.conversation, one.group, one.owner, one.chat)
            of_each[key] = of_each.get(key, 0) + 1
        if counted != sorted((key[0], number) for key, number in of_each.items()):
            self._differs(where, f"counts {counted} for {of_each}")
        self.count += len(self.model.messages)
        replies = [listed]
        for conversation in CONVERSATIONS:
            owner = place.account if place.group is None else None
            here = [
                one.word
                for one in reads
                if one.conversation == conversation
                and (one.group, one.owner, one.chat) == (place.group, owner, place.chat)
            ]
            if not here:
                continue
            try:
                page = call("conversation.get", place, conversation_id=conversation, limit=100)
            except CallFailed as failed:
                self._differs(where, f"{failed.kind} for {here}")
                continue
            replies.append(page)
            if here != [one["content"].split()[1].rstrip(":") for one in page["messages"]]:
                self._differs(where, f"reads {page['messages']} for {here}")
            if list(range(len(here))) != [one["index"] for one in page["messages"]]:
                self._differs(where, "counts from elsewhere")
        self._search(where, place, json.dumps(replies))


def _read_at(place: Place, surface: str) -> Place:
    """Return where a surface reads: who looks after things and names no project, in all of them."""
    if place.project != UNNAMED:
        return place
    return place._replace(project=EVERY if surface in LOOK_AFTER else None)


def _relations(text: str) -> list[Json]:
    """Return the relations of the graph's reply."""
    reply = json.loads(text) if text.startswith('{"entities"') else {}
    found: list[Json] = reply.get("relations", [])
    return found


def compare(
    world: World,
    comparisons: int,
    *,
    seed: int = 0,
    model: type[Model] = Model,
    only: Collection[str] = (),
    judge: type[Model] | None = None,
) -> tuple[int, list[str]]:
    """Compare until so many comparisons were made, or a moment differs; return both.

    `model` is what the histories go by; the answers are judged by `judge`, if that is another.
    """
    done, wrong = 0, list[str]()
    for number in itertools.count(seed):
        history = History(world, number, model)
        for event in range(50):
            if event < 40:
                history.happen()
            else:
                history.rearrange()
            if event % 10 == 9:
                moment = Comparison(history, only, judge)
                moment.run()
                done += moment.count
                wrong += [f"seed {number}, step {event}: {one}" for one in moment.wrong]
                if wrong:
                    break
        if done >= comparisons or wrong:
            break
    return done, wrong
