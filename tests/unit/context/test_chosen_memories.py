"""The choice of a block's memories: what rank leaves out, and what stands whatever is asked."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import anyio
import msgspec
import numpy as np
import pytest
from embedders import minilm_models

from ashd.cli import hook
from ashd.context import bearing, needs
from ashd.context.bearing import Said, Signals, Weights
from ashd.context.chosen_memories import (
    MOST_BEARING,
    _joined,
    above_floor,
    bearing_on,
    choose,
    household_of,
    kinds_of,
    standing_of,
)
from ashd.context.needs import Kinds
from ashd.context.planner import Plan
from ashd.memory import marks
from ashd.memory.model import Memory
from ashd.memory.search_results import ConflictRef, Result
from ashd.providers.embedder import Embedder
from ashd.providers.registry import load
from ashd.search.spec import ABOUT_ANOTHER

BOUNDS = {"s": 8, "f": 2}


class _Computing:
    """A database that computes where it is called."""

    async def compute(self, function: Any, *arguments: Any) -> Any:
        return function(*arguments)


_AT_ONCE: Any = _Computing()


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


NOTHING = Kinds(is_quiet=False, is_general=False, needs={})
FOOD = Kinds(is_quiet=False, is_general=False, needs={"f": 0.8})
CLEARLY_FOOD = Kinds(is_quiet=False, is_general=False, needs={"a": 0.4, "f": 0.9})
GENERAL = Kinds(is_quiet=False, is_general=True, needs={})


@pytest.mark.parametrize(
    ("scores", "kinds", "kept"),
    [
        ((), NOTHING, ()),
        ((0.1, 0.1, 0.1, 0.1), NOTHING, (0.1, 0.1, 0.1)),
        ((0.4, 0.3, 0.3, 0.2, 0.19), NOTHING, (0.4, 0.3, 0.3, 0.2)),
        ((0.4, 0.3, 0.3, 0.26, 0.24), FOOD, (0.4, 0.3, 0.3, 0.26)),
        ((0.9, 0.8, 0.4, 0.37, 0.35), NOTHING, (0.9, 0.8)),
        ((0.5, 0.3, 0.2), NOTHING, (0.5, 0.3)),
        ((0.6, 0.38, 0.35, 0.34), FOOD, (0.6, 0.38)),
        ((0.6, 0.38, 0.28, 0.26), NOTHING, (0.6, 0.38, 0.28)),
        ((0.4, 0.4, 0.4, 0.4, 0.4), FOOD, (0.4, 0.4, 0.4, 0.4, 0.4)),
        ((0.4, 0.4, 0.4, 0.4, 0.4), CLEARLY_FOOD, (0.4, 0.4, 0.4, 0.4)),
        ((0.6, 0.6, 0.6, 0.6, 0.5, 0.4), CLEARLY_FOOD, (0.6, 0.6, 0.6, 0.6, 0.5)),
        ((0.4, 0.31, 0.29, 0.28), GENERAL, (0.4, 0.31)),
        ((0.2, 0.1), GENERAL, (0.2,)),
        ((0.6, 0.38, 0.35), GENERAL, (0.6, 0.38)),
        ((0.4, 0.3, 0.26, 0.25, 0.24), GENERAL._replace(needs={"f": 0.4}), (0.4, 0.3, 0.26, 0.25)),
    ],
)
def test_the_first_by_rank_stay_and_the_others_must_be_near(
    scores: tuple[float, ...], kinds: Kinds, kept: tuple[float, ...]
) -> None:
    ranked = [result(str(place), score) for place, score in enumerate(scores)]

    assert kept == tuple(one.score for one in above_floor(ranked, kinds))


def test_the_newest_stay_where_there_is_nothing_to_rank_by() -> None:
    newest = [msgspec.structs.replace(result(one, 0.0), newest=True) for one in "abcde"]

    assert newest == above_floor(newest, NOTHING)
    assert ids(above_floor([result("f", 0.4), *newest], NOTHING)) == "fab"


def test_no_memory_is_shown_without_what_perhaps_replaces_it() -> None:
    """However badly the newer words fit the message, and whatever else is left out."""
    newer, older, other = result("n", 0.0), result("o", 0.9), result("x", 0.0)
    older = msgspec.structs.replace(older, conflicts=[ConflictRef("n", "newer", 0.4)])

    assert ids(above_floor([older, newer, other], NOTHING)) == "on"
    assert ids(above_floor([older, newer, other], CLEARLY_FOOD)) == "on"


def test_a_certain_answer_stays_beside_a_better_one() -> None:
    """The share of the highest score would leave out what surely answers."""
    ranked = [result(str(place), score) for place, score in enumerate((1.0, 1.0, 1.0, 0.5))]

    assert ranked == above_floor(ranked, NOTHING)


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

    assert set(expected) == set(ids(standing_of(taken, BOUNDS, {}, Said.of(message))))


def test_the_household_eats_along() -> None:
    """By name, by relationship, and for food alone."""
    taken = {
        facet: [
            of_another("a", "Mila reacts to eggs."),
            of_another("b", "Our son avoids milk."),
            of_another("c", "Bo reacts to eggs."),
            of_another("d", "My aunt avoids milk."),
        ]
        for facet in "fh"
    }
    household = frozenset({"mila"})

    assert ids(standing_of(taken, {"f": 4}, {}, Said.of("cook something"), household)) == "ab"
    assert not standing_of(taken, {"h": 4}, {}, Said.of("cook something"), household)


def test_partners_and_children_are_the_household() -> None:
    def known(name: str, relationship: str | None) -> Any:
        return SimpleNamespace(person=SimpleNamespace(name=name), relationship=relationship)

    people = [known("Mila Berg", "daughter"), known("Bo", "friend"), known("Ann", None)]

    assert household_of([*people, known("Ivo", "husband")]) == {"mila", "ivo"}


def of_another(name: str, content: str) -> Result:
    return msgspec.structs.replace(result(name, 0.8, content=content), signals={ABOUT_ANOTHER: 1.0})


FUNCTION = Weights(
    pairs=np.zeros((1, 1), np.float32),
    message=np.zeros(1, np.float32),
    memory=np.zeros(1, np.float32),
    signals=np.array([2.0, 1.0, 2.0, -8.0, -8.0], np.float32),
    bias=0.0,
)
"""The likelihood is that of the classifier, but for signals that are easy to tell apart."""


def bears(
    message: str,
    taken: list[Result],
    ranked: Sequence[Result] = (),
    household: frozenset[str] = frozenset(),
) -> str:
    return ids(bearing_on(Said.of(message), taken, ranked, FUNCTION, household))


def test_memories_that_bear_on_a_message_come_likeliest_first_and_are_few() -> None:
    taken = [result("b", 0.5), result("a", 0.9), result("c", 0.001)]
    many = [result(f"{at:02}", 0.9 - at / 100) for at in range(MOST_BEARING + 5)]

    assert bears("cook", taken) == "ab"
    assert bears("cook", many) == ids(many[:MOST_BEARING])


def test_a_likelihood_counts_as_its_odds() -> None:
    """A likelihood of .03 is above the least, one of .02 below."""
    assert bears("cook", [result("a", 0.03), result("b", 0.02)]) == "a"


def test_the_classifier_of_a_message_adds_what_its_vector_says() -> None:
    """A message alone, a memory alone, both together, and that somebody is named."""
    function = Weights(
        pairs=np.array([[0.0, 2.0], [0.0, 0.0]], np.float32),
        message=np.array([3.0, 0.0], np.float32),
        memory=np.array([0.0, 5.0], np.float32),
        signals=np.array([0.0, 0.0, 0.5, 0.0, 0.0], np.float32),
        bias=0.25,
    )

    made = function.for_message(np.array([1.0, 0.0], np.float32))

    assert made.bias == pytest.approx(3.25)
    assert made.weights == pytest.approx(np.array([0.0, 7.0]))
    assert made.least == pytest.approx(bearing.LEAST - 0.5)


def test_scores_that_were_rounded_up_or_down_are_no_error() -> None:
    assert bears("cook", [result("a", 0.9), result("b", 1.0), result("c", 0.0)]) == "ba"


def test_rank_makes_it_likelier_that_a_memory_bears_on_a_message() -> None:
    """By its score and by its place."""
    taken = [result(one, 0.5) for one in "abc"]

    assert bears("cook", taken, [result("c", 0.4), result("b", 0.4)]) == "cba"
    assert bears("cook", taken, [result("x", 0.9), result("b", 0.1), result("c", 0.9)]) == "cba"


def test_a_memory_that_bears_on_a_message_brings_its_possible_successor() -> None:
    newer = msgspec.structs.replace(result("n", 0.0), newest=True)
    older = msgspec.structs.replace(
        result("o", 0.9), conflicts=[ConflictRef("n", "newer", 0.4), ConflictRef("x", "older", 0.4)]
    )

    assert bears("cook", [older, newer]) == "on"
    assert bears("cook", [older]) == "o"  # the asker may not see the newer one
    assert bears("cook", [newer]) == ""


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("cook something", "a"),
        ("cook something for Ann Lee", "ba"),
        ("cook something for my mum", "ca"),
        ("cook something for us", "abcd"),
    ],
)
def test_memories_about_others_bear_on_messages_that_concern_them(
    message: str, expected: str
) -> None:
    taken = [
        result("a", 0.85),
        result("b", 0.8, "Ann Lee"),
        of_another("c", "Mother avoids eggs."),
        result("d", 0.75, "Bo"),
    ]

    assert bears(message, taken) == expected


def test_memories_about_the_household_bear_on_all_messages() -> None:
    taken = [of_another("a", "Mila reacts to eggs."), of_another("b", "Our son avoids milk.")]
    taken += [of_another("c", "Bo reacts to eggs.")]

    assert bears("cook something", taken, household=frozenset({"mila"})) == "ab"


def test_memories_of_other_weekdays_do_not_bear_on_a_message() -> None:
    taken = [
        result("a", 0.9, content="Choir on Mondays."),
        result("b", 0.8, content="Chess on Tuesday."),
    ]

    assert bears("am I free on Monday?", taken) == "a"
    assert bears("when am I free?", taken) == "ab"


def test_unreadable_memories_and_those_not_standing_bear_on_no_message() -> None:
    taken = [
        result("a", 0.9, content="我妻子叫小丽"),
        result("b", 0.8, tags=("not-standing", "tea")),
        result("c", 0.7, tags=("tea",)),
    ]

    assert bears("cook", taken) == "c"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("cook something", "a"),
        ("cook something for mila", "ab"),
        ("cook something for my mum", "ac"),
        ("dinner for the family", "abc"),
        ("the soup was good", "a"),
    ],
)
def test_people_are_known_by_the_words_of_a_memory_without_subjects(
    message: str, expected: str
) -> None:
    taken = {
        "f": [
            result("a", 0.8, content="I eat no eggs."),
            of_another("b", "The small Mila reacts to eggs."),
            of_another("c", "Mother avoids eggs."),
        ]
    }

    assert expected == "".join(sorted(ids(standing_of(taken, {"f": 3}, {}, Said.of(message)))))


def test_likes_are_those_of_the_named_alone() -> None:
    taken = {
        "l": [result("a", 0.9, content="I like tea."), of_another("b", "Mila likes tea.")],
        "b": [result("c", 0.9, content="No present above ten euros.")],
    }

    assert ids(standing_of(taken, {"l": 4, "b": 2}, {}, Said.of("a gift for Mila"))) == "bc"
    assert ids(standing_of(taken, {"l": 4, "b": 2}, {}, Said.of("a gift for us"))) == "c"


@pytest.mark.parametrize(("need", "expected"), [(needs.DATES, "abcd"), (needs.FOOD, "abcde")])
def test_other_weekdays_are_left_out_by_rank_only_where_dates_are_asked_for(
    need: str, expected: str
) -> None:
    """The first ones stay: they may hold the answer itself."""
    ranked = [
        *(result(name, 0.6, content="Chess on Tuesday.") for name in "abc"),
        result("d", 0.55, content="Choir on Mondays."),
        result("e", 0.55, content="Soup on Tuesdays."),
    ]

    class Recall:
        async def ranked(self, *_: object) -> Any:
            return SimpleNamespace(results=ranked, degraded=[]), []

        async def bearing(self, *_: object) -> Any:
            return {}

    with np.load(needs.WEIGHTS, allow_pickle=False) as stored:
        model = str(stored["model"])
    question = SimpleNamespace(pooled=np.zeros(384, np.float32))
    vectors: Any = SimpleNamespace(embedder=SimpleNamespace(model=model), question=question)
    kinds = Kinds(is_quiet=False, is_general=False, needs={need: 0.5})
    message = "am I free on Monday?"
    recall: Any = Recall()
    call: Any = None

    asked = (recall, call, Plan(message), None, (kinds, vectors), [message], frozenset())
    chosen = anyio.run(choose, _AT_ONCE, *asked)

    assert ids(chosen.results) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("am I free on Monday?", "ac"),
        ("and on Tuesdays?", "bc"),
        ("when am I free?", "abc"),
    ],
)
def test_duties_on_other_weekdays_are_left_out(message: str, expected: str) -> None:
    taken = {
        "w": [
            result("a", 0.9, content="Choir on Mondays."),
            result("b", 0.8, content="Chess on Tuesday."),
            result("c", 0.7, content="The dentist is on 8 May."),
        ]
    }

    assert ids(standing_of(taken, {"w": 8}, {}, Said.of(message, "on Sunday?"))) == expected


def test_style_is_short_and_of_the_asker_alone() -> None:
    long = "word " * 60
    taken = {
        "s": [
            result("a", 0.9),
            result("b", 0.8, "Bo"),
            of_another("e", "Ann likes it short."),
            *(result(x, 0.7, content=long) for x in "cd"),
        ]
    }

    assert ids(standing_of(taken, BOUNDS, {}, Said.of("fix the build"))) == "ac"


def test_a_text_that_the_classifiers_cannot_read_stands_only_if_a_person_says_so() -> None:
    """MiniLM knows no letters but Latin ones: it would choose the others by chance."""
    read = [
        result("a", 0.9, content="我妻子叫小丽"),
        result("b", 0.8, content="Réponds en français"),
    ]
    marked = [result("c", 0.0, content="用中文回答")]

    chosen = standing_of(
        {"s": read, marks.STANDING: marked}, {"s": 8, marks.STANDING: 8}, {}, Said.of("")
    )

    assert set(ids(chosen)) == {"b", "c"}


def test_rank_decides_between_limits_that_are_equally_likely() -> None:
    taken = {"f": [result(one, 0.5) for one in "abc"]}

    assert ids(standing_of(taken, BOUNDS, {"c": 0.4, "b": 0.2}, Said.of("cook"))) == "cb"


def test_rank_counts_half_of_the_likelihood() -> None:
    """A good rank lifts the less likely of two limits so far."""
    taken = {"f": [result("a", 0.75), result("b", 0.5)]}

    assert ids(standing_of(taken, BOUNDS, {"b": 0.48}, Said.of("cook"))) == "ab"
    assert ids(standing_of(taken, BOUNDS, {"b": 0.52}, Said.of("cook"))) == "ba"


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    found = load("minilm", models_dir=minilm_models())
    assert found is not None
    return found


def test_another_model_has_no_classifiers() -> None:
    assert needs.classifiers("another/1") is None
    assert bearing.weights("another/1") is None


def test_both_readers_of_messages_are_fitted_on_one_model(minilm: Embedder) -> None:
    assert needs.classifiers(minilm.model) is not None
    assert bearing.weights(minilm.model) is not None


@pytest.mark.parametrize(
    ("message", "is_general", "reads"),
    [
        ("What could we cook on Sunday?", False, True),
        ("How do magnets work?", True, False),
        ("Was könnten wir am Sonntag kochen?", False, False),
    ],
)
def test_the_function_reads_personal_messages_in_english(
    minilm: Embedder, message: str, *, is_general: bool, reads: bool
) -> None:
    """MiniLM's vector of another language would choose by chance."""
    asked: list[str] = []

    class Recall:
        async def ranked(self, *_: object) -> Any:
            return SimpleNamespace(results=[], degraded=[]), []

        async def bearing(self, *given: Any) -> Any:
            asked.extend(given[3])
            return {}

    vectors: Any = SimpleNamespace(embedder=minilm, question=minilm.embed_query(message))
    read = Kinds(is_quiet=False, is_general=is_general, needs={}), vectors
    recall: Any = Recall()
    call: Any = None

    anyio.run(choose, _AT_ONCE, recall, call, Plan(message), None, read, [message], frozenset())

    assert asked == [needs.STYLE, *(["bears"] if reads else [])]


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        ("What could we have for dinner on Sunday?", "I can't have anything with nuts in it."),
        ("What could we have for dinner on Sunday?", "The oven is broken, we only have a hob."),
        ("Something is wrong with my back, what can I take?", "I take tablets for my thyroid."),
        ("Find us a hotel by the lake", "I'm scared of bridges."),
        ("When could we meet next week?", "Piano lessons are on Mondays at five."),
        ("What could I give Pia for her birthday?", "Pia wants a book about owls."),
        ("Write two sentences about me for the programme", "I work as a joiner."),
    ],
)
def test_a_memory_bears_on_a_message_with_other_words(
    minilm: Embedder, message: str, memory: str
) -> None:
    """It is likelier than what has nothing to do with the message, and likely enough to be read."""
    function = bearing.weights(minilm.model)
    assert function is not None
    by = function.for_message(minilm.embed_query(message).pooled)

    def logit(text: str) -> float:
        [found] = minilm.embed([text])
        return float(by.weights @ found.pooled + by.bias)

    others = map(logit, ("The file is indented by four spaces.", "The band played until two."))
    assert logit(memory) > max(*others, by.least)


