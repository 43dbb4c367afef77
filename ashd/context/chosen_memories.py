"""Choose the memories of a block: those by rank, and those that bear on the message anyway.

Relevance alone leaves out what must be known: to "plan a dinner" an allergy is the thirtieth
answer. With MiniLM the message's kinds are read (`needs`); without it, rank alone decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ashd.access.actor import Call
from ashd.access.text_cleaning import clean
from ashd.context import needs, planner
from ashd.context.needs import Kinds
from ashd.context.planner import Plan
from ashd.language.people.vocabulary import FIRST_PERSON_PLURAL
from ashd.language.word_patterns import LETTERS
from ashd.memory import marks
from ashd.memory.search import Result, SearchMemory
from ashd.people.directory import Acquaintance
from ashd.search.spec import Vectors
from ashd.token_estimate import estimate

BY_RANK: Final = 10
"""Memories by rank, unless the caller gives a number."""
FIRST: Final = 3
"""Memories by rank that come before all others: they may hold the answer itself."""
NOISE: Final = 0.2
"""A memory with a lower score has nothing to do with the message."""
FLOOR: Final = 0.25
SHARE_OF_BEST: Final = 0.4
CERTAIN: Final = 0.5
"""By rank, memories below the floor, or below this share of the best one, are left out after the
first ones; those at least this certain never are."""
_STYLE_TOKENS: Final = 100
_STYLES: Final = 8
_MARKED: Final = 12


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

    An answer to the assistant's question is never quiet: "yes" may order the dinner. "And for her
    husband?" needs what the message before it did: the plan's look-ups are read, too.
    """
    vectors = await recall.vectors_of(call, plan.query)
    weights = needs.classifiers(vectors.embedder.model) if vectors else None
    if vectors is None or weights is None:
        return None
    kinds = needs.kinds(weights, vectors.question.pooled)
    answers = next((text for role, text in reversed(said_before) if role == "assistant"), "")
    if kinds.is_quiet and answers.rstrip().endswith("?"):
        kinds = Kinds(is_quiet=False, needs=kinds.needs)
    for lookup in () if kinds.is_quiet else plan.lookups:
        if beside := await recall.vectors_of(call, lookup):
            further = needs.kinds(weights, beside.question.pooled).needs
            kinds = Kinds(is_quiet=False, needs=kinds.needs | further)
    return kinds, vectors


async def choose(
    recall: SearchMemory,
    call: Call,
    plan: Plan,
    most: int | None,
    read: tuple[Kinds, Vectors] | None,
    texts: Sequence[str],
) -> Chosen:
    """Choose the memories for a message; `texts` are the message and those before it.

    `most`, if it is given, bounds all that is chosen.
    """
    by_rank = BY_RANK if most is None else most
    found = await recall.ranked(call, plan.query, by_rank, by_rank)
    ranked, degraded = found.results, list(found.degraded)
    for lookup in plan.lookups:
        further = await recall.ranked(call, lookup, by_rank, 0)
        ranked = planner.merged(ranked, further.results)
        degraded += further.degraded
    degraded = list(dict.fromkeys(degraded))
    marked: list[Result] = []
    if read is None or read[0].needs:
        marked = await recall.marked(call, plan.query, _MARKED)
    if read is None:
        standing = standing_of({marks.STANDING: marked}, {marks.STANDING: _MARKED}, {}, texts)
        return _joined([], standing, ranked, degraded, most)
    kinds, vectors = read
    weights = needs.classifiers(vectors.embedder.model)
    assert weights is not None
    bounds = {needs.STYLE: _STYLES, **needs.facets(kinds.needs)}
    classifiers = {facet: needs.classifier(weights, facet) for facet in bounds}
    taken = await recall.bearing(call, plan.query, vectors, classifiers, 4 * max(bounds.values()))
    scores = {one.memory.id: one.score for one in ranked}
    standing = standing_of(
        {**taken, marks.STANDING: marked}, {**bounds, marks.STANDING: _MARKED}, scores, texts
    )
    kept = above_floor(ranked, sure=bool(kinds.needs))
    return _joined(kept[:FIRST], standing, kept, degraded, most)


def _joined(
    first: Sequence[Result],
    standing: Sequence[Result],
    ranked: Sequence[Result],
    degraded: list[str],
    most: int | None,
) -> Chosen:
    """Join what is chosen, by priority and each memory once."""
    by_id = {one.memory.id: one for one in (*first, *standing, *ranked)}
    ranks = {one.memory.id for one in ranked}
    return Chosen(
        list(by_id.values())[:most],
        degraded,
        frozenset(one.memory.id for one in standing if one.memory.id not in ranks),
    )


def above_floor(ranked: Sequence[Result], *, sure: bool) -> list[Result]:
    """Return the ranked memories without those that only fill the list.

    The first ones stay whatever their score (D7). If no memory answers well and no need was read,
    all memories that have to do with the message stay: the reader is the better judge.
    """
    if all(one.newest for one in ranked):
        return list(ranked)  # nothing to rank by was said
    best = max(one.score for one in ranked)
    least = NOISE
    if best >= CERTAIN or sure:
        least = min(max(FLOOR, SHARE_OF_BEST * best), CERTAIN)
    return [one for place, one in enumerate(ranked) if place < FIRST or one.score >= least]


def standing_of(
    taken: Mapping[str, Sequence[Result]],
    bounds: Mapping[str, int],
    scores: Mapping[str, float],
    texts: Sequence[str],
) -> list[Result]:
    """Return the memories that stand whatever is asked: how to answer, then what limits a plan.

    Limits are those of the asker, of people whom the messages name, and of all if they say "we".
    What a person marked as not standing is left out.
    """
    taken = {
        facet: [one for one in found if marks.NOT_STANDING not in one.memory.tags]
        for facet, found in taken.items()
    }
    words = set(LETTERS.findall(" ".join(map(clean, texts)).lower()))
    for_all = not words.isdisjoint(FIRST_PERSON_PLURAL)
    left = _STYLE_TOKENS
    chosen: list[Result] = []
    for one in taken.get(needs.STYLE, ())[: bounds.get(needs.STYLE)]:
        cost = estimate(one.memory.content)
        if not one.about and cost <= left:
            left -= cost
            chosen.append(one)
    for facet, most in bounds.items():
        if facet == needs.STYLE:
            continue
        concerns = [
            one
            for one in taken.get(facet, ())
            if for_all or not one.about or any(_is_named(name, words) for name in one.about)
        ]
        concerns.sort(key=lambda one: -(one.score + scores.get(one.memory.id, 0.0) / 2))
        chosen += concerns[:most]
    return chosen


def _is_named(name: str, words: set[str]) -> bool:
    return not words.isdisjoint(LETTERS.findall(name.lower()))


def concerned(
    known: Sequence[Acquaintance], question: str, chosen: Sequence[Result]
) -> list[Acquaintance]:
    """Return the people whom the message names, and the subjects of the chosen memories."""
    words = set(LETTERS.findall(question.lower()))
    about = {name for one in chosen for name in one.about}
    return [
        one
        for one in known
        if one.person.name in about
        or not words.isdisjoint(LETTERS.findall(one.person.name.lower()))
        or (one.relationship or "").lower() in words
    ]
