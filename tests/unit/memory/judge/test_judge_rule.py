"""The rules around the model's opinion on a new and an older fact (A10, A11, A13)."""

from dataclasses import replace

import pytest

from ashd.clock import DAY
from ashd.memory.judge import Opinion, Outcome, Verdict, decide
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import LINKED_FROM

SURE, UNSURE, REPEAT, NONE = (
    Opinion(0.99, 0.05),
    Opinion(LINKED_FROM, 0.1),
    Opinion(0.2, 0.7),
    Opinion(0.1, 0.1),
)
ALICE, SARAH = frozenset({"alice"}), frozenset({"sarah"})


def outcome(older: Statement | str, newer: Statement | str, opinion: Opinion | None) -> Outcome:
    return verdict(older, newer, opinion).outcome


def verdict(older: Statement | str, newer: Statement | str, opinion: Opinion | None) -> Verdict:
    older, newer = (one if isinstance(one, Statement) else Statement(one) for one in (older, newer))
    return decide(older, newer, opinion)


@pytest.mark.parametrize(
    ("opinion", "expected"),
    [
        (SURE, Outcome.MAY_REPLACE),
        (UNSURE, Outcome.MAY_REPLACE),
        (REPEAT, Outcome.REPEATS),
        (NONE, Outcome.KEEP),
        (None, Outcome.KEEP),
    ],
)
def test_an_opinion_links_at_most(opinion: Opinion | None, expected: Outcome) -> None:
    """However sure a model is, both facts stay (A17)."""
    assert outcome("I live in Rome", "I live in Milan", opinion) is expected


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        (Statement("a", ALICE), Statement("b", SARAH), Outcome.KEEP),
        (Statement("a", ALICE), Statement("b"), Outcome.KEEP),
        (Statement("a", may_be_about=ALICE), Statement("b"), Outcome.MAY_REPLACE),
        (
            Statement("a", may_be_about=ALICE),
            Statement("b", may_be_about=SARAH),
            Outcome.MAY_REPLACE,
        ),
        (Statement("a", may_be_about=ALICE), Statement("b", ALICE), Outcome.MAY_REPLACE),
        (Statement("a", ALICE), Statement("b", may_be_about=ALICE), Outcome.MAY_REPLACE),
        (Statement("a", may_be_about=ALICE), Statement("b", SARAH), Outcome.KEEP),
    ],
)
def test_statements_about_different_people_are_kept(
    older: Statement, newer: Statement, expected: Outcome
) -> None:
    """A statement about "us" is about nobody, or about its speaker."""
    assert outcome(older, newer, SURE) is expected


@pytest.mark.parametrize("opinion", [SURE, UNSURE, REPEAT, NONE, None])
def test_the_same_words_are_the_same_fact_whatever_the_opinion(opinion: Opinion | None) -> None:
    """Equal words need no embedder, in any language."""
    assert verdict("I like tea.", "i like Tea", opinion) == (Outcome.SAME, "same_words")
    assert outcome("我住在柏林。", "我住在柏林", opinion) is Outcome.SAME


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Dog bites man", "Man bites dog"),
        ("2 of A and 1 of B", "1 of A and 2 of B"),
        ("I like tea", "I like tea very much"),
    ],
)
def test_other_words_or_another_order_are_never_the_same(older: str, newer: str) -> None:
    """Only the same words in the same order are a duplicate, so no statement is lost."""
    for opinion in (SURE, UNSURE, REPEAT, NONE, None):
        assert outcome(older, newer, opinion) is not Outcome.SAME


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("Budget 5", "Budget 5 %", Outcome.KEEP),
        ("Budget 5 €", "The budget is 5 $", Outcome.KEEP),
        ("The lawn is 5² metres", "The lawn is 52 metres", Outcome.KEEP),
        ("The offset is -5", "The offset is 5", Outcome.KEEP),
        ("The door is 5' high", 'The door is 5" high', Outcome.KEEP),
        ("The shop is open.", "The shop is open?", Outcome.KEEP),
        ("I love Berlin ❤️", "I love Berlin 💔", Outcome.KEEP),
        ("The budget is 5 €", "We have a budget of 5 euros", Outcome.REPEATS),
        ("The well-known shop is open", "The well known shop is open", Outcome.REPEATS),
    ],
)
def test_other_signs_are_no_repetition(older: str, newer: str, expected: Outcome) -> None:
    """The model hardly sees currencies, units and symbols."""
    assert outcome(older, newer, REPEAT) is expected