def test_the_classifier_of_a_message_takes_what_bears_on_it_if_it_is_named() -> None:
    by = FUNCTION.for_message(np.zeros(1, np.float32))

    assert by.least + FUNCTION.of_signals(Signals(is_named=1)) == pytest.approx(bearing.LEAST)


@pytest.mark.parametrize(
    ("message", "quiet", "of"),
    [
        ("thanks, that is all", True, ""),
        ("sounds good", True, ""),
        ("What could we have for dinner on Sunday?", False, "f"),
        ("My ear hurts since this morning", False, "h"),
        ("Find us a hotel by the lake", False, "a"),
        ("Rename the function in the parser", False, ""),
        ("What could I give my nephew for his birthday?", False, "g"),
        ("Write two sentences about me for the programme", False, "j"),
        (hook.LAST_TIME, False, ""),  # a quiet one would get no summaries
    ],
)
def test_a_message_tells_what_it_asks_for(
    minilm: Embedder, message: str, quiet: bool, of: str
) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None

    found = needs.kinds(weights, message, minilm.embed_query(message).pooled)

    assert (quiet, set(of)) == (found.is_quiet, set(found.needs))


@pytest.mark.parametrize(
    ("memory", "facet"),
    [
        ("Please write to me without abbreviations.", "s"),
        ("Mia must not eat tomatoes.", "fo"),
        ("I take tablets for my thyroid.", "h"),
        ("I'm scared of bridges.", "a"),
        ("Piano lessons are on Mondays at five.", "w"),
        ("My uncle keeps bees.", "o"),
        ("We have no oven, only a hob.", "e"),
        ("No gift may cost more than ten euros.", "b"),
        ("We have a car with seven seats.", "t"),
        ("Pia wants a book about owls.", "lo"),
        ("I work as a joiner.", "j"),
        ("The file is indented by four spaces.", ""),
    ],
)
def test_a_memory_tells_what_it_bears_on(minilm: Embedder, memory: str, facet: str) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None
    [found] = minilm.embed([memory])
    by = {one: needs.classifier(weights, one) for one in needs.FACETS + needs.OTHERS}

    taken = {
        n for n, one in by.items() if np.dot(one.weights, found.pooled) + one.bias >= one.least
    }

    assert taken == set(facet)


