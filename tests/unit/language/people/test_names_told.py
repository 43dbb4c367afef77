"""The people of a sentence: names, relationships, and the subject."""

import random
import time

import pytest

from ashd.language.people.first_person import (
    first_person,
    mentions_speaker,
    speaks_for_several,
)
from ashd.language.people.identity import identity_of
from ashd.language.people.phrases import related_in
from ashd.language.people.references import Reference, display_name, parse_reference

WIFE = Reference(relationship="wife")


def _told(reference: Reference, text: str) -> str | None:
    """The name that a reference or its sentence tells."""
    said = identity_of(reference, text)
    return reference.name or said.stated_name or said.passing_name


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ("my wife's name is Sarah", "Sarah"),
        ("Remember my wife\u2019s name is Sarah.", "Sarah"),
        ("my wife's full name is Sarah Jane Miller", "Sarah Jane Miller"),
        ("my wife's name is now Sarah", "Sarah"),
        ("my wife's name: Sarah", "Sarah"),
        ("my wife's name is sarah", "Sarah"),
        ("my wife is called Sarah", "Sarah"),
        ("My wife's called Sarah", "Sarah"),
        ("The user's wife is named Sarah", "Sarah"),
        ("wife's name is Sarah", "Sarah"),
        ("The name of my wife is Sarah", "Sarah"),
        ("My wife is Sarah", "Sarah"),
        ("My wife is Sarah and she likes tea", "Sarah"),
        ("Sarah is my wife", "Sarah"),
        ("Sarah's my wife", "Sarah"),
        ("I think Sarah is my wife", "Sarah"),
        ("meine Frau hei\u00dft Sarah", "Sarah"),
        ("mi esposa se llama Sarah", "Sarah"),
        ("mia moglie si chiama Sarah", "Sarah"),
        ("ma femme s\u2019appelle Zo\u00eb", "Zo\u00eb"),
    ],
)
def test_a_sentence_that_states_the_name(hint: str, name: str) -> None:
    """A sentence made to say the name tells it, for a hint and for a person without a name."""
    assert identity_of(WIFE, hint).stated_name == name
    assert _told(WIFE, hint) == name


@pytest.mark.parametrize(
    ("hint", "name"),
    [
        ("My wife Sarah Jane loves Italian food", "Sarah Jane"),
        ("My wife, Sarah, likes tea", "Sarah"),
        ("My wife, named Sarah, is ill", "Sarah"),
        ("My wife (Sarah) likes tea", "Sarah"),
        ("Sarah, my wife, likes tea", "Sarah"),
        ("Sarah (my wife) likes tea", "Sarah"),
        ("I gave Sarah, my wife, a ring", "Sarah"),
        ("wife Sarah gave me a watch", "Sarah"),
        ("User's wife Sarah likes tea", "Sarah"),
        ("My wife Sarah's birthday is in May", "Sarah"),
        ("My wife Sarah and daughter Emma went", "Sarah"),
        ("My wife May loves tea", "May"),
        ("My wife Dr. Anna M\u00fcller works", "Dr. Anna M\u00fcller"),
        ("My wife Sarah-Jane O\u2019Brien likes it", "Sarah-Jane O'Brien"),
        ("my wife \u7f8e\u54b2 likes tea", "\u7f8e\u54b2"),
        ("Meine Frau Sarah liebt Musik", "Sarah"),
    ],
)
def test_a_name_in_passing(hint: str, name: str) -> None:
    """A name beside the relationship tells it too, but states nothing of an unnamed person."""
    assert _told(WIFE, hint) == name
    assert identity_of(WIFE, hint).stated_name is None