@pytest.mark.parametrize("opinion", [SURE, UNSURE, REPEAT, NONE, None])
def test_a_word_in_capitals_is_a_repetition_whatever_the_opinion(opinion: Opinion | None) -> None:
    """It may be an abbreviation, so both are stored; it corrects nothing."""
    older, newer = Statement("My colour is red"), Statement("my colour is RED!")
    assert outcome(older, newer, opinion) is Outcome.REPEATS


@pytest.mark.parametrize("newer", ["Likes Italian food.", "Likes Thai food."])
def test_different_subjects_never_conflict(newer: str) -> None:
    """Facts about different people stay, even in the same words."""
    older = Statement("Likes Italian food.", subjects=ALICE)
    for other in (Statement(newer, subjects=SARAH), Statement(newer)):
        assert verdict(older, other, SURE) == (Outcome.KEEP, "different_subject")


def test_own_word_conflicts_with_hearsay_and_never_the_other_way() -> None:
    """A13; other words of the person are a likely conflict with hearsay, which stays."""
    hearsay = Statement("Alice lives in Paris.", subjects=ALICE, first_person="hearsay")
    own = Statement("I live in London.", subjects=ALICE, first_person="fact")
    for opinion in (SURE, UNSURE):
        assert verdict(hearsay, own, opinion) == (Outcome.MAY_REPLACE, "meaning")
        assert verdict(own, hearsay, opinion) == (Outcome.KEEP, "hearsay")


def test_hearsay_confirmed_by_the_person_becomes_their_word() -> None:
    """The same words from the person replace hearsay; a paraphrase, or the other way, does not."""
    hearsay = Statement("Alice likes tea.", subjects=ALICE, first_person="hearsay")
    own = replace(hearsay, first_person="fact")
    again = replace(own, text="I am fond of tea.")
    assert verdict(hearsay, own, None) == (Outcome.REPLACES, "own_word")
    assert outcome(hearsay, again, REPEAT) is Outcome.REPEATS
    assert outcome(own, hearsay, None) is Outcome.SAME
    assert outcome(again, hearsay, REPEAT) is Outcome.REPEATS


@pytest.mark.parametrize("opinion", [SURE, UNSURE])
def test_what_fades_never_replaces_what_lasts(opinion: Opinion) -> None:
    """A11: nor is that offered; the other way it replaces."""
    lasts, fades = Statement("My boss is Linda."), Statement("My boss is Greg.", fades=True)
    assert verdict(lasts, fades, opinion) == (Outcome.KEEP, "fades")
    assert outcome(fades, lasts, SURE) is Outcome.MAY_REPLACE


def test_the_same_for_good_replaces_what_fades() -> None:
    """A lasting repetition takes the place of a passing one; a passing one adds nothing."""
    lasts = Statement("My boss is Linda.")
    fades = replace(lasts, fades=True)
    assert verdict(fades, lasts, None) == (Outcome.REPLACES, "lasts")
    assert outcome(lasts, fades, None) is Outcome.SAME


@pytest.mark.parametrize("opinion", [SURE, UNSURE])
def test_what_was_observed_earlier_does_not_replace(opinion: Opinion) -> None:
    """A fact that is stored later but was observed before the other is not the newer one."""
    older = Statement("My boss is Linda.", observed_at=20)
    newer = Statement("My boss is Greg.", observed_at=10)
    assert verdict(older, newer, opinion) == (Outcome.KEEP, "observed_earlier")
    assert outcome(older, replace(newer, observed_at=20), SURE) is Outcome.MAY_REPLACE
    assert outcome(older, replace(newer, observed_at=None), SURE) is Outcome.MAY_REPLACE


