"""Choose the memories of a block: those by rank, and those that bear on the message anyway.

Relevance alone leaves out what must be known: to "plan a dinner" an allergy is the thirtieth
answer. With MiniLM the message's kinds are read (`needs`), and the memories that bear on it
(`bearing`); without it, rank alone decides.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import log
from typing import Final, NamedTuple

import msgspec

from ashd.access.actor import Call
from ashd.access.text_cleaning import clean
from ashd.context import bearing, needs, planner
from ashd.context.bearing import Said, Signals
from ashd.context.needs import Kinds
from ashd.context.planner import Plan
from ashd.language.detection import may_be_english
from ashd.language.people import vocabulary
from ashd.language.people.relationship_groups import HOUSEHOLD, NARROWER
from ashd.language.word_patterns import LETTERS_AND_DIGITS
from ashd.memory import marks
from ashd.memory.search import SearchMemory
from ashd.memory.search_results import Result
from ashd.people.directory import Acquaintance
from ashd.search.query import is_latin
from ashd.search.spec import ABOUT_ANOTHER, Vectors
from ashd.store.database import Database
from ashd.token_estimate import estimate

BY_RANK: Final = 10
"""Memories by rank, unless the caller gives a number."""
FIRST: Final = 3
"""Memories by rank that come before all others: they may hold the answer itself."""
NOISE: Final = 0.2
"""A memory with a lower score has nothing to do with the message."""
FLOOR: Final = 0.25
SHARE_OF_BEST: Final = 0.45
CERTAIN: Final = 0.5
"""By rank, memories below the floor, or below this share of the best one, are left out after the
first ones; those at least this certain never are."""
SHARE_IF_READ: Final = 0.6
"""The share if the message asks for something that facets tell, or for nothing personal."""
CLEAR: Final = 0.9
BESIDE_CLEAR: Final = 4
"""The number of memories by rank, besides those that are certain, if a need is this likely: facets
tell then what is wanted."""
GENERAL_FLOOR: Final = 0.3
"""The floor for all memories but the first if the message has nothing to do with its writer."""
MOST_BEARING: Final = 6
"""Memories that bear on the message by `bearing`, those by rank and by facets among them."""
_BEARS: Final = "bears"
_ROUNDED: Final = 1e-4
"""Scores are rounded to this: one of 0 or 1 is neither impossible nor certain."""
_AT_TABLE: Final = frozenset({needs.FOOD, needs.DIET})
_STYLE_TOKENS: Final = 100
_STYLES: Final = 8
_MARKED: Final = 12
_QUESTION_MARKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The memories of a block, by priority."""

    results: list[Result]
    degraded: list[str]
    standing: frozenset[str] = field(default_factory=frozenset)
    """The ids of the memories that are not chosen by rank."""


async def kinds_of(
    recall: SearchMemory, call: Call, plan: Plan, said_before: Sequence[tuple[str, str]]
) -> tuple[Kinds, Vectors] | None:
    """Read what a message asks for; None if no embedder can tell.

    An answer to the assistant's question is never quiet: "yes" may order the dinner. The
    classifiers read English: a question in another language is not quiet, nor is what may be one if
    a memory surely answers it. "And for her husband?" needs what the message before it did: the
    plan's look-ups are read, too.
    """
    vectors = await recall.vectors_of(call, plan.query)
    weights = needs.classifiers(vectors.embedder.model) if vectors else None
    if vectors is None or weights is None:
        return None
    kinds = needs.kinds(weights, plan.query, vectors.question.pooled)
    answers = next((text for role, text in reversed(said_before) if role == "assistant"), "")
    if kinds.is_quiet and answers.rstrip().endswith("?"):
        kinds = kinds.with_needs({})
    if kinds.is_quiet and await _asks(recall, call, plan.query):
        kinds = kinds.with_needs({})
    for lookup in () if kinds.is_quiet else plan.lookups:
        beside = await recall.vectors_of(call, lookup)
        if beside and beside.index == vectors.index:  # the embedder may have changed meanwhile
            kinds = kinds.with_needs(needs.kinds(weights, lookup, beside.question.pooled).needs)
    return kinds, vectors


