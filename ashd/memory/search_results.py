"""The results of `memory.search`."""

from typing import Literal

import msgspec

from ashd.memory.filters import Notice
from ashd.memory.judge.statement import Trust
from ashd.memory.model import Memory, Relation


class ConflictRef(msgspec.Struct, frozen=True):
    """A conflict of a result, as in its memory's `conflicts`."""

    id: str
    relation: Relation
    likelihood: float


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that answers, its score, the people it is about and its trust.

    In a block for a prompt `about` leaves out the person who told it, who is nobody else there.
    """

    memory: Memory
    score: float
    weak: bool
    """Whether it is near the question but may not answer it."""
    about: list[str]
    repeats: list[str]
    """The ids of memories that say the same."""
    conflicts: list[ConflictRef]
    trust: Trust
    via: str | msgspec.UnsetType = msgspec.UNSET
    """The relation that brought it, if it is about somebody related to a named person."""
    passage: str | msgspec.UnsetType = msgspec.UNSET
    """The passage that was found, if the memory has several."""
    signals: dict[str, float] | msgspec.UnsetType = msgspec.UNSET
    newest: bool = False
    """Whether it was not found by the question: it perhaps replaces the one before it, or is one of
    the newest, in a block for a prompt."""


class WithheldResult(msgspec.Struct, frozen=True):
    """A candidate that was not shown, its score, and the reason."""

    why: Literal["below_threshold", "over_limit"]
    result: Result


class Withheld(msgspec.Struct, frozen=True, omit_defaults=True):
    """The number of candidates that were not shown, by reason; with `explain` the best of them."""

    below_threshold: int
    over_limit: int
    best: list[WithheldResult] | msgspec.UnsetType = msgspec.UNSET


class SearchResult(msgspec.Struct, frozen=True):
    """The memories found, best first."""

    results: list[Result]
    withheld: Withheld
    degraded: list[str]
    notices: list[Notice]
