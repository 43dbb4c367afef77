"""Random histories against an independent model of the rules. Budget: 60 s.

`make check-disclosure` compares a hundred thousand times.
"""

from collections.abc import Iterator

import pytest
from daemons import Daemon
from disclosure_oracle import Diverged, Model, Place, Said, Told, run


@pytest.fixture(scope="module")
def plain() -> Iterator[Daemon]:
    """A daemon without an embedder, which is irrelevant here."""
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    yield daemon
    daemon.remove()
    assert daemon.unexpected() == []


def test_random_histories_are_shown_as_the_rules_say(plain: Daemon) -> None:
    """The histories have linked accounts, changes in place, shared chat names and merged people."""
    done, wrong = run(plain, 3_000)
    assert wrong == []
    assert done >= 3_000


class SubjectsOfPrivate(Model):
    """Breaks rule 3: a subject may see what was told in private."""

    def sees(self, place: Place, memory: Told) -> bool:
        """Rule 3, broken."""
        meant = self.person(place.account) in {self.person(n) for n in memory.subjects}
        return super().sees(place, memory) or (memory.group is None and meant)


class AbsentMembers(Model):
    """Breaks rule 4: the audience need not have been present."""

    def sees(self, place: Place, memory: Told) -> bool:
        """Rule 4, broken."""
        here = place.group is not None and place.group == memory.group
        return super().sees(place, memory) or (here and memory.label == "personal")


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
        return own and self.sees(place, memory) and self.is_active(memory)


@pytest.mark.parametrize(
    "model", [SubjectsOfPrivate, AbsentMembers, SeparateAccounts, SharedNames, ChangesAnywhere]
)
def test_a_wrong_rule_is_noticed(plain: Daemon, model: type[Model]) -> None:
    """The comparison distinguishes the rules from slightly wrong ones."""
    try:
        _, wrong = run(plain, 20_000, model=model)
    except Diverged:
        return  # a change was refused that the wrong rule allows, or the other way round
    assert wrong