@pytest.mark.parametrize(
    "hint",
    [
        # Capitals that are no name
        "My wife Monday evening went out",
        "my wife May 5th",
        "My wife Netflix binges",
        "My wife, Google says, is wrong",
        "My wife Loves Italian Food",
        "My Wife Loves Italian Food",
        "MY WIFE SARAH LOVES TEA",
        "my wife I think likes tea",
        "my wife, Christmas Eve, fell",
        # Other things that a wife is, does or has
        "my wife is German",
        "My wife is Catholic",
        "my wife is CEO",
        "my wife is Head of Marketing",
        "my wife is in Paris",
        "My wife is from Germany",
        "my wife loves Paris",
        "My wife works at Siemens",
        "my wife is called away",
        "my wife's name is beautiful",
        "my wife's birthday is May 5",
        # Denials and questions
        "My wife's name isn't Sarah",
        "My wife is not Sarah",
        "Is my wife's name Sarah?",
        "Is Sarah my wife?",
        "What is my wife's name?",
        # Other people's wives
        "Bob's wife Sarah likes tea",
        "His wife Sarah is nice",
        "my brother's wife Sarah",
        "my ex-wife Sarah",
        "my ex wife Sarah called",
        "my mother-in-law Sarah",
        "My wife's sister Anna visits",
        # Others beside her
        "My wife and Sarah went out",
        "my wife, Sarah, and Bob went",
        "We went to Paris, my wife, kids and I",
        "In Paris, my wife, of all people, cried",
        "Hi Bob, my wife, the best, is ill",
        # What stands at a sentence's start
        "Yesterday, my wife went out",
        "Yesterday, my wife, who is ill, stayed",
        "She is my wife",
        "This is my wife",
        "my wife loves the tower. Bob is my boss.",
        "midwife Sarah",
        "",
    ],
)
def test_no_name_told(hint: str) -> None:
    """A sentence without her name gives no name."""
    assert _told(WIFE, hint) is None


@pytest.mark.parametrize(
    ("reference", "hint", "name"),
    [
        ("my boss", "my boss is Michael Scott", "Michael Scott"),
        ("my boss", "My boss is Michael Scott now.", "Michael Scott"),
        ("my boss", "my boss is Michael actually", "Michael"),
        ("my boss", "My boss is German now", None),
        ("the boss", "the boss is Michael", "Michael"),
        ("my mom", "My mother Linda has a dog", "Linda"),
        ("my daughter", "My wife Sarah and daughter Emma went", "Emma"),
        ("my sister", "My older sister Anna is here", "Anna"),
        ("my older sister", "My younger sister Anna is here", None),
        ("my math teacher", "My math teacher Bob is strict", "Bob"),
        ("my friend", "A friend of mine, Bob, is here", "Bob"),
        ("my friend", "Every friend Bob has", None),
        ("my partner", "My business partner Bob called", None),
        ("my son", "Addison Smith is here", None),
        ("my kids", "My kids Emma and Noah", None),
        ("Alice's boss", "Alice's boss is Bob", "Bob"),
        ("Alice's boss", "The boss of Alice is Bob", "Bob"),
        ("Alice's boss", "Bob is Alice\u2019s boss", "Bob"),
        ("Alice's boss", "My boss is Bob", None),
        ("my boss", "Alice's boss is Bob", None),
        ("my wife's sister", "My wife's sister Anna is here", "Anna"),
        ("my sister", "My wife's sister Anna is here", None),
        ("his wife", "His wife Sarah is here", None),
        ("my wife Sarah", "My wife Anna is here", "Sarah"),
        ("Sarah", "My wife Anna is here", "Sarah"),
        ("@bob", "My wife Anna is here", None),
        ("me", "My wife Anna is here", None),
    ],
)
def test_the_name_is_for_whom_the_reference_means(
    reference: str, hint: str, name: str | None
) -> None:
    """Only the meant person's name is taken; a name in the reference goes first."""
    assert _told(parse_reference(reference), hint) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My wife likes tea", [WIFE]),
        ("What does my mom's sister eat?", ["my mom's sister", "my mom"]),
        ("Bob's wife and my boss met", ["Bob's wife", "my boss"]),
        ("My wife and daughter", [WIFE, "my daughter"]),
        ("the boss of Alice", ["Alice's boss"]),
        ("a friend of mine", ["my friend"]),
        ("his wife", ["his wife"]),
        ("a wife in a moment with Addison", []),
        ("I asked mom", ["my mother"]),
        ("meine Frau", [WIFE]),
        ("ein Freund und Frau M\u00fcller", []),
        ("she's my wife", [WIFE]),
    ],
)
def test_relationships_in(text: str, expected: list[Reference | str]) -> None:
    """Relationship words are found whole, with whose they are; an indefinite one is nobody's."""
    wanted = [parse_reference(e) if isinstance(e, str) else e for e in expected]
    assert related_in(text) == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love jazz", True),
        ("i love jazz", True),
        ("I\u2019m allergic to peanuts", True),
        ("Yesterday I ran ten miles", True),
        ("My favorite color is red", True),
        ("My name is David", True),
        ("User prefers concise responses", True),
        ("The user's favourite tea is green", True),
        ("Remember that I love jazz", True),
        ("wife gave me a watch", True),
        ("Bob gave me a book", True),
        ("My wife and I love jazz", True),
        ("I know Python", True),
        ("I have a sister", True),
        ("Ich liebe Jazz", True),
        ("My wife loves jazz", False),
        ("dad has diabetes", False),
        ("Bob likes jazz", False),
        ("Mia likes jazz", False),
        ("Bob told me that Alice is ill", False),
        ("I think my wife loves jazz", False),
        ("I heard that Bob quit", False),
        ("I know Bob likes jazz", False),
        ("Remember my wife loves jazz", False),
        ("The user's wife likes tea", False),
        ("My boss's wife is ill", False),
        ("Sarah's sister is ill", False),
        ("She likes tea", False),
        ("Meine Frau liebt Jazz", False),
        ("My student loan is paid off", True),
        ("Yo vivo en Lima", True),
        ("Mi hermana vive en Lima", False),
        ("Mi cuñado vive en Lima", False),
        ("Minha bicicleta é azul", True),
        ("Minha cunhada é médica", False),
        ("Mijn fiets is kapot", True),
        ("Mon vélo est bleu", True),
        ("Mon: dentist at nine", False),
        ("Moja praca jest w Łodzi", True),
        ("Моя работа в Омске", True),
        ("Мой внук в Омске", False),
        ("Meine Nichte liebt Jazz", False),
        ("Python is a language", False),
        ("Allergic to peanuts", False),
        ("", False),
    ],
)
def test_first_person(text: str, expected: bool) -> None:
    """A statement is its speaker's own where he is the subject, or the one acted upon."""
    assert first_person(text) is expected


