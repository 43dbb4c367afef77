"""Reading a statement: never a failure, whatever the text; the same reading for the same fact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.memory.conflict import Outcome, decide, fingerprint, kinds, lexicon
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.wording import words
from ashd.memory.statement import Statement

PHRASES = sorted(
    {"user", "User's", "my", "wife", "is", "not", "no", "longer", "has", "been", "moved", "to"}
    | {"in", "Berlin", "and", "works", "at", "9:30", "don't", ",", ".", "so", "without", "Sarah"}
    | {"the", "who", "because", "want", "like", "instead", "of", "back", "may", "May", "2", "'s"}
)
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PHRASES), max_size=14).map(" ".join)


@given(TEXTS, TEXTS)
def test_any_two_texts_get_a_verdict(older: str, newer: str) -> None:
    """No text makes the rule fail, and a text is always a duplicate of itself."""
    for text in (older, newer):
        verdict = decide(
            Statement(text), Statement(text), cosine=None, value_cosine=None, gates=None
        )
        assert verdict.outcome is Outcome.DUPLICATE
    result = decide(Statement(older), Statement(newer), cosine=0.9, value_cosine=None, gates=None)
    assert result.reason


@given(st.text(max_size=60))
def test_a_fingerprint_is_that_of_its_own_text(text: str) -> None:
    """Folding again changes nothing, nor does more space around the text."""
    assert fingerprint(fingerprint(text)) == fingerprint(text)
    assert fingerprint(f"  {text}\n") == fingerprint(text)


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("My favourite colour", "my favorite color"),
        ("I can't", "i can not"),
        ("twenty-one kids", "21 children"),
        ("twice a week", "2 times a week"),
        ("$5,000 at 9:00 am", "5000 dollar at 9 am"),
        ("a nice surprise", "a nice surprise"),
    ],
)
def test_words_are_spelt_one_way(text: str, spelt: str) -> None:
    """British spelling, contractions and numbers have one form each."""
    assert " ".join(word.text for word in words(text)) == spelt


@pytest.mark.parametrize(
    ("text", "person", "topic"),
    [
        ("I live in Berlin.", set(), set()),
        ("The user lives in Berlin.", set(), set()),
        ("My sister Lena lives in Madrid.", {"sister"}, set()),
        ("User's wife's car is blue.", {"wife"}, {"car"}),
        ("Alice's boss lives in Rome.", {"alice", "manager"}, set()),
        ("The deadline for the report is May 3.", set(), {"deadline", "report"}),
        ("Sarah no longer likes tea.", {"sarah"}, set()),
    ],
)
def test_the_subject_is_whom_or_what_it_is_about(
    text: str, person: set[str], topic: set[str]
) -> None:
    """The speaker is nobody; others are their relation or name, things their nouns."""
    (clause,) = read(text)
    assert clause.subject.person == person
    assert clause.subject.topic == topic


@pytest.mark.parametrize(
    "text", ["Ich mag Jazz.", "Hablo francés.", "daughter Emma", "", "…", "Hm"]
)
def test_what_is_no_english_statement_is_not_read(text: str) -> None:
    """Rather no clause than a wrong one."""
    assert read(text) == ()


def test_every_verb_with_a_rule_is_a_known_verb() -> None:
    """A verb in a table of rules that reading does not know would never match."""
    named = kinds.OPEN_VERBS | kinds.OPEN_VERBS_OF_THINGS | kinds.MANY_VERBS | kinds.CHANGE_VERBS
    named |= kinds.ENDING.keys() | lexicon.WISH | lexicon.ORDERS
    named |= {verb for verb, _ in [*kinds.ATTRIBUTES, *kinds.ATTRIBUTES_DONE, *kinds.ATTRIBUTES_OF]}
    assert named <= lexicon.VERBS | lexicon.IRREGULAR.keys() | set(lexicon.IRREGULAR.values())