def test_an_observation_of_the_day_on_which_the_other_was_stated_is_no_earlier_one() -> None:
    """A date without a time is the beginning of its day."""
    older = Statement("My boss is Linda.", stated_at=3 * DAY)
    for observed_at, expected in (
        (2 * DAY, Outcome.MAY_REPLACE),
        (2 * DAY - 1, Outcome.KEEP),
    ):
        newer = Statement("My boss is Greg.", observed_at=observed_at)
        assert outcome(older, newer, SURE) is expected


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"valid_until": 50}, {}),
        ({}, {"valid_until": 50}),
        ({}, {"valid_from": 200}),
        ({"valid_from": 20}, {"valid_from": 10}),
    ],
)
def test_another_time_of_validity_does_not_replace(
    older: dict[str, int], newer: dict[str, int]
) -> None:
    """Facts of different periods can both be true: one is over, yet to come, or began earlier."""
    before = Statement("My boss is Linda.", **older)
    after = Statement("My boss is Greg.", stated_at=100, **newer)
    assert verdict(before, after, SURE) == (Outcome.KEEP, "other_time")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Tom owes Anna 5 euros", "Anna owes Tom 5 euros"),
        ("I owe Tom 5 euros", "Tom owes me 5 euros"),
        ("Room 4 holds 9 people", "Room 9 holds 4 people"),
    ],
)
@pytest.mark.parametrize("opinion", [SURE, UNSURE, REPEAT])
def test_exchanged_names_or_numbers_are_another_fact(
    older: str, newer: str, opinion: Opinion
) -> None:
    """An exchange is not a repetition, nor without a word of change a replacement."""
    assert verdict(older, newer, opinion) == (Outcome.KEEP, "exchanged")


@pytest.mark.parametrize("opinion", [SURE, UNSURE, REPEAT])
def test_a_question_and_a_statement_are_no_conflict(opinion: Opinion) -> None:
    """A question that was stored must not stand in the place of the fact that answers it."""
    fact, question = "I am allergic to walnuts", "Which nuts can I not eat?"
    for older, newer in ((fact, question), (question, fact)):
        assert verdict(older, newer, opinion) == (Outcome.KEEP, "question")
    assert outcome(question, "What nuts must I not eat?", REPEAT) is Outcome.REPEATS
    assert outcome(fact, "Did I tell you? I may not eat walnuts.", REPEAT) is Outcome.REPEATS


def test_a_word_of_change_explains_an_exchange() -> None:
    """A word of change makes an exchange of debtor and creditor a replacement."""
    older, newer = "Tom owes Anna 5 euros", "Actually Anna owes Tom 5 euros"
    assert outcome(older, newer, SURE) is Outcome.MAY_REPLACE


def test_other_numbers_are_no_repetition() -> None:
    """Other numbers can replace a fact, but never repeat it."""
    older, newer = "The rent is 720 euros", "The rent is 790 euros"
    assert verdict(older, newer, REPEAT) == (Outcome.KEEP, "other_number")
    assert outcome(older, newer, SURE) is Outcome.MAY_REPLACE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My favourite colour is red", "My favourite colour is blue"),
        ("The default branch is main.", "The default branch is trunk"),
        ("My main editor is Vim", "My main editor is Zed"),
    ],
)
def test_a_plain_correction_replaces(older: str, newer: str) -> None:
    """The same sentence with another value, of which there is one at a time, is a correction."""
    assert verdict(older, newer, UNSURE) == (Outcome.REPLACES, "plain_correction")
    assert outcome(older, newer, NONE) is Outcome.KEEP


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My colour is red", "My colour is blue"),
        ("My favourite colour is red", "My favourite shade is blue"),
        ("My favourite colour is red", "My favourite colour is dark blue"),
        ("My favourite colour is red", "My favourite colour is not red"),
        ("My favourite red wine is Chianti", "My favourite white wine is Chianti"),
        ("My main dose is 5", "My main dose is 10"),
        ("My preferred day is Monday", "My preferred day is Friday"),
        ("My favourite colour was red", "My favourite colour was blue"),
        ("Is red my favourite?", "Is blue my favourite?"),
        ("", "My favourite colour is blue"),
    ],
)
def test_anything_else_is_no_plain_correction(older: str, newer: str) -> None:
    """Other words differ, or the value is a number or a time, or nothing says there is only one."""
    assert outcome(older, newer, SURE) in {Outcome.MAY_REPLACE, Outcome.KEEP}