@pytest.mark.parametrize(
    ("text", "relationship"),
    [
        ("My wife's name is Anna", "wife"),
        ("anna is my wife", None),
        ("Anna is my wife", "wife"),
        ("My wife is called Anna", "wife"),
        ("My wife Anna is ill", "wife"),
        ("I met Anna, my boss, in Rome", "boss"),
        ("Bob's wife is Anna", "Bob's wife"),
        ("Anna is my sister Liv's boss", "Liv's boss"),
        ("Anna is my boss's daughter", "boss's daughter"),
        ("His wife Anna is ill", None),
        ("My wife's name is Annabel", None),
        ("My wife knows Anna", None),
        ("Anna is not my wife", None),
        ("Anna likes tea", None),
        ("", None),
    ],
)
def test_what_a_sentence_says_that_somebody_is(text: str, relationship: str | None) -> None:
    """A sentence gives a role to the speaker or to another, and only of that name."""
    roles = identity_of(Reference(name="Anna"), text).roles

    assert relationship == (display_name(roles[0]) if roles else None)


def test_a_long_text_is_read_once_for_all_whom_it_is_about() -> None:
    """Twenty people cost little more than one, in a script whose characters are words."""
    chosen = random.Random(1)
    references = [parse_reference(f"my cousin {chr(65 + number)}nna") for number in range(20)]

    def seconds(some: list[Reference]) -> float:
        text = "".join(chr(chosen.randint(0x4E00, 0x6FFF)) for _ in range(10_000))
        began = time.process_time()
        for reference in some:
            identity_of(reference, text)
        return time.process_time() - began

    seconds(references)  # the characters become known
    one = min(seconds(references[:1]) for _ in range(3))
    all_of_them = min(seconds(references) for _ in range(3))

    assert all_of_them < 6 * one


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("We ship on Thursdays", True),
        ("Our caretaker is Mr Roth", True),
        ("The rent is the same for all of us", True),
        ("We\u2019re on the third floor", True),
        ("Wir treffen uns freitags", True),
        ("I think we ship on Thursdays", False),
        ("We moved in with my mother", False),
        ("I'm the caretaker", False),
        ("The office is closed", False),
        ("The user's team and our team", False),
    ],
)
def test_a_speaker_speaks_for_several_or_for_one(text: str, several: bool) -> None:
    """One word in the singular makes it a statement about the speaker."""
    assert speaks_for_several(text) is several


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Where are my keys?", True),
        ("I'm late", True),
        ("Book it for us", True),
        ("Wo ist mein Hut?", True),
        ("Is Mars red?", False),
        ("", False),
    ],
)
def test_a_word_for_the_speaker_is_found(text: str, *, spoken: bool) -> None:
    assert mentions_speaker(text) is spoken
