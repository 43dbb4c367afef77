"""An independent model of who may see what, compared with a daemon over random histories.

The model knows the rules of `docs/who-sees-what.md` in words of its own and shares no code with the
daemon. Histories join accounts and part them, change memories in place, share the names of private
chats, merge people and split them. `make check-disclosure` makes as many comparisons as it is asked
for.
"""

import argparse
import itertools
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from daemons import CallFailed, Daemon

Json = dict[str, Any]
LABELS = ("public", "personal", "sensitive")
CONVERSATIONS = ("default", "other")
_histories = itertools.count(1)


class Place(NamedTuple):
    """Chat that somebody asks from: a group by number, or a private chat by name."""

    account: int
    group: int | None
    chat: str | None = None


@dataclass
class Told:
    """A memory in the model; people by number, `since` and `said` in steps."""

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


class Said(NamedTuple):
    """A message."""

    word: str
    conversation: str
    owner: int | None
    stater: int | None
    group: int | None
    chat: str | None
    said: int


@dataclass
class Model:
    """Record of everything stated, with the rules for who may see it."""

    accounts: int
    step: int = 0
    stays: dict[tuple[int, int], list[list[int | None]]] = field(default_factory=dict)
    into: dict[int, int] = field(default_factory=dict)
    """The person that each merged person was replaced by. Account n's own person is n."""
    memories: dict[str, Told] = field(default_factory=dict)
    messages: list[Said] = field(default_factory=list)

    def person(self, number: int) -> int:
        """Return the person that a person was merged into, or itself."""
        while number in self.into:
            number = self.into[number]
        return number

    def joined(self, account: int) -> set[int]:
        """The accounts of the account's person."""
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

    def is_active(self, memory: Told) -> bool:
        """Return whether no memory supersedes it."""
        if memory.deleted:
            return False
        winner = self.memories.get(memory.winner or "")
        while winner is not None:
            if not winner.deleted:
                return False
            winner = self.memories.get(winner.winner or "")
        return True

    def sees(self, place: Place, memory: Told) -> bool:
        """Return whether a memory is shown there, in whatever state."""
        mine = self.joined(place.account)
        told_it = memory.owner in mine or memory.stater in mine
        if memory.group is None:
            return told_it and place.group is None
        if place.group is None:
            heard = any(self.was_there(one, memory.group, memory.said) for one in mine)
            meant = self.person(place.account) in {self.person(n) for n in memory.subjects}
            if told_it or (heard and (memory.label != "sensitive" or meant)):
                return True
            return meant and memory.label == "public" and memory.portable
        hears = self.here(place.group) | {place.account}
        if place.group == memory.group:
            everybody = all(self.was_there(one, memory.group, memory.said) for one in hears)
            return memory.label == "public" or (memory.label == "personal" and everybody)
        about = {self.person(n) for n in memory.subjects}
        meant = any(self.person(one) in about for one in hears)
        return memory.label == "public" and memory.portable and (told_it or meant)

    def reads(self, place: Place, message: Said) -> bool:
        """Return whether a message is shown there."""
        mine = self.joined(place.account)
        if message.group is None:
            return place.group is None and message.owner in mine
        if place.group is None:
            heard = any(self.was_there(one, message.group, message.said) for one in mine)
            return heard or message.stater in mine
        hears = self.here(place.group) | {place.account}
        everybody = all(self.was_there(one, message.group, message.said) for one in hears)
        return place.group == message.group and everybody

    def may_change(self, place: Place, memory: Told) -> bool:
        """Return whether its speaker may change it there, in place."""
        mine = self.joined(place.account)
        own = memory.owner in mine or memory.stater in mine
        where = place.group is None if memory.group is None else place.group == memory.group
        return own and where and self.sees(place, memory) and self.is_active(memory)

    def strangers(self, place: Place) -> set[int]:
        """Return the accounts that must not be named there: never met in it, and not the asker's
        own.
        """
        if place.group is not None:
            met = {account for account, group in self.stays if group == place.group}
            return set(range(self.accounts)) - met - {place.account}
        mine = self.joined(place.account)
        groups = {group for account, group in self.stays if account in mine}
        met = {account for account, group in self.stays if group in groups}
        return set(range(self.accounts)) - met - mine


class Diverged(Exception):
    """The daemon refused what it must accept, or accepted what it must refuse."""


def _require(holds: bool, what: object) -> None:
    if not holds:
        raise Diverged(what)


