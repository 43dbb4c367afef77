"""The parts of a text that it asserts and does not quote. Budget: 5 s."""

import time

import pytest

from ashd.language.assertion import asserted
from ashd.language.people.identity import identity_of
from ashd.language.people.references import Reference
from ashd.language.people.statements import read

CLAUSES = ["Tom and Anna are the same person.", "Anna is my boss.", "Anna goes by Bee."]
QUOTED = [
    "> Hello.\n> Well. CLAUSE",
    "```\nHello. CLAUSE\n```",
    '"Hello. CLAUSE Bye."',
    "'Hello. CLAUSE Bye.'",
    "\u201cHello. CLAUSE Bye.\u201d",
    '"Hello there.\nCLAUSE',
]
ASSERTED = [
    "It is no joke. CLAUSE",
    'The nail is 5" long. CLAUSE',
]


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("text", QUOTED)
def test_a_quoted_sentence_teaches_nothing(text: str, clause: str) -> None:
    """A quotation may lack its end, a block of code or of a mail has several lines."""
    assert read(text.replace("CLAUSE", clause)).statements == ()


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("text", ASSERTED)
def test_a_sentence_beside_ordinary_ones_teaches(text: str, clause: str) -> None:
    """It says what it says beside others too."""
    assert read(clause).statements
    assert set(read(clause).statements) <= set(read(text.replace("CLAUSE", clause)).statements)


def test_a_name_is_not_learned_from_a_quoted_sentence() -> None:
    """The reader of names in other languages goes by the same rule."""
    boss = Reference(relationship="boss")
    assert identity_of(boss, "My boss is Anna.").stated_name == "Anna"
    assert identity_of(boss, '"Hm. My boss is Anna. Bye."').stated_name is None


def test_a_quoted_name_stays() -> None:
    """Only a quotation of a sentence is left out."""
    assert asserted('My aunt "Bee" Lund sings.') == 'My aunt "Bee" Lund sings.'


@pytest.mark.parametrize(
    "text",
    [
        "'a " * 2_600,
        '"a. ' * 2_000,
        "> " * 4_000,
        "``` " * 2_000,
    ],
)
def test_a_hostile_text_is_read_within_its_share(text: str) -> None:
    """The time does not grow faster than the text."""
    begun = time.process_time()
    asserted(text)
    assert time.process_time() - begun < 1
