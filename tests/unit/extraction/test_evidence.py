"""Evidence: the turn that a model's finding is based on."""

import pytest

from ashd.extraction import evidence
from ashd.extraction.answer import Answer, Fact, ProfileStatement, Relation
from ashd.extraction.evidence import Turn
from ashd.store.transcripts import Said

TURNS = [
    "Diana's plum trees are new.",
    "Ana's plum trees are new.",
    "她住在里斯本的老城区",
    "Diana told me so.",
]


def said(*texts: str) -> list[Turn]:
    """Return new turns of one person."""
    return [
        Turn(Said(at, "user", None, "nora", "Nora", text, 0, 0), is_new=True)
        for at, text in enumerate(texts)
    ]


def turn_of(quote: str, turn: int | None) -> int | None:
    """Return the number of the turn that a fact with this quote counts for, if it does."""
    turns = said(*TURNS)
    fact = Fact("Something.", turn=turn, quote=quote)
    claims = evidence.check(Answer([fact]), turns, least_confidence=0).claims
    return claims[0].turn + 1 if claims else None


@pytest.mark.parametrize(
    ("quote", "turn", "expected"),
    [
        ("Ana's plum trees", None, 2),
        ("Ana's plum trees", 1, 2),
        ("plum trees", 1, 1),
        ("plum trees", None, None),
        ("iana's plum tre", None, 1),
        ("Ana's ... are new", 9, 2),
        ("里斯本的老", None, 3),
        ("Dian", None, None),
    ],
)
def test_quote_is_of_the_only_turn_that_has_it_as_words(
    quote: str, turn: int | None, expected: int | None
) -> None:
    """A part of a word counts where no turn has the quote as words."""
    assert expected == turn_of(quote, turn)


@pytest.mark.parametrize(
    "quote",
    [
        "I\u2019m fond of \u201eEarl Grey\u201c",
        "\u00bbI\u2018m fond of \u00abEarl Grey\u00bb",
        '**I\'m fond of "Earl Grey"**',
        "`3-4 cups a day`",
        "3\u20144 cups a day",
        '@nora: I\'m fond of "Earl Grey"',
        "Nora: I'm fond of",
        "user: I'm fond of",
        '[1] @nora (Nora), 2026-05-04T18:30Z: I\'m fond of "Earl Grey"',
        "@nora (Nora), 2026-05-04T18:30Z: I'm fond … a day",
    ],
)
def test_signs_and_labels_around_a_quote_are_no_part_of_it(quote: str) -> None:
    """Models change typographic signs, add Markdown, and copy the whole line."""
    turns = said('I\'m fond of "Earl Grey", 3\u20134 cups a day.')
    assert 0 == evidence.turn_of(ProfileStatement("Likes tea.", 1, quote), turns)


@pytest.mark.parametrize(
    "quote",
    ["@ada: I like tea", "[1] @ada (Ada), 2026-05-04T18:30Z: I like tea", "He said: I like"],
)
def test_label_of_another_speaker_is_part_of_a_quote(quote: str) -> None:
    turns = said("I like tea.")
    assert evidence.turn_of(ProfileStatement("Likes tea.", 1, quote), turns) is None


@pytest.mark.parametrize("nothing", ["", " ", "..."])
def test_no_words_are_no_evidence_even_in_a_turn_without_words(nothing: str) -> None:
    turns = said("?!", "I work at Acme.")
    assert evidence.turn_of(ProfileStatement("Nora sings.", 1, nothing), turns) is None
    assert [] == evidence.turns_of_relation(Relation(nothing, "works at", "Globex"), turns)
    assert [] == evidence.turns_of_relation(Relation("I", "works at", nothing), turns)