async def _asks(recall: SearchMemory, call: Call, message: str) -> bool:
    """Return whether a message that was read as quiet asks for something all the same."""
    is_question = message.rstrip().endswith(_QUESTION_MARKS)
    is_foreign = not may_be_english(message)
    if is_question == is_foreign:
        return is_question
    answer, _ = await recall.ranked(call, message, 1, 0)
    return any(one.score >= CERTAIN for one in answer.results)


async def choose(
    db: Database,
    recall: SearchMemory,
    call: Call,
    plan: Plan,
    most: int | None,
    read: tuple[Kinds, Vectors] | None,
    texts: Sequence[str],
    household: AbstractSet[str],
) -> Chosen:
    """Choose the memories for a message; `texts` are the message and those before it.

    `most`, if it is given, bounds all that is chosen. `household` has the names of those who eat
    with the asker, in small letters.
    """
    by_rank = BY_RANK if most is None else most
    most_marked = _MARKED if read is None or read[0].needs else 0
    first, marked = await recall.ranked(call, plan.query, by_rank, by_rank, most_marked)
    ranked, degraded = first.results, list(first.degraded)
    for lookup in plan.lookups:
        further, _ = await recall.ranked(call, lookup, by_rank, 0)
        ranked = planner.merged(ranked, further.results)
        degraded += further.degraded
    found = _Found(ranked, marked, list(dict.fromkeys(degraded)))
    taken = None if read is None else await _taken(recall, call, plan.query, read)
    # Texts may be long: reading them takes up to a tenth of a second.
    return await db.compute(_choice, found, taken, texts, household, most)


class _Found(NamedTuple):
    """The results of the searches for a message."""

    ranked: Sequence[Result]
    marked: Sequence[Result]
    """The memories that a person marked as standing."""
    degraded: list[str]


class _Taken(NamedTuple):
    """The needs of a message, and the memories that classifiers take for it."""

    kinds: Kinds
    bounds: dict[str, int]
    by_facet: dict[str, list[Result]]
    likely: list[Result]
    """The memories that may bear on the message."""
    function: bearing.Weights


async def _taken(
    recall: SearchMemory, call: Call, query: str, read: tuple[Kinds, Vectors]
) -> _Taken:
    kinds, vectors = read
    weights = needs.classifiers(vectors.embedder.model)
    assert weights is not None
    bounds = {needs.STYLE: _STYLES, **needs.facets(kinds.needs)}
    classifiers = {facet: needs.classifier(weights, facet) for facet in bounds}
    function = bearing.weights(vectors.embedder.model)
    assert function is not None
    if may_be_english(query) and (kinds.needs or not kinds.is_general):
        classifiers[_BEARS] = function.for_message(vectors.question.pooled)
    others = needs.classifier(weights, needs.OTHERS)
    most = 4 * max(bounds.values())
    by_facet = await recall.bearing(call, query, vectors, classifiers, most, others)
    return _Taken(kinds, bounds, by_facet, by_facet.pop(_BEARS, []), function)


def _choice(
    found: _Found,
    taken: _Taken | None,
    texts: Sequence[str],
    household: AbstractSet[str],
    most: int | None,
) -> Chosen:
    ranked, marked, degraded = found
    said = Said.of(*map(clean, texts))
    by_hand, most_by_hand = {marks.STANDING: marked}, {marks.STANDING: _MARKED}
    if taken is None:
        standing = standing_of(by_hand, most_by_hand, {}, said)
        return _joined([], standing, ranked, degraded, most)
    bears = bearing_on(said, taken.likely, ranked, taken.function, household)
    scores = {one.memory.id: one.score for one in ranked}
    by_facet, bounds = {**taken.by_facet, **by_hand}, {**taken.bounds, **most_by_hand}
    standing = standing_of(by_facet, bounds, scores, said, household)
    kept = above_floor(ranked, taken.kinds)
    if needs.DATES in taken.kinds.needs:
        kept = [*kept[:FIRST], *_on_days_of(said, kept[FIRST:])]
    return _joined(kept[:FIRST], [*standing, *bears], kept, degraded, most)