@pytest.mark.parametrize(
    ("memory", "bears"),
    [
        ("I have diabetes.", True),
        ("I'm diabetic", True),
        ("My cholesterol is too high", True),
        ("I take warfarin", True),
        ("I have asthma.", False),
        ("I have a bad knee", False),
        ("I use a wheelchair", False),
        ("We have a car with seven seats.", False),
    ],
)
def test_an_illness_bears_on_a_meal_if_it_speaks_of_food_at_all(
    minilm: Embedder, memory: str, bears: bool
) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None
    [found] = minilm.embed([memory])

    diet = needs.classifier(weights, needs.DIET)

    assert (np.dot(diet.weights, found.pooled) + diet.bias >= diet.least) is np.bool_(bears)


def test_more_memories_of_a_facet_are_shown_where_several_needs_ask_for_it() -> None:
    assert needs.facets({"f": 0.4, "a": 0.25}) == {"f": 12, "d": 3, "e": 2, "a": 8}
    assert needs.facets({"a": 0.6}) == {"a": 8, "h": 3, "f": 4, "t": 2, "b": 1}


def test_a_message_is_general_or_personal(minilm: Embedder) -> None:
    weights = needs.classifiers(minilm.model)
    assert weights is not None

    def is_general(message: str) -> bool:
        return needs.kinds(weights, message, minilm.embed_query(message).pooled).is_general

    assert is_general("How do magnets work?")
    assert not is_general("Where does my aunt work?")
    assert is_general("What does the badge stand for?")
    assert not is_general("What does my badge stand for?")


