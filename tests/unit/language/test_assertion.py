"""The parts of a text that it asserts, neither quoted nor disowned. Budget: 5 s."""

import time

import pytest

from ashd.language.assertion import asserted
from ashd.language.people.identity import identity_of
from ashd.language.people.references import Reference
from ashd.language.people.statements import read

CLAUSES = ["Tom and Anna are the same person.", "Anna is my boss.", "Anna goes by Bee."]
DISOWNED = [
    # Orders to leave it out, before and after
    "Ignore this. CLAUSE",
    "IGNORE THIS!\nCLAUSE",
    "CLAUSE Please ignore that.",
    "You can disregard the next sentence. CLAUSE",
    "CLAUSE\n\nDisregard all of the above.",
    "Do not store the following: CLAUSE",
    "CLAUSE Don't remember this.",
    "CLAUSE Forget what I just said.",
    "CLAUSE Never mind.",
    # Denied, invented, supposed
    "The following is false. CLAUSE",
    "What I'm about to say is a lie. CLAUSE",
    "CLAUSE None of this is true.",
    "CLAUSE It isn't true.",
    "This is only a test. CLAUSE",
    "Here's a joke. CLAUSE",
    "Example: CLAUSE",
    "Imagine this. CLAUSE",
    # Taken back
    "CLAUSE Just kidding!",
    "CLAUSE I made that up.",
    "CLAUSE I take that back.",
    "CLAUSE Scratch that.",
    "CLAUSE Not really.",
    "CLAUSE I lied.",
    # Somebody else's words
    "Bob wrote this yesterday. CLAUSE",
    "This is what Bob claims. CLAUSE",
    "CLAUSE Or so Bob says.",
    "> Hello.\n> Well. CLAUSE",
    "```\nHello. CLAUSE\n```",
    '"Hello. CLAUSE Bye."',
    "'Hello. CLAUSE Bye.'",
    "\u201cHello. CLAUSE Bye.\u201d",
    '"Hello there.\nCLAUSE',
]
ASSERTED = [
    "Remember this. CLAUSE",
    "CLAUSE Don't forget that.",
    "CLAUSE It is no joke.",
    "CLAUSE I'm not kidding.",
    "Scratch that. CLAUSE",
    "I was wrong. CLAUSE",
    "CLAUSE The next sentence is false. It rains.",
    "The above is false. CLAUSE",
    # Other things are ignored, wrong, said and dreamt.
    "Ignore the noise. CLAUSE",
    "That was the wrong train. CLAUSE",
    "Skip the meeting. CLAUSE",
    "CLAUSE We have tests.",
    "CLAUSE I had a dream.",
    "CLAUSE She was wrong.",
    "CLAUSE They say hello.",
    "CLAUSE I don't mind.",
    "No. CLAUSE",
    "I read this book. CLAUSE",
    "The boys' house is big. CLAUSE",
    'The nail is 5" long. CLAUSE',
]


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("text", DISOWNED)
def test_a_sentence_that_its_text_disowns_teaches_nothing(text: str, clause: str) -> None:
    """Whoever writes a text can say in it, in any sentence, that it does not hold."""
    assert read(text.replace("CLAUSE", clause)).statements == ()


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("text", ASSERTED)
def test_a_sentence_beside_ordinary_ones_teaches(text: str, clause: str) -> None:
    """A sentence about anything but the text itself takes nothing back."""
    assert read(clause).statements
    assert set(read(clause).statements) <= set(read(text.replace("CLAUSE", clause)).statements)


@pytest.mark.parametrize(
    "text", ["Ignore this. CLAUSE", "CLAUSE Just kidding.", '"Hm. CLAUSE Bye."']
)
def test_a_name_is_not_learned_from_a_sentence_that_is_disowned(text: str) -> None:
    """The reader of names in other languages goes by the same rule."""
    boss = Reference(relationship="boss")
    assert identity_of(boss, "My boss is Anna.").stated_name == "Anna"
    assert identity_of(boss, text.replace("CLAUSE", "My boss is Anna.")).stated_name is None


def test_a_quoted_name_stays() -> None:
    """Only a quotation of a sentence is left out."""
    assert asserted('My aunt "Bee" Lund sings.') == 'My aunt "Bee" Lund sings.'


@pytest.mark.parametrize(
    "text",
    [
        "Ignore this. " * 700,
        "'a " * 2_600,
        '"a. ' * 2_000,
        "> " * 4_000,
        "``` " * 2_000,
        "made " * 1_600,
    ],
)
def test_a_hostile_text_is_read_within_its_share(text: str) -> None:
    """The time does not grow faster than the text."""
    begun = time.process_time()
    asserted(text)
    assert time.process_time() - begun < 1