def _joined(
    first: Sequence[Result],
    standing: Sequence[Result],
    ranked: Sequence[Result],
    degraded: list[str],
    most: int | None,
) -> Chosen:
    """Join what is chosen, by priority: each memory once, and of those that say the same one."""
    by_id = {one.memory.id: one for one in (*first, *standing, *ranked)}
    chosen: list[Result] = []
    said: set[str] = set()
    for memory_id, one in by_id.items():
        same = {memory_id, *one.repeats}
        if said.isdisjoint(same):
            chosen.append(one)
            said |= same
    ranks = {one.memory.id for one in ranked}
    return Chosen(
        chosen[:most],
        degraded,
        frozenset(one.memory.id for one in standing if one.memory.id not in ranks),
    )


def above_floor(ranked: Sequence[Result], kinds: Kinds) -> list[Result]:
    """Return the ranked memories without those that only fill the list.

    The first ones stay whatever their score (D7), beside one that surely answers only the first;
    and with each memory, what perhaps replaces it: the label says no more of that than its date.
    If no memory answers well and no need was read, all memories that have to do with the message
    stay: the reader is the better judge.
    """
    if all(one.newest for one in ranked):
        return list(ranked)  # nothing to rank by was said
    best = max(one.score for one in ranked)
    first, least = FIRST, NOISE
    if best >= CERTAIN or kinds.needs:
        share = SHARE_IF_READ if kinds.needs or kinds.is_general else SHARE_OF_BEST
        least = min(max(FLOOR, share * best), CERTAIN)
    if best >= CERTAIN:
        first = 1
    elif kinds.is_general and not kinds.needs:
        first, least = 1, GENERAL_FLOOR
    kept = [one for place, one in enumerate(ranked) if place < first or one.score >= least]
    if max(kinds.needs.values(), default=0) >= CLEAR:
        certain = [one for one in kept[BESIDE_CLEAR:] if one.score >= CERTAIN]
        kept = kept[:BESIDE_CLEAR] + certain
    shown = {one.memory.id for one in kept}.union(*map(_newer, kept))
    return [one for one in ranked if one.memory.id in shown]


def _newer(one: Result) -> list[str]:
    """Return the ids of the memories that perhaps replace one."""
    return [other.id for other in one.conflicts if other.relation == "newer"]


def bearing_on(
    said: Said,
    taken: Sequence[Result],
    ranked: Sequence[Result],
    function: bearing.Weights,
    household: AbstractSet[str] = frozenset(),
) -> list[Result]:
    """Return the memories that bear on a message, likeliest first, of those a classifier takes.

    What a person marked as not standing is left out, and what the classifiers cannot read, which
    would stand by chance.
    """
    places = {one.memory.id: place for place, one in enumerate(ranked[:BY_RANK])}
    known = {one.memory.id: one for one in (*taken, *ranked)}
    likely: dict[str, float] = {}
    for one in taken:
        if one.newest or not _may_stand(one):
            continue
        place, is_named = places.get(one.memory.id), _is_named(one, said)
        is_near = is_named or said.is_for_all or _in_household(one, household)
        signals = Signals(
            score=0.0 if place is None else ranked[place].score,
            nearness=0.0 if place is None else 1 / (1 + place),
            is_named=is_named,
            is_elsewhere=_about_others(one) and not is_near,
            on_another_day=said.is_on_another_day(one.memory.content),
        )
        likelihood = min(max(one.score, _ROUNDED), 1 - _ROUNDED)
        logit = log(likelihood / (1 - likelihood)) + function.of_signals(signals)
        if logit >= bearing.LEAST:
            likely[one.memory.id] = logit
    chosen = sorted(likely, key=lambda memory_id: -likely[memory_id])[:MOST_BEARING]
    ids = [each for one in chosen for each in (one, *_newer(known[one]))]
    return [known[one] for one in ids if one in known]