def test_messages_read_along_add_needs() -> None:
    kinds = Kinds(is_quiet=True, is_general=True, needs={"f": 0.4, "a": 0.5})

    assert kinds.with_needs({"f": 0.7, "h": 0.3}) == Kinds(
        is_quiet=False, is_general=True, needs={"f": 0.7, "a": 0.5, "h": 0.3}
    )


def test_a_person_says_what_does_not_stand() -> None:
    taken = {
        needs.STYLE: [result("a", 0.9, tags=("not-standing",)), result("b", 0.8)],
        "f": [result("c", 0.9, tags=("not-standing", "tea")), result("d", 0.8, tags=("tea",))],
    }

    assert ids(standing_of(taken, BOUNDS, {}, Said.of(""))) == "bd"


def test_words_on_style_have_a_hundred_tokens() -> None:
    """One that is too long leaves room for the next."""
    long, full, short = (
        result(name, 0.9, content="x" * size) for name, size in (("a", 401), ("b", 396), ("c", 4))
    )

    assert ids(standing_of({needs.STYLE: [long, full, short, short]}, BOUNDS, {}, Said.of(""))) == (
        "bc"
    )


def test_one_of_several_equal_memories_is_chosen() -> None:
    """The first by priority, whichever of the two names the other."""
    one, two, three = result("a", 0.9), result("b", 0.8), result("c", 0.7)
    naming = msgspec.structs.replace(two, repeats=["a"])

    assert ids(_joined([], [one], [naming, three], [], None).results) == "ac"
    assert ids(_joined([], [naming], [one, three], [], None).results) == "bc"
    assert ids(_joined([], [naming], [one, three], [], 2).results) == "bc"


def test_a_reply_to_a_question_is_not_quiet(minilm: Embedder) -> None:
    """Only an embedder with classifiers tells at all."""

    class Recall:
        model: Embedder | None = minilm

        async def vectors_of(self, _call: object, message: str) -> Any:
            if self.model is None:
                return None
            return SimpleNamespace(embedder=self.model, question=minilm.embed_query(message))

    def read(*said: tuple[str, str], by: Embedder | None = minilm) -> Kinds | None:
        recall: Any = Recall()
        recall.model = by
        call: Any = None
        found = anyio.run(kinds_of, recall, call, Plan("ok thanks"), said)
        return found[0] if found else None

    asked = ("assistant", "Shall I book the table?")
    quiet, answers = read(("assistant", "Done.")), read(asked, ("user", "ok thanks"))
    assert quiet is not None
    assert answers is not None
    assert (quiet.is_quiet, answers.is_quiet) == (True, False)
    assert read(asked, by=None) is None
