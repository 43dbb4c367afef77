"""Suggest pairs of people who may be the same; nobody is merged on similarity alone (B7)."""

from collections.abc import Hashable
from itertools import combinations, product
from typing import Annotated, Final, NamedTuple

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.language.people import name_similarity, references
from ashd.people import joining, model
from ashd.people.exclusive_relationships import ONE_OF_A_KIND
from ashd.people.model import Known, PersonView
from ashd.store.database import Database, Tx
from ashd.store.visibility import Viewer


class DuplicatesParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The largest number of pairs."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20


class Pair(msgspec.Struct, frozen=True):
    """Two people who may be one, and the evidence."""

    people: list[PersonView]
    why: str


class DuplicatesResult(msgspec.Struct, frozen=True):
    """Suggestions, likeliest first; nothing was merged."""

    pairs: list[Pair]


class Duplicates:
    """Finds people who are alike."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def suggest(self, call: Call, params: DuplicatesParams) -> DuplicatesResult:
        """Suggest pairs of people who may be the same; nobody is merged by it."""
        return await self._db.read(lambda tx: _duplicates(tx, call, params))


class _Compared(NamedTuple):
    """A person with everything that is compared, since each is compared with many."""

    known: Known
    names: list[str]
    tellers: set[int]
    related: set[int]
    only_ones: set[tuple[str, int]]


def count(tx: Tx) -> int:
    """Count the pairs over all scopes: slow, so use a connection of its own."""
    return len(_pairs(tx, _WHOEVER))


_WHOEVER: Final = Viewer(
    everything=True,
    account=None,
    accounts=(),
    persons=(),
    chat=None,
    group=False,
    audience=(),
    audience_persons=(),
    audience_known=False,
)


def _pairs(tx: Tx, viewer: Viewer) -> list[tuple[int, Known, Known]]:
    accounts = None if viewer.everything else viewer.accounts
    found = [_compared(one) for one in model.load(tx, viewer, model.listed(tx, viewer)).values()]
    return [
        (rank, one.known, other.known)
        for one, other in _alike(found)
        if (rank := _suggested(one, other)) is not None
        and not joining.are_apart(tx, one.known.person, other.known.person, accounts)
    ]


def _duplicates(tx: Tx, call: Call, params: DuplicatesParams) -> DuplicatesResult:
    viewer = call.look(tx)
    pairs = sorted(_pairs(tx, viewer), key=lambda pair: pair[0])
    return DuplicatesResult(
        [
            Pair([model.to_wire(tx, known, viewer) for known in both], WHY[rank])
            for rank, *both in pairs[: params.limit]
        ]
    )


def _alike(found: list[_Compared]) -> list[tuple[_Compared, _Compared]]:
    """Return the pairs that share a word of their names, its sound, or a relationship to somebody.

    The beginnings of names rule out most pairs that share only a part of a surname.
    """
    begin = [{*_openings(one.names), *one.only_ones} for one in found]
    by_mark: dict[Hashable, list[int]] = {}
    for place, one in enumerate(found):
        for mark in {*_marks(one.names), *one.only_ones}:
            by_mark.setdefault(mark, []).append(place)
    pairs = {
        (one, other)
        for places in by_mark.values()
        if len(places) <= _MOST_ALIKE
        for one, other in combinations(places, 2)
        if not begin[one].isdisjoint(begin[other])
    }
    return [(found[one], found[other]) for one, other in sorted(pairs)]


_MOST_ALIKE = 50
"""A word that is in the names of more people than this, such as a family's, is no evidence."""

WHY = (
    "the same name",
    "one name is part of the other",
    "two spellings of one name",
    "one name is a short form of the other",
    "one stands for the other's relationship",
)
_RANK_OF_VARIANT = {"same": 1, "spelling": 2, "short form": 3}
_RELATED = 4


def _suggested(one: _Compared, other: _Compared) -> int | None:
    """Return the index in `WHY` of the evidence that two people are one; None without evidence.

    Two people with accounts are never suggested, nor are two whom different users told of: a shared
    name proves nothing there.
    """
    if (one.known.accounts and other.known.accounts) or one.tellers.isdisjoint(other.tellers):
        return None
    if one.known.person.id in other.related or other.known.person.id in one.related:
        return None
    pairs = list(product(one.names, other.names))
    kinds = [kind for pair in pairs if (kind := references.matches(*pair)) is not None]
    if kinds:
        return 0 if min(kinds) == references.MatchKind.EXACT else 1
    variants = [
        _RANK_OF_VARIANT[variant] for pair in pairs if (variant := name_similarity.variant(*pair))
    ]
    return min(variants) if variants else _RELATED if one.only_ones & other.only_ones else None


def _compared(known: Known) -> _Compared:
    by = {
        known.person.created_by,
        *(alias.added_by for alias in known.aliases),
        *(claim.stated_by for claim in known.relationships),
    }
    names = [alias.value for alias in known.aliases]
    if known.knows_name and known.person.named:
        names.append(known.person.name)
    return _Compared(
        known,
        names,
        tellers={account for account in by if account is not None},
        related={claim.to_person for claim in known.relationships},
        only_ones={
            (claim.relationship, claim.to_person)
            for claim in known.relationships
            if claim.ended_at is None and claim.relationship in ONE_OF_A_KIND
        },
    )


def _openings(names: list[str]) -> set[str]:
    """Return keys for names; two people with similar names have a key in common."""
    every = (name_similarity.openings(name) | references.openings(name) for name in names)
    return {word for words in every for word in words}


def _marks(names: list[str]) -> set[str]:
    return {mark for name in names for mark in name_similarity.marks(name)}
