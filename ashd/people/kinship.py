"""Kinship by way of others: "my mother-in-law" is "my wife's mother", "Lucy's father" has Lucy.

Pure. A family is read from the claims that were stated; each says a step from one person to another
(parent, child, spouse, sibling), or several: a mother-in-law is a spouse's mother. A relative
is certain where every step is known, and possible where a step is only likely: whoever is called
brother-in-law may be the sister's husband or the wife's brother. Only what is certain identifies.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from ashd.language.people import vocabulary
from ashd.language.text_caches import cached_by_text
from ashd.store.people import Relationship

_Kind = Literal["parent", "child", "spouse", "sibling"]
Gender = Literal["female", "male"]
_CACHED_WORDS: Final = 4_096


class _Step(NamedTuple):
    kind: _Kind
    gender: Gender | None = None


_STEPS: Final[dict[str, _Step]] = {
    "parent": _Step("parent"),
    "mother": _Step("parent", "female"),
    "father": _Step("parent", "male"),
    "child": _Step("child"),
    "daughter": _Step("child", "female"),
    "son": _Step("child", "male"),
    "spouse": _Step("spouse"),
    "partner": _Step("spouse"),
    "fiancé": _Step("spouse"),
    "wife": _Step("spouse", "female"),
    "husband": _Step("spouse", "male"),
    "sibling": _Step("sibling"),
    "twin": _Step("sibling"),
    "sister": _Step("sibling", "female"),
    "brother": _Step("sibling", "male"),
}
_PATHS: Final[dict[str, tuple[str, ...]]] = {
    "grandparent": ("parent parent",),
    "grandmother": ("parent mother",),
    "grandfather": ("parent father",),
    "great-grandmother": ("parent parent mother",),
    "great-grandfather": ("parent parent father",),
    "grandchild": ("child child",),
    "granddaughter": ("child daughter",),
    "grandson": ("child son",),
    "aunt": ("parent sister", "parent sibling wife"),
    "uncle": ("parent brother", "parent sibling husband"),
    "niece": ("sibling daughter", "spouse sibling daughter"),
    "nephew": ("sibling son", "spouse sibling son"),
    "cousin": ("parent sibling child",),
    "mother-in-law": ("spouse mother",),
    "father-in-law": ("spouse father",),
    "sister-in-law": ("spouse sister", "sibling wife"),
    "brother-in-law": ("spouse brother", "sibling husband"),
    "daughter-in-law": ("child wife",),
    "son-in-law": ("child husband",),
    "stepmother": ("parent wife",),
    "stepfather": ("parent husband",),
    "stepdaughter": ("spouse daughter",),
    "stepson": ("spouse son",),
    "stepchild": ("spouse child",),
}
"""The steps from a person to the relative; several where the word has several meanings."""

_INVERSE: Final[dict[_Kind, _Kind]] = {
    "parent": "child",
    "child": "parent",
    "spouse": "spouse",
    "sibling": "sibling",
}
_LIKELY: Final[dict[_Kind, tuple[tuple[_Kind, _Kind], ...]]] = {
    "parent": (("sibling", "parent"), ("parent", "spouse")),
    "child": (("spouse", "child"), ("child", "sibling")),
    "spouse": (("child", "parent"),),
    "sibling": (("parent", "child"), ("sibling", "sibling")),
}
"""The pairs of steps that mostly lead to a relative of the kind: a sister's mother is one's own."""

_GENDERED: Final[dict[str, Gender]] = {
    "girlfriend": "female",
    "boyfriend": "male",
    "landlady": "female",
    **{word: step.gender for word, step in _STEPS.items() if step.gender},
    **{
        word: gender
        for word, paths in _PATHS.items()
        if (gender := _STEPS[paths[0].rpartition(" ")[2]].gender) is not None
    },
}


def gender_of(relationship: str) -> Gender | None:
    """Return the gender that a relationship word says of its holder."""
    return _GENDERED.get(_word(relationship))


def is_kin(relationship: str) -> bool:
    """Return whether a relationship may follow from those of others, as "aunt" does."""
    return _word(relationship) in _STEPS or _word(relationship) in _PATHS


@cached_by_text(_CACHED_WORDS)
def _word(relationship: str) -> str:
    word = relationship.removeprefix("ex-")
    return vocabulary.base_relationship(word) or word


class Family:
    """People and what they are to one another, by the claims of whoever speaks."""

    def __init__(self, claims: Iterable[Relationship]) -> None:
        every = list(claims)
        self._claims = [claim for claim in every if claim.ended_at is None]
        self._couples = {
            frozenset((claim.person, claim.to_person))
            for claim in every
            if vocabulary.one_role(claim.relationship) == "partner"
        }
        self._said = {(claim.person, _word(claim.relationship), claim.to_person) for claim in every}
        genders: dict[int, set[Gender]] = {}
        for claim in self._claims:
            if gender := gender_of(claim.relationship):
                genders.setdefault(claim.person, set()).add(gender)
        self._genders = {number: min(has) for number, has in genders.items() if len(has) == 1}
        self._steps: dict[tuple[int, _Kind], dict[int, None]] = {}
        for claim in self._claims:
            if step := _STEPS.get(_plain(claim)):
                self._add(claim.to_person, step.kind, claim.person)
        for claim in list(self._claims):
            for kind, of, person in self._by_marriage(claim):
                self._add(of, kind, person)

    def _add(self, of: int, kind: _Kind, person: int) -> None:
        self._steps.setdefault((of, kind), {})[person] = None
        self._steps.setdefault((person, _INVERSE[kind]), {})[of] = None

    def _by_marriage(self, claim: Relationship) -> Iterator[tuple[_Kind, int, int]]:
        """Yield the step of a spouse's relative: of these words alone the way is certain."""
        paths = _PATHS.get(_plain(claim), ())
        steps = paths[0].split() if len(paths) == 1 else []
        if len(steps) == 2 and steps[0] == "spouse":
            for spouse in list(self._steps.get((claim.to_person, "spouse"), ())):
                yield _STEPS[steps[1]].kind, spouse, claim.person

    def related(self, relationship: str, to_person: int) -> set[int]:
        """Return the people who certainly are this to a person, by way of others."""
        found = set[int]()
        for path in _paths(relationship):
            *way, last = path
            ends = self._walk([to_person], [_STEPS[word].kind for word in way])
            found |= {one for end in ends for one in self._certain(end, _STEPS[last])}
        if relationship.startswith("step"):
            found -= set(self._steps.get((to_person, "parent"), ()))
            found -= set(self._steps.get((to_person, "child"), ()))
        return found - {to_person}

    def _certain(self, of: int, step: _Step) -> Iterator[int]:
        for person in self._steps.get((of, step.kind), ()):
            gender = self._genders.get(person)
            # There is one spouse; a child of unknown gender need not be the son.
            if step.gender in {None, gender} or (step.kind == "spouse" and gender is None):
                yield person

    def possible(self, relationship: str, to_person: int) -> set[int]:
        """Return the people who are or may well be this to a person, by way of others."""
        found = set[int]()
        for path in _paths(relationship):
            steps = [_STEPS[word] for word in path]
            ends = self._walk([to_person], [step.kind for step in steps])
            if len(steps) == 1:
                for way in _LIKELY[steps[0].kind]:
                    ends |= self._walk([to_person], way)
            found |= {one for one in ends if self._fits(one, steps[-1].gender)}
        for claim in self._claims:
            if to_person != claim.to_person and self._may_lead(claim, relationship, to_person):
                found.add(claim.person)
        return found - {to_person}

    def _fits(self, person: int, gender: Gender | None) -> bool:
        return None in {gender, self._genders.get(person)} or gender == self._genders[person]

    def _may_lead(self, claim: Relationship, relationship: str, to_person: int) -> bool:
        """Return whether a meaning of the claim leads over this person: of nephew, a sister."""
        wanted = _paths(relationship)
        for path in _PATHS.get(_plain(claim), ()):
            words = path.split()
            for at in range(1, len(words)):
                way: list[_Kind] = [_STEPS[word].kind for word in words[:at]]
                if words[at:] in wanted and to_person in self._walk([claim.to_person], way):
                    return True
        return False

    def _walk(self, begin: Iterable[int], way: Sequence[_Kind]) -> set[int]:
        ends = set(begin)
        for kind in way:
            ends = {one for end in ends for one in self._steps.get((end, kind), ())}
        return ends

    def contradicts(self, person: int, relationship: str, to_person: int) -> bool:
        """Return whether what is known of a person rules out that they are this to another.

        A woman is nobody's father; a father is no grandson; a child has its parents, who are or
        were a couple; a wife has this husband.
        """
        word = _word(relationship)
        if (person, word, to_person) in self._said:
            return False
        if not self._fits(person, gender_of(word)):
            return True
        generation = _generation(word)
        if generation is not None and any(
            (person, to_person) == (one, other) and _generation(said) not in {None, generation}
            for one, said, other in self._said
        ):
            return True
        step = _STEPS.get(word)
        if step is None or relationship.startswith("ex-"):
            return False
        others = set(self._steps.get((person, _INVERSE[step.kind]), ())) - {to_person}
        if step.kind == "spouse":
            return bool(others)
        is_child = step.kind == "child"
        return is_child and any(frozenset((o, to_person)) not in self._couples for o in others)


def _generation(word: str) -> int | None:
    """Return how many generations above the other person a relative is; None for no relative."""
    up = {"parent": 1, "child": -1}
    paths = _paths(word)
    steps = [_STEPS[step].kind for step in paths[0]] if paths else []
    return sum(up.get(kind, 0) for kind in steps) if steps and steps != ["spouse"] else None


def _plain(claim: Relationship) -> str:
    """The wider word of a claim: an older sister is a sister, an ex-wife no wife."""
    return vocabulary.base_relationship(claim.relationship) or claim.relationship


def _paths(relationship: str) -> list[list[str]]:
    """The paths of a word; of the "younger sister" there is none, for any sister may be older."""
    if relationship in _STEPS:
        return [[relationship]]
    return [path.split() for path in _PATHS.get(relationship, ())]
