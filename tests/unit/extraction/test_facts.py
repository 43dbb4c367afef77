"""Facts that a language model found, as they are stored."""

import pytest

from ashd.extraction import facts
from ashd.extraction.answer import Fact
from ashd.store.transcripts import Said


def subjects(fact: Fact, said: str) -> list[str]:
    """The subjects under which a fact of Nora's turn is stored."""
    spoken = Said(0, "user", None, "nora", "Nora Berg", said, 1_790_000_000_000_000, 0)
    ready = facts.prepare(fact, spoken, in_group=False, is_quoted=False)
    return list(ready.fact.subjects)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("My sister Ada called. She is expecting a baby in June.", ["My sister Ada"]),
        ("My sister Ada works at Acme. She is expecting a baby in June.", ["My sister Ada"]),
        ("Clara told my sister Ada. Ada called. She is expecting a baby in June.", ["Ada"]),
        ("Ben and Dr. Mora met. Then Clara came. She is expecting a baby in June.", ["Clara"]),
        ("My brother Ben called. She is expecting a baby in June.", []),
        ("A neighbour called. She is expecting a baby in June.", []),
    ],
)
def test_pronoun_is_the_last_person_named_before_it(said: str, expected: list[str]) -> None:
    """A place is no person, and somebody whom nobody named is no subject."""
    fact = Fact("She is expecting a baby in June.", subjects=["She"], quote="a baby in June")
    assert expected == subjects(fact, said)


@pytest.mark.parametrize(
    "before",
    [
        "My sister Vera moved to Graz.",
        "I moved to Graz, alone.",
        "Vera works for Siemens.",
        "Vera drove through Graz with my brother.",
        "Vera wrote to Clara.",
        "My sister Ada told Clara first.",
        "Vera loves Graz.",
        "Dr. Mora met Clara.",
    ],
)
def test_pronoun_that_may_mean_one_or_another_is_nobody(before: str) -> None:
    """Its sentence does not tell which of two it is, nor a place from a person."""
    said = f"{before} She is expecting a baby in June."
    fact = Fact("She is expecting a baby.", subjects=["She"], quote="a baby in June")
    assert [] == subjects(fact, said)


@pytest.mark.parametrize(
    ("pronoun", "quote", "said", "expected"),
    [
        ("she", "Anna moved out", "She called. I met my sister Anna. Anna moved out.", ["Anna"]),
        (
            *("her", "My sister Anna sings"),
            *("Her flat is small. My sister Anna sings.", ["My sister Anna"]),
        ),
        ("she", "She is pregnant", "I got a letter from Anna. She is pregnant.", ["Anna"]),
    ],
)
def test_pronoun_of_another_sentence_is_no_bound(
    pronoun: str, quote: str, said: str, expected: list[str]
) -> None:
    """It may mean somebody else."""
    assert expected == subjects(Fact(said, subjects=[pronoun], quote=quote), said)


@pytest.mark.parametrize(
    ("content", "said", "given", "expected"),
    [
        ("The marathon was long.", "My marathon was long.", "Marathon", []),
        ("The marathon was long.", "My marathon was long.", "marathon", []),
        ("Der lange marathon", "der marathon, so lang", "Marathon", []),
        ("Nora met Anna.", "I met anna today", "Anna", ["Anna"]),
        ("Anna likes tea.", "anna likes tea", "anna", ["anna"]),
        ("Nora's sister sings.", "My sister sings.", "sister", ["sister"]),
        ("Rose sings.", "Rose sings, with a rose in her hair.", "Rose", ["Rose"]),
        ("アナは歌う。", "アナは歌う。", "アナ", ["アナ"]),
        ("გიორგი ცხოვრობს თბილისში", "გიორგი", "გიორგი", ["გიორგი"]),
        ("Somebody sings.", "Somebody sings.", "Anna", ["Anna"]),
        ("The lesson was long.", "Long!", "Lesson", []),
    ],
)
def test_word_that_is_written_in_lower_case_is_no_name(
    content: str, said: str, given: str, expected: list[str]
) -> None:
    """Neither the fact nor the turn has it with a capital, as one of them would have a name."""
    fact = Fact(content, subjects=[given], quote=said)
    assert expected == subjects(fact, said)
