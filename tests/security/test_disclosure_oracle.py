"""Random histories against an independent model of the rules. Budget: 60 s.

`make check-disclosure` compares a hundred thousand times.
"""

import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from disclosure_oracle.comparison import Comparison, compare
from disclosure_oracle.history import Diverged, History
from disclosure_oracle.rules import EVERY, Model, Place, Said, Told
from disclosure_oracle.surfaces import SURFACES
from disclosure_oracle.world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A daemon without an embedder, which is irrelevant here, and all that stands before it."""
    with World.running() as running:
        yield running


def test_random_histories_are_shown_as_the_rules_say(world: World) -> None:
    """Histories join and part accounts, merge people, reword memories and learn from turns.

    They end with memories that move between projects, or replace one of another project.
    """
    done, wrong = compare(world, 3_000)
    assert wrong == []
    assert done >= 3_000


def test_two_daemons_show_what_the_rules_say() -> None:
    """Each call asks another of two daemons on one database of a server."""
    pytest.importorskip("psycopg")
    with World.running(2) as world:
        done, wrong = compare(world, 1_000)
    assert wrong == []
    assert done >= 1_000


class SubjectsOfPrivate(Model):
    """Breaks rule 3: a subject may see what was told in private."""

    def sees(self, place: Place, told: Told) -> bool:
        """Rule 3, broken."""
        meant = self.person(place.account) in {self.person(n) for n in told.subjects}
        return super().sees(place, told) or (told.group is None and meant)


class AbsentMembers(Model):
    """Breaks rule 4: the audience need not have been present."""

    def sees(self, place: Place, told: Told) -> bool:
        """Rule 4, broken."""
        here = place.group is not None and place.group == told.group
        return super().sees(place, told) or (here and told.label == "personal")


class SeparateAccounts(Model):
    """Breaks B9: joined accounts share nothing."""

    def joined(self, account: int) -> set[int]:
        """B9, broken."""
        return {account}


class SharedNames(Model):
    """Breaks private chats: everybody with a chat of that name sees them."""

    def reads(self, place: Place, message: Said) -> bool:
        """The finding, as it was."""
        same = message.group is None and place.group is None and message.chat == place.chat
        return super().reads(place, message) or (same and place.chat is not None)


class ChangesAnywhere(Model):
    """Breaks changes: a group's memories may be changed from a private chat."""

    def may_change(self, place: Place, memory: Told) -> bool:
        """Allows what must be denied."""
        mine = self.joined(place.account)
        own = memory.owner in mine or memory.stater in mine
        return own and self.is_shown(place, memory)


class HiddenWinners(Model):
    """Breaks chains: a memory is replaced for those, too, who may not read the new words."""

    def is_replaced(self, place: Place, memory: Told) -> bool:
        """The finding, as it was: whoever asks."""
        del place
        return bool(self.later(memory))


class LateRelations(Model):
    """Breaks the graph: a relation is as old as the model's look at its turn."""

    def sees(self, place: Place, told: Told) -> bool:
        """The finding, as it was, for the group."""
        is_relation = told.word in self.relations and told.label == "personal"
        return super().sees(place, told) or (is_relation and place.group == told.group)


class PortableRelations(Model):
    """Breaks the graph: a relation leaves its group although the fact of its turn must not."""

    def sees(self, place: Place, told: Told) -> bool:
        """Show every relation as if it were portable."""
        is_relation = told.word in self.relations
        return super().sees(place, replace(told, portable=True) if is_relation else told)


class LateParting(Model):
    """Breaks parting: what an account said of itself while joined stays with the other one."""

    def __init__(self, accounts: int) -> None:
        """Remember whom each subject meant when it was said."""
        super().__init__(accounts)
        self.meant: dict[str, set[int]] = {}

    def sees(self, place: Place, told: Told) -> bool:
        """The finding, as it was."""
        meant = self.meant.setdefault(told.word, {self.person(n) for n in told.subjects})
        subjects, told.subjects = told.subjects, meant
        try:
            return super().sees(place, told)
        finally:
            told.subjects = subjects


class OtherProjects(Model):
    """Breaks projects: what was told in one is read in another."""

    def sees(self, place: Place, told: Told) -> bool:
        """Look at memories and relations in all projects."""
        return super().sees(place._replace(project=EVERY), told)


