"""The choice of a block's memories: what rank leaves out, and what stands whatever is asked."""

from typing import Any

import msgspec
import numpy as np
import pytest
from embedders import minilm_models

from ashd.context import needs
from ashd.context.chosen_memories import above_floor, standing_of
from ashd.memory.model import Memory
from ashd.memory.search import Result
from ashd.providers.embedder import Embedder
from ashd.providers.registry import load

BOUNDS = {"s": 8, "f": 2}


def result(
    name: str, score: float, *about: str, content: str = "short", tags: tuple[str, ...] = ()
) -> Result:
    known: dict[str, Any] = dict.fromkeys(Memory.__struct_fields__)
    known |= {"id": name, "content": content, "created_at": "2026-01-01", "conflicts": []}
    known["tags"] = [*tags]
    return Result(
        memory=Memory(**known),
        score=score,
        weak=False,
        about=list(about),
        repeats=[],
        conflicts=[],
        trust="fact",
    )


def ids(results: list[Result]) -> str:
    return "".join(one.memory.id for one in results)


@pytest.mark.parametrize(
    ("scores", "sure", "kept"),
    [
        ((), False, 0),
        ((0.1, 0.1, 0.1, 0.1), False, 3),
        ((0.4, 0.3, 0.3, 0.2, 0.19), False, 4),
        ((0.4, 0.3, 0.3, 0.26, 0.24), True, 4),
        ((0.9, 0.8, 0.4, 0.37, 0.35), False, 4),
        ((0.9, 0.8, 0.4, 0.5, 0.37, 0.35), False, 5),
    ],
)
def test_the_first_by_rank_stay_and_the_others_must_be_near(
    scores: tuple[float, ...], sure: bool, kept: int
) -> None:
    ranked = [result(str(place), score) for place, score in enumerate(scores)]

    assert ranked[:kept] == above_floor(ranked, sure=sure)


def test_the_newest_stay_where_there_is_nothing_to_rank_by() -> None:
    newest = [msgspec.structs.replace(result(one, 0.0), newest=True) for one in "abcde"]

    assert newest == above_floor(newest, sure=False)
    assert ids(above_floor([result("f", 0.4), *newest], sure=False)) == "fab"


def test_a_certain_answer_stays_beside_a_better_one() -> None:
    """Two fifths of more than the highest score would leave out what surely answers."""
    ranked = [result(str(place), score) for place, score in enumerate((1.0, 1.0, 1.0, 0.5))]

    assert ranked == above_floor(ranked, sure=False)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("cook something", "a"),
        ("cook something for Ann Lee", "ab"),
        ("cook something for lee", "ab"),
        ("cook something for us", "ac"),
    ],
)
def test_limits_are_those_of_whom_the_message_concerns(message: str, expected: str) -> None:
    """Nobody else's allergy is shown; "us" means everybody, likeliest first, up to the bound."""
    taken = {
        "f": [result("c", 0.9, "Bo"), result("a", 0.95), result("b", 0.8, "Ann Lee")],
    }

    assert set(expected) == set(ids(standing_of(taken, BOUNDS, {}, [message])))


def test_style_is_short_and_of_the_asker_alone() -> None:
    long = "word " * 60
    taken = {
        "s": [
            result("a", 0.9),
            result("b", 0.8, "Bo"),
            *(result(x, 0.7, content=long) for x in "cd"),
        ]
    }

    assert ids(standing_of(taken, BOUNDS, {}, ["fix the build"])) == "ac"


def test_rank_decides_between_limits_that_are_equally_likely() -> None:
    taken = {"f": [result(one, 0.5) for one in "abc"]}

    assert ids(standing_of(taken, BOUNDS, {"c": 0.4, "b": 0.2}, ["cook"])) == "cb"


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    found = load("minilm", models_dir=minilm_models())
    assert found is not None
    return found


def test_another_model_has_no_classifiers() -> None:
    assert needs.classifiers("another/1") is None


@pytest.mark.parametrize(
    ("message", "quiet", "of"),
    [
        ("thanks, that is all", True, ""),
        ("sounds good", True, ""),
        ("What could we have for dinner on Sunday?", False, "f"),
        ("My ankle hurts since the race", False, "h"),
        ("Find us a hotel by the lake", False, "a"),
        ("Rename the function in the parser", False, ""),
    ],
)
def test_a_message_tells_what_it_asks_for(
    minilm: Embedder, message: str, quiet: bool, of: str
) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None

    found = needs.kinds(weights, minilm.embed_query(message).pooled)

    assert (quiet, set(of)) == (found.is_quiet, set(found.needs))


@pytest.mark.parametrize(
    ("memory", "facet"),
    [
        ("Please write to me without abbreviations.", "s"),
        ("Mia must not eat tomatoes.", "f"),
        ("I take tablets for my thyroid.", "h"),
        ("I'm scared of bridges.", "a"),
        ("Piano lessons are on Mondays at five.", "w"),
        ("My uncle has a boat.", ""),
    ],
)
def test_a_memory_tells_what_it_bears_on(minilm: Embedder, memory: str, facet: str) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None
    [found] = minilm.embed([memory])
    by = {one: needs.classifier(weights, one) for one in needs.FACETS}

    taken = {
        n for n, one in by.items() if np.dot(one.weights, found.pooled) + one.bias >= one.least
    }

    assert taken == set(facet)


def test_more_memories_of_a_facet_are_shown_where_several_needs_ask_for_it() -> None:
    assert needs.facets("fa") == {"f": 12, "a": 8, "h": 5}


def test_a_person_says_what_does_not_stand() -> None:
    taken = {
        needs.STYLE: [result("a", 0.9, tags=("not-standing",)), result("b", 0.8)],
        "f": [result("c", 0.9, tags=("not-standing", "tea")), result("d", 0.8, tags=("tea",))],
    }

    assert ids(standing_of(taken, BOUNDS, {}, [])) == "bd"
