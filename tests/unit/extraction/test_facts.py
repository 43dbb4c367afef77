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
        ("My sister Ada told Clara first. She is expecting a baby in June.", ["Clara"]),
        ("My brother Ben called. She is expecting a baby in June.", []),
        ("A neighbour called. She is expecting a baby in June.", []),
    ],
)
def test_pronoun_is_the_last_person_named_before_it(said: str, expected: list[str]) -> None:
    """A place is no person, and somebody whom nobody named is no subject."""
    fact = Fact("She is expecting a baby in June.", subjects=["She"], quote="a baby in June")
    assert expected == subjects(fact, said)
