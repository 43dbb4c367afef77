"""The people a new fact is about: those its caller names, else those its words name.

Nobody asked for the latter, so a person is left out if it is not clear who is meant, and in a group
if they have an account: being named in passing must not open a fact to anybody.
"""

from contextlib import suppress
from typing import Final, NamedTuple

from ashd import errors
from ashd.memory.incoming_facts import Prepared
from ashd.people import resolve as resolving
from ashd.people import told
from ashd.people.joining import Join
from ashd.people.reference_candidates import Speaker
from ashd.people.told import Told
from ashd.store import chats, subjects
from ashd.store.database import Tx

_LEFT_OUT: Final = (errors.Ambiguous, errors.Denied, errors.InvalidParams, errors.QuotaExceeded)


class FactPeople(NamedTuple):
    """The people of a fact, each with the words that named them."""

    told: list[Told]
    words: list[str]
    is_read: bool
    """Whether the fact names them, and not its caller."""

    @property
    def persons(self) -> list[int]:
        """The row numbers of the people."""
        return [one.person for one in self.told]

    @property
    def given(self) -> list[int]:
        """The row numbers of those whom the caller named."""
        return [] if self.is_read else self.persons

    @property
    def joined(self) -> Join | None:
        """The two people whom the fact made one."""
        return next((one.found.joined for one in self.told if one.found.joined), None)


def resolve(tx: Tx, speaker: Speaker, fact: Prepared, *, may_join: bool, reads: bool) -> FactPeople:
    """Return the people of a fact, created if needed; its words are asked only if it `reads`.

    Raises:
        errors.AshError: somebody whom the caller names cannot be resolved.
    """
    about = FactPeople([], [], is_read=not fact.subjects)
    for words in fact.subjects:
        _add(tx, speaker, fact, words, about, may_join=may_join)
    for words, creates in fact.read_subjects if reads else ():
        with suppress(*_LEFT_OUT), tx.savepoint():
            if not creates and resolving.resolve(tx, speaker, words, create=False) is None:
                continue
            _add(tx, speaker, fact, words, about, may_join=may_join)
            if speaker.viewer.group and chats.accounts_of(tx, about.persons[-1]):
                about.told.pop(), about.words.pop()
                raise errors.Denied("A member of the group.", "Name the subjects.")
    return about


def _add(
    tx: Tx, speaker: Speaker, fact: Prepared, words: str, about: FactPeople, *, may_join: bool
) -> None:
    may = may_join and about.joined is None
    about.told.append(told.resolve(tx, speaker, words, hint=fact.content, may_join=may))
    about.words.append(words)


def write(tx: Tx, number: int, about: FactPeople) -> None:
    """Store with the subjects of a new memory which words named them, and whom they mean."""
    subjects.set_references(tx, number, dict(zip(about.persons, about.words, strict=True)))
    if about.is_read:
        subjects.set_read(tx, number)
    told.write_subjects(tx, number, about.told)