def standing_of(
    taken: Mapping[str, Sequence[Result]],
    bounds: Mapping[str, int],
    scores: Mapping[str, float],
    said: Said,
    household: AbstractSet[str] = frozenset(),
) -> list[Result]:
    """Return the memories that stand whatever is asked: how to answer, then what limits a plan.

    Limits are those of the asker, of people whom the messages name, and of all if they say "we";
    those of food also the household's, which eats along; likes only those of the named. What a
    person marked as not standing is left out, and what the classifiers cannot read, which would
    stand by chance.
    """
    taken = {
        facet: [one for one in found if _may_stand(one, by_hand=facet == marks.STANDING)]
        for facet, found in taken.items()
    }
    left = _STYLE_TOKENS
    chosen: list[Result] = []
    for one in taken.get(needs.STYLE, ())[: bounds.get(needs.STYLE)]:
        cost = estimate(one.memory.content)
        if not _about_others(one) and cost <= left:
            left -= cost
            chosen.append(one)
    for facet, most in bounds.items():
        if facet == needs.STYLE:
            continue
        found = taken.get(facet, ())
        if facet == needs.DATES:
            concerns = _on_days_of(said, found)
        else:
            of_asker = facet != needs.LIKES
            concerns = [
                one
                for one in found
                if (of_asker and (said.is_for_all or not _about_others(one)))
                or (facet in _AT_TABLE and _in_household(one, household))
                or _is_named(one, said)
            ]
        concerns.sort(key=lambda one: -(one.score + scores.get(one.memory.id, 0.0) / 2))
        chosen += concerns[:most]
    return chosen


def _about_others(one: Result) -> bool:
    return bool(one.about) or (one.signals is not msgspec.UNSET and ABOUT_ANOTHER in one.signals)


def _may_stand(one: Result, *, by_hand: bool = False) -> bool:
    is_read = by_hand or is_latin(one.memory.content)
    return is_read and marks.NOT_STANDING not in one.memory.tags


def _is_named(one: Result, said: Said) -> bool:
    return said.names(one.memory.content, " ".join(one.about))


def _in_household(one: Result, household: AbstractSet[str]) -> bool:
    return _is_named(one, Said(household, HOUSEHOLD))


def _on_days_of(said: Said, found: Sequence[Result]) -> list[Result]:
    """Return the memories that do not only speak of other weekdays than the message does."""
    return [one for one in found if not said.is_on_another_day(one.memory.content)]


def household_of(known: Sequence[Acquaintance]) -> frozenset[str]:
    """Return the first names, in small letters, of those who mostly eat with the asker."""
    return frozenset(
        one.person.name.lower().split()[0] for one in known if one.relationship in HOUSEHOLD
    )


def concerned(
    known: Sequence[Acquaintance], question: str, chosen: Sequence[Result]
) -> list[Acquaintance]:
    """Return the people whom the message names, and the subjects of the chosen memories."""
    words = set(LETTERS_AND_DIGITS.findall(question.lower()))
    roles = vocabulary.relationships_in(question)
    roles.update(*(NARROWER[role] for role in roles & NARROWER.keys()))
    about = {person for one in chosen for person in one.memory.subject_person_ids}
    return [
        one
        for one in known
        if one.person.id in about
        or not words.isdisjoint(LETTERS_AND_DIGITS.findall(one.person.name.lower()))
        or (one.relationship is not None and _is_said(one.relationship, words, roles))
    ]


def _is_said(relationship: str, words: AbstractSet[str], roles: AbstractSet[str]) -> bool:
    """Return whether a message has a relationship, in whatever words: "mum" is the mother."""
    word = relationship.lower()
    meant = {word, vocabulary.base_relationship(word)}
    return words >= set(word.split()) or not meant.isdisjoint(roles)
