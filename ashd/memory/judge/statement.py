"""A statement: one stored fact as the judge sees it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Trust: TypeAlias = Literal["fact", "hearsay", "unknown"]
"""Whether the person it is about said it, somebody else did, or that is unknown."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The properties of a fact that decide whether it conflicts with another.

    `subjects` are the ids of the people it is about, or of its speaker if it names nobody;
    `may_be_about` of those whom it may be about if that is nobody; `first_person` says whether the
    subjects stated it themselves; `fades` whether it has an end (by its type or an expiry);
    `is_event` whether it happened at a time, and so may happen again. Times in microseconds:
    `stated_at` when it was stored, `observed_at` when it was observed, if known, `valid_from` and
    `valid_until` between which it holds.
    """

    text: str
    subjects: frozenset[str] = frozenset()
    may_be_about: frozenset[str] = frozenset()
    first_person: Trust = "unknown"
    fades: bool = False
    is_event: bool = False
    observed_at: int | None = None
    stated_at: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None

    def shares_subjects(self, other: "Statement") -> bool:
        """Return whether two statements are about the same people, or both about nobody."""
        either = ((self.subjects, other.may_be_about), (other.subjects, self.may_be_about))
        return self.subjects == other.subjects or any(
            one and one == may_be for one, may_be in either
        )
