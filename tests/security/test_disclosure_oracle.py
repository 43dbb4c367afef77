"""Random histories against an independent account of the rules. Budget: 60 s.

`make check-disclosure` compares a hundred thousand times.
"""

from collections.abc import Iterator

import pytest
from daemons import Daemon
from disclosure_oracle import Diverged, Model, Place, Said, Told, run


@pytest.fixture(scope="module")
def plain() -> Iterator[Daemon]:
    """A daemon without an embedder, which has nothing to do with who sees what."""
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    yield daemon
    daemon.remove()
    assert daemon.unexpected() == []


def test_random_histories_are_shown_as_the_rules_say(plain: Daemon) -> None:
    """With linked accounts, changes in place, shared names of private chats, merged people."""
    done, wrong = run(plain, 3_000)
    assert wrong == []
    assert done >= 3_000


class SubjectsOfPrivate(Model):
    """To be meant gives a right to what was told in private."""

    def sees(self, place: Place, memory: Told) -> bool:
        """Rule 3, broken."""
        meant = self.person(place.account) in {self.person(n) for n in memory.subjects}
        return super().sees(place, memory) or (memory.group is None and meant)


class AbsentMembers(Model):
    """Whoever listens need not have been there."""

    def sees(self, place: Place, memory: Told) -> bool:
        """Rule 4, broken."""
        here = place.group is not None and place.group == memory.group
        return super().sees(place, memory) or (here and memory.label == "personal")


class SeparateAccounts(Model):
    """Joined accounts share nothing."""

    def joined(self, account: int) -> set[int]:
        """B9, broken."""
        return {account}


class SharedNames(Model):
    """A private chat is everybody's who calls it so."""

    def reads(self, place: Place, message: Said) -> bool:
        """The finding, as it was."""
        same = message.group is None and place.group is None and message.chat == place.chat
        return super().reads(place, message) or (same and place.chat is not None)


class ChangesAnywhere(Model):
    """Memories of a group may be changed from a private chat."""

    def may_change(self, place: Place, memory: Told) -> bool:
        """Allows what must be denied."""
        mine = self.joined(place.account)
        own = memory.owner in mine or memory.stater in mine
        return own and self.sees(place, memory) and self.is_active(memory)


@pytest.mark.parametrize(
    "model", [SubjectsOfPrivate, AbsentMembers, SeparateAccounts, SharedNames, ChangesAnywhere]
)
def test_a_wrong_rule_is_noticed(plain: Daemon, model: type[Model]) -> None:
    """The comparison tells the rules from what is nearly them."""
    try:
        _, wrong = run(plain, 20_000, model=model)
    except Diverged:
        return  # a change was refused that the wrong rule allows, or the other way round
    assert wrong