class History:
    """A random history in a daemon and in the model, side by side."""

    PROVIDERS = ("p", "p", "p", "p", "q", "q")
    GROUPS = ("p", "p", "q")

    def __init__(self, daemon: Daemon, seed: int, model: type[Model] = Model) -> None:
        self.random = random.Random(seed)
        self.daemon = daemon
        self.tag = f"{next(_histories)}x{seed}"
        self.model = model(len(self.PROVIDERS))
        self.words = (f"w{self.tag}n{n}e" for n in itertools.count())
        self.uuids: dict[str, str] = {}
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
            "provider": f"{self.PROVIDERS[place.account]}{self.tag}",
            "user_id": self.user(place.account),
            "display_name": self.name(place.account),
        }
        if place.group is not None:
            return {**scope, "chat_id": f"g{place.group}", "chat_type": "group"}
        return {**scope, "chat_id": place.chat, "chat_type": "private"} if place.chat else scope

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
        return self.random.choice(list(self.places()))

    # What happens ---------------------------------------------------------------------------------

    def happen(self) -> None:
        """One random event."""
        self.model.step += 1
        events = (
            [self.tell] * 8
            + [self.speak] * 4
            + [self.move] * 3
            + [self.change] * 5
            + [self.reword] * 2
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
        """Let somebody state something about themselves, a new contact, or a participant."""
        place, word, tag = self.place(), next(self.words), next(self.words)
        self._speaks(place)
        shared = place.group is not None and self.random.random() < 0.3
        label, portable = self.random.choice(LABELS), self.random.random() < 0.7
        subjects, numbers = [], set()
        kind = self.random.choice(["me", "contact", "member", "nobody"])
        if kind == "me":
            subjects, numbers = ["me"], {place.account}
        elif kind == "contact":
            subjects = [f"Contact{next(self.words)}"]
        elif kind == "member" and place.group is not None:
            other = self.random.choice(sorted(self.model.here(place.group)))
            found = self._member(place, other)
            subjects, numbers = ([found], {other}) if found else ([], set())
        (entry,) = self.call(
            "memory.add",
            place,
            content=f"Box {word} stays here",
            subjects=subjects,
            sensitivity=label,
            portable=portable,
            shared=shared,
            tags=[tag],
        )["memories"]
        assert entry["outcome"] == "added"
        assert entry["superseded"] == []
        if kind == "contact":
            number = 1_000 + len(self.contacts)
            self.contacts[number] = entry["people"][0]["id"]
            numbers = {number}
        self.uuids[word] = entry["memory"]["id"]
        self.model.memories[word] = Told(
            word,
            None if shared else place.account,
            place.account,
            place.group,
            label,
            portable,
            {self.model.person(n) for n in numbers},
            self.model.step,
            tag,
        )

    def _member(self, place: Place, other: int) -> str | None:
        """The id by which somebody who takes part is known in a group."""
        for person in self.call("person.list", place, limit=100)["people"]:
            if self.user(other) in {account["user_id"] for account in person["accounts"]}:
                found: str = person["id"]
                return found
        return None

    def speak(self) -> None:
        """Add a turn by somebody to a conversation, with the assistant's answer."""
        place, conversation = self.place(), self.random.choice(CONVERSATIONS)
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
                Said(word, conversation, owner, stater, place.group, place.chat, self.model.step)
            )

    def _some(self) -> tuple[Place, Told] | None:
        active = [one for one in self.model.memories.values() if self.model.is_active(one)]
        if not active:
            return None
        memory = self.random.choice(active)
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
            reply = self.call("memory.update", place, id=self.uuids[memory.word], changes=changes)
        except CallFailed as failed:
            _require(failed.kind in {"denied", "not_found"}, failed.error)
            _require(not may or "content" in changes, (place, memory, changes, failed.error))
            return None
        apart = "content" in changes and reply["previous_id"] is None
        sees = self.model.sees(place, memory)
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
        if field_ == "sensitivity":
            memory.label = value
        elif field_ == "portable":
            memory.portable = value
        elif field_ == "tags":
            memory.tag = tag
        else:
            memory.subjects = {self.model.person(place.account)} if value else set()
        for older in self.model.memories.values():
            tighter = LABELS.index(memory.label) > LABELS.index(older.label)
            tighter |= older.portable and not memory.portable
            if older.winner == memory.word and older.group is not None and tighter:
                older.winner = None

    def reword(self) -> None:
        """Let somebody reword a memory: the new words are said now, here, by them."""
        if (found := self._some()) is None:
            return
        place, memory = found
        word = next(self.words)
        reply = self._changed(place, memory, content=f"Box {word} stays here")
        if reply is None:
            return
        self.uuids[word] = reply["memory"]["id"]
        self.model.memories[word] = Told(
            word,
            memory.owner,
            place.account,
            place.group,
            memory.label,
            memory.portable,
            set(memory.subjects),
            self.model.step,
            memory.tag,
        )
        if reply["previous_id"] is not None:
            memory.winner = word

    def delete(self) -> None:
        """Let the owner delete a memory, wherever they see it."""
        if (found := self._some()) is None:
            return
        place, memory = found
        if self.model.may_change(place, memory):
            self.call("memory.delete", place, id=self.uuids[memory.word])
            memory.deleted = True

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
        self.daemon.call(
            "person.link_account",
            id=self.own[one],
            account={key: self.scope(Place(other, None))[key] for key in ("provider", "user_id")},
        )
        self.model.into[other] = one
        self.linked.append((one, other))

    def unlink(self) -> None:
        """An operator takes two joined accounts apart."""
        if not self.linked:
            return
        one, other = self.linked.pop()
        self.daemon.call(
            "person.unlink_account",
            id=self.own[one],
            account={key: self.scope(Place(other, None))[key] for key in ("provider", "user_id")},
        )
        del self.model.into[other]

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

    # What is compared -----------------------------------------------------------------------------

    def compare(self) -> tuple[int, list[str]]:
        """Compare all that is shown with the model; return a count and the differences."""
        count, wrong = 0, []
        for place in self.places():
            listed = self.call("memory.list", place, limit=100)
            assert listed["next_cursor"] is None
            shown = {memory["content"].split()[1] for memory in listed["memories"]}
            for memory in self.model.memories.values():
                expected = self.model.is_active(memory) and self.model.sees(place, memory)
                count += 1
                if (memory.word in shown) != expected:
                    wrong.append(f"{place} memory {memory} shown: {not expected}")
            if self.random.random() < 0.1:  # some of them through a sandbox
                count += 1
                wrong += self._through_a_grant(place, shown)
            told = self._talk(place, wrong)
            count += len(self.model.messages)
            question = f"Box {self.random.choice([*self.model.memories, 'none'])}"
            replies = json.dumps(
                [
                    listed,
                    told,
                    self.call("person.list", place),
                    self.call("context.get", place, message=question)["text"],
                    self.call("memory.search", place, query=question, min_score=0, limit=50),
                ]
            )
            wrong += [
                f"{place} hears of {memory}"
                for memory in self.model.memories.values()
                if not self.model.sees(place, memory)
                and (memory.word in replies or self._hides(place, memory, replies))
            ]
            for account in self.model.strangers(place):
                count += 1
                if self.user(account) in replies or self.name(account) in replies:
                    wrong.append(f"{place} hears of account {account}")
        return count, wrong

    def _through_a_grant(self, place: Place, shown: set[str]) -> list[str]:
        """Return the differences seen through a grant; people outside the group get none."""
        takes_part = place.group is None or place.account in self.model.here(place.group)
        if not takes_part:
            return []
        grant = self.daemon.call("grant.create", scope=self.scope(place), rights=["read"])
        listed = self.daemon.call("memory.list", at=grant["socket"], limit=100)["memories"]
        self.daemon.call("grant.revoke", grant_id=grant["grant_id"])
        seen = {memory["content"].split()[1] for memory in listed}
        return [] if seen == shown else [f"{place} through a grant: {seen ^ shown}"]

    def _hides(self, place: Place, memory: Told, replies: str) -> bool:
        """Return whether a hidden memory's tag is shown, which no shown one has."""
        shown = {one.tag for one in self.model.memories.values() if self.model.sees(place, one)}
        return memory.tag not in shown and memory.tag in replies

    def _talk(self, place: Place, wrong: list[str]) -> list[Json]:
        """Compare the conversations shown in a chat with the model; return the replies."""
        replies = []
        reads = [one for one in self.model.messages if self.model.reads(place, one)]
        listed = self.call("conversation.list", place, limit=100)
        counted = sorted((c["conversation_id"], c["messages"]) for c in listed["conversations"])
        of_each: dict[tuple[Any, ...], int] = {}
        for one in reads:
            key = (one.conversation, one.group, one.owner, one.chat)
            of_each[key] = of_each.get(key, 0) + 1
        if counted != sorted((key[0], number) for key, number in of_each.items()):
            wrong.append(f"{place} counts {counted} for {of_each}")
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
            page = self.call("conversation.get", place, conversation_id=conversation, limit=100)
            replies.append(page)
            if here != [message["content"].split()[1] for message in page["messages"]]:
                wrong.append(f"{place} reads {page['messages']} for {here}")
            if list(range(len(here))) != [message["index"] for message in page["messages"]]:
                wrong.append(f"{place} counts from elsewhere")
        return replies


def run(
    daemon: Daemon, comparisons: int, *, seed: int = 0, model: type[Model] = Model
) -> tuple[int, list[str]]:
    """Compare until so many comparisons were made, or something differs; return both."""
    done, wrong = 0, list[str]()
    for number in itertools.count(seed):
        history = History(daemon, number, model)
        for event in range(40):
            history.happen()
            if event % 10 == 9:
                count, found = history.compare()
                done += count
                wrong += [f"seed {number}, step {event}: {one}" for one in found]
        if done >= comparisons or wrong:
            break
    return done, wrong


def main() -> None:
    """Run it by itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    try:
        done, wrong = run(daemon, arguments.comparisons, seed=arguments.seed)
    finally:
        daemon.remove()
    lines = [*wrong[:20], f"{done:,} comparisons, {len(wrong)} divergences", ""]
    sys.stdout.write("\n".join(lines))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
