"""The people a new fact is about: those its caller names, else those its words name.

Nobody asked for people read from the words: they are left out if it is not clear who is meant, and
to be named there does not open the fact to them (`store.visibility`).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from ashd import errors
from ashd.language.people.name_similarity import is_whole
from ashd.language.people.references import parse_reference
from ashd.language.people.subjects import Subject
from ashd.people import resolve as resolving
from ashd.people import told
from ashd.people.joining import Join
from ashd.people.reference_candidates import Speaker
from ashd.people.told import Told
from ashd.store import meant, subjects
from ashd.store.database import Tx

_LEFT_OUT: Final = (errors.Ambiguous, errors.Denied, errors.InvalidParams, errors.QuotaExceeded)


class FactPeople(NamedTuple):
    """The people of a fact, each with the words that named them."""

    told: list[Told]
    words: list[str]
    are_read: bool
    """Whether the people come from the words of the fact, and not from its caller."""

    @property
    def persons(self) -> list[int]:
        """The row numbers of the people."""
        return [one.person for one in self.told]

    @property
    def given(self) -> list[int]:
        """The row numbers of the people whom the caller named."""
        return [] if self.are_read else self.persons

    @property
    def joined(self) -> Join | None:
        """The two people whom the fact merged."""
        return next((one.found.joined for one in self.told if one.found.joined), None)


def resolve(
    tx: Tx,
    speaker: Speaker,
    content: str,
    given: Sequence[str],
    read: Sequence[Subject],
    *,
    may_join: bool,
) -> FactPeople:
    """Return the people of a fact, created if needed: the `given`, and who was `read` from it.

    Raises:
        errors.AshError: one of the given cannot be resolved.
    """
    about = FactPeople([], [], are_read=not given)

    def add(words: str, *, is_checked: bool) -> Told:
        may = may_join and about.joined is None
        return told.resolve(tx, speaker, words, hint=content, may_join=may, is_checked=is_checked)

    for words in given:
        about.told.append(add(words, is_checked=False))
        about.words.append(words)
    for words, creates in read:
        with suppress(*_LEFT_OUT), tx.savepoint():
            if not (creates or _is_known(tx, speaker, words)):
                continue
            about.told.append(add(words, is_checked=True))
            about.words.append(words)
    return about


def _is_known(tx: Tx, speaker: Speaker, words: str) -> bool:
    """Return whether the words mean a known person, or a whole name begins with a known name."""
    known = resolving.resolve(tx, speaker, words, create=False, is_checked=True)
    if known is not None:
        return True
    is_name = parse_reference(words).relationship is None and is_whole(words)
    return is_name and bool(resolving.similar(tx, speaker, words))


def write(tx: Tx, number: int, about: FactPeople) -> None:
    """Store the words that named the subjects of a new memory, and the people they mean."""
    subjects.set_references(tx, number, dict(zip(about.persons, about.words, strict=True)))
    told.write_subjects(tx, number, about.told)


def write_changed(
    tx: Tx, number: int, to: int, references: Mapping[int, str], about: FactPeople | None
) -> None:
    """Store the subjects of a changed memory and of the memory `to` which it becomes.

    Without `about` the people stay the same, named by `references`.
    """
    if about is not None:
        write(tx, to, about)
        return
    subjects.set_references(tx, to, references)
    if to != number:
        meant.copy(tx, number, to)