class OtherTurns(Model):
    """Breaks projects: what was said in one is read in another."""

    def reads(self, place: Place, message: Said) -> bool:
        """Read messages in all projects."""
        return super().reads(place._replace(project=EVERY), message)


class ProjectsApart(Model):
    """Breaks projects: what was told in none is not read in one."""

    def sees(self, place: Place, told: Told) -> bool:
        """Show a project what was told in it."""
        return super().sees(place, told) and (place.told_in in {None, told.project})


class ProjectsReplaceAll(Model):
    """Breaks projects: what is told in one replaces what is shown everywhere."""

    def may_supersede(self, memory: Told, project: str | None) -> bool:
        """The finding, as it was."""
        del memory, project
        return True


class WritersNarrow(Model):
    """Breaks rights: writing is enough to move a memory from everywhere into a project."""

    def may_narrow(self, rights: Collection[str]) -> bool:
        """The finding, as it was."""
        return bool(rights)


@pytest.mark.parametrize(
    ("model", "seed"),
    [
        (SubjectsOfPrivate, 0),
        (AbsentMembers, 0),
        (SeparateAccounts, 1),
        (SharedNames, 0),
        (ChangesAnywhere, 0),
        (LateRelations, 1),
        (PortableRelations, 1017),
        (LateParting, 127),
        (OtherProjects, 0),
        (OtherTurns, 0),
        (ProjectsApart, 0),
        (ProjectsReplaceAll, 0),
        (WritersNarrow, 0),
    ],
)
def test_a_wrong_rule_is_noticed(world: World, model: type[Model], seed: int) -> None:
    """The comparison distinguishes the rules from slightly wrong ones.

    Each begins with a history that shows the difference, which not all of them do.
    """
    try:
        _, wrong = compare(world, 25_000, model=model, seed=seed)
    except Diverged:
        return  # a change was refused that the wrong rule allows, or the other way round
    assert wrong


def test_a_hidden_winner_that_replaces_is_noticed(world: World) -> None:
    """The histories go by the rules here: only the answers are judged by the wrong one."""
    _, wrong = compare(world, 25_000, judge=HiddenWinners, seed=7)
    assert wrong


class NamedInWords(Model):
    """Breaks rules 5 and 6: being named by the words of a fact opens it."""

    def sees(self, place: Place, told: Told) -> bool:
        """Whoever is named counts as a subject."""
        return super().sees(place, replace(told, subjects=told.subjects | told.named))


def test_words_that_open_a_fact_are_noticed(world: World) -> None:
    """Contacts whom only words name, told of in a group, turn out to be an account outside it."""
    history, outside = History(world, 0), 4
    group = Place(0, 0)
    while not any(_is_open(one) for one in history.model.memories.values()):
        history.model.step += 1
        history._tell(group, "contact in words")
    for number, person in history.contacts.items():
        into = history.own[outside]
        history.call("person.merge", group, id=person, into=into, all_scopes=True)
        history.model.into[number] = outside

    for judge in (None, NamedInWords):
        moment = Comparison(history, ["listing"], judge)
        moment.run()
        assert bool(moment.wrong) is (judge is not None)


def _is_open(told: Told) -> bool:
    return told.label == "public" and told.portable and bool(told.named)


class OneInThree(Model):
    """Hides one memory, relation and message in three, whoever asks."""

    def sees(self, place: Place, told: Told) -> bool:
        """Nobody sees every third."""
        return super().sees(place, told) and sum(told.word.encode()) % 3 > 0

    def reads(self, place: Place, message: Said) -> bool:
        """Nobody reads every third."""
        return super().reads(place, message) and sum(message.word.encode()) % 3 > 0

    def strangers(self, place: Place) -> set[int]:
        """Nobody may be named but the asker."""
        return set(range(self.accounts)) - {place.account}


@pytest.mark.parametrize("surface", [*SURFACES])
def test_a_leak_is_noticed_on_each_surface(world: World, surface: str) -> None:
    """Each of them alone shows what a model hides that hides too much."""
    _, wrong = compare(world, 3_000, judge=OneInThree, only=[surface])
    assert wrong
    assert all(f"by {surface}" in one for one in wrong)
