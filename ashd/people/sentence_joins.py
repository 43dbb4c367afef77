"""The identity that a sentence states of a person who was found: the same as another, or not.

"Emil Baker is my sister's husband" makes one of Emil Baker and of the sister's husband who had no
name. Two people with names are joined only where the sentence says expressly that they are one. If
they are not joined, neither gets a name of the other: it would be ambiguous from then on.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ashd.language.people.name_similarity import is_whole
from ashd.language.people.references import MatchKind, Reference, matches
from ashd.language.words import normalise
from ashd.people import joining, reference_candidates, reference_matching
from ashd.people.joining import Join
from ashd.people.model import Known
from ashd.people.reference_candidates import KnownPeople, Speaker
from ashd.people.reference_matching import Wanted
from ashd.store.database import Tx


class SaidIdentity:
    """The people who are the same as a person, or others, by one sentence.

    `mere` is the reference without the sentence; `find` returns the one person known by another.
    """

    def __init__(
        self,
        speaker: Speaker,
        mere: Reference,
        wanted: Wanted,
        around: KnownPeople,
        find: Callable[[Reference], int | None],
    ) -> None:
        self._speaker = speaker
        self._mere = mere
        self._wanted = wanted
        self._around = around
        self._own = {known.person.id: known for known in around.own}
        self._family = reference_matching.family_of(speaker, around.own)
        self._find = find
        found = {find(other) for other in wanted.said.others}
        self.others = frozenset(number for number in found if number in self._own)
        self.refused: set[int] = set()
        """The people whom the sentence says the person is, and who were not joined."""
        self.joined: Join | None = None

    def is_another(self, number: int) -> bool:
        """Return whether a person found by name is one of those; a whole name is certain."""
        called = self._called(number)
        name = self._wanted.name or ""
        is_certain = is_whole(name) and (
            reference_candidates.best_kind(name, called) is MatchKind.EXACT
        )
        return not is_certain and number in self.others

    def join(self, tx: Tx, number: int, *, by_role: bool, may_join: bool) -> tuple[int, int | None]:
        """Join the person with one whom the sentence says they are; the person, and who went.

        A text joins two people at most: it may be anybody's, and each join shows one's memories as
        the other's. The others are refused.
        """
        gone: int | None = None
        same = self._wanted.said.same
        found = {self._find(other) for other in (*same, self._mere)} if same else set()
        express = sorted(other for other in found if other is not None)  # who was known first
        name = self._mere.name or ""
        for other in (*express, *self._said_to_be(number, by_role=by_role)):
            if other in {number, gone, *self._wanted.not_these} or other not in self._own:
                continue
            loser, winner = (number, other) if self._is_open(number, name) else (other, number)
            completes = self._is_named(winner) and self._is_open(loser, name)
            is_said = other in express or (completes and self._agree(loser, winner))
            may = may_join and self.joined is None
            may = may and joining.may_join(tx, self._speaker, loser, winner)
            if is_said and not may:
                self.refused.add(other)
            elif is_said:
                self.joined = joining.join(tx, loser, winner)
                gone, number = loser, winner
        return number, gone

    def without_names_of_others(
        self, wanted: Wanted, number: int | None, gone: int | None
    ) -> Wanted:
        """Return what is wanted, without names that mean somebody known besides the person."""

        def is_free(name: str) -> bool:
            return not self._named(name) - {number, gone}

        name = wanted.name
        if name and number and self._find(Reference(name=name)) in self.refused - {number}:
            name = None
        return replace(
            wanted,
            name=name,
            other_names=tuple(filter(is_free, wanted.other_names)),
            said=replace(wanted.said, names=tuple(filter(is_free, wanted.said.names))),
        )

    def taken(self, number: int, gone: int | None) -> list[Known]:
        """Return the people, not joined, whose names the sentence gives to this person."""
        names = (*self._wanted.other_names, *self._wanted.said.names)
        numbers = self.refused.union(*map(self._named, names)) - {number, gone} - self.others
        among = {known.person.id: known for known in (*self._around.near, *self._around.own)}
        return [known for one, known in among.items() if one in numbers]

    def _named(self, name: str) -> set[int]:
        """Return the people known by just this name, or refused as the one it means."""
        key = normalise(name)
        found = {
            known.person.id
            for among, called in (
                (self._around.own, reference_candidates.own_names),
                (self._around.near, reference_candidates.names_here),
            )
            for known in among
            if key in map(normalise, called(self._speaker, known))
        }
        return found | (self.refused & {self._find(Reference(name=name))})

    def _said_to_be(self, number: int, *, by_role: bool) -> Iterator[int | None]:
        said, name = self._wanted.said, self._mere.name
        if name and by_role and self._is_open(number, name):
            same = self._find(Reference(name=name))
            is_mere = self._mere.relationship is None
            if is_whole(name) or (is_mere and not self._is_related(same)):
                yield same
        for whole in filter(is_whole, said.names):
            yield self._find(Reference(name=whole))
        for role in said.stated_roles:
            yield self._find(role)

    def _is_related(self, number: int | None) -> bool:
        known = self._own.get(number or 0)
        return known is not None and reference_candidates.is_related(known)

    def _called(self, number: int) -> list[str]:
        known = self._own.get(number)
        return reference_candidates.own_names(self._speaker, known) if known else []

    def _is_named(self, number: int) -> bool:
        return reference_matching.has_name(self._called(number))

    def _is_open(self, number: int, name: str) -> bool:
        """Return whether a person has no name yet, or only parts of this whole one."""
        called = self._called(number)
        return not reference_matching.has_name(called) or (
            is_whole(name) and all(matches(name, value) is MatchKind.LONGER for value in called)
        )

    def _agree(self, unnamed: int, named: int) -> bool:
        """Return whether the person with a name can be what the other person is."""
        return not any(
            self._family.contradicts(named, claim.relationship, claim.to_person)
            for claim in self._own[unnamed].relationships
            if claim.ended_at is None
        )
