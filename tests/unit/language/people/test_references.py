"""References to people: how they are read, compared and shown."""

import pytest

from ashd.language.people import vocabulary
from ashd.language.people.references import (
    MatchKind,
    Reference,
    display_name,
    matches,
    parse_reference,
)
from ashd.language.words import normalise

ALICE = Reference(name="Alice")
LIV = Reference(name="Liv", relationship="sister")
WIFE = Reference(relationship="wife")
NOBODY = Reference()


@pytest.mark.parametrize(
    ("key", "spellings"),
    [
        ("wife", ["my wife", "The WIFE", "our wife", "wife's", '"my wife"', " my  wife. "]),
        ("sarah", ["Sarah", "@sarah", "SARAH", "Sarah\u2019s", "my Sarah", "\u201cSarah\u201d"]),
        ("sarah jane", ["Sarah Jane", "sarah\u00a0jane", "Sarah   Jane,"]),
        ("zoe", ["Zo\u00eb", "Zoe", "ZO\u00cb", "Zoe\u0308"]),
        ("dr muller", ["Dr. M\u00fcller", "Dr M\u00fcller"]),
        ("o'brien", ["O'Brien", "O\u2019Brien", "o\u02bcbrien"]),
        ("anne-marie", ["Anne-Marie", "Anne\u2011Marie", "Anne\u2010Marie"]),
        ("alice's boss", ["Alice's boss", "the Alice\u2019s boss"]),
        ("sarah", ["Sa\u200brah", "\u202eSarah\u202c", "\ufeffSarah", "\uff33arah"]),
        ("_bob_", ["@_bob_", "_Bob_"]),
        ("user", ["the user", "User's", "the user\u2019s"]),
        ("\u5c0f\u7f8e", ["\u5c0f\u7f8e", "\u300c\u5c0f\u7f8e\u300d"]),
        ("\u0441\u0430\u0440\u0430", ["\u0421\u0430\u0440\u0430"]),
        ("my", ["my", "My"]),
        ("", ["", "  "]),
    ],
)
def test_normalise(key: str, spellings: list[str]) -> None:
    """Case, typography, articles, accents, possessives and quotes do not count."""
    assert [normalise(spelling) for spelling in spellings] == [key] * len(spellings)


def test_normalise_keeps_the_marks_of_other_scripts() -> None:
    """Only Latin letters lose accents: Japanese and Cyrillic marks make other letters."""
    assert normalise("\u304c") != normalise("\u304b")
    assert normalise("\u0439") != normalise("\u0438")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("P\u00e5l", Reference(name="P\u00e5l")),  # no pal
        ("Sarah", Reference(name="Sarah")),
        ("sarah jane", Reference(name="Sarah Jane")),
        ("my Sarah", Reference(name="Sarah")),
        ("Dr. M\u00fcller", Reference(name="Dr. M\u00fcller")),
        ("Ludwig van Beethoven", Reference(name="Ludwig van Beethoven")),
        ("J. R. Smith", Reference(name="J. R. Smith")),
        ("O\u2019Brien", Reference(name="O'Brien")),
        ("Alice from accounting", Reference(name="Alice from accounting")),
        ("Sarah's birthday", Reference(name="Sarah")),
        ("\u5c0f\u7f8e", Reference(name="\u5c0f\u7f8e")),
        ("\u0633\u0627\u0631\u0629", Reference(name="\u0633\u0627\u0631\u0629")),
        ("\u0930\u093e\u0939\u0941\u0932", Reference(name="\u0930\u093e\u0939\u0941\u0932")),
        ("\u0421\u0430\u0440\u0430", Reference(name="\u0421\u0430\u0440\u0430")),
        # Whole words: these are nobody's son, mother, child, wife.
        ("Addison", Reference(name="Addison")),
        ("Mason", Reference(name="Mason")),
        ("Moment", Reference(name="Moment")),
        ("Kidney", Reference(name="Kidney")),
        ("Jackson Midwife", Reference(name="Jackson Midwife")),
        # A title or a surname is not a relationship.
        ("Frau M\u00fcller", Reference(name="Frau M\u00fcller")),
        ("Mother Teresa", Reference(name="Mother Teresa")),
        ("Son Heung-min", Reference(name="Son Heung-min")),
        ("Mia Wallace", Reference(name="Mia Wallace")),
        ("Mi-ja Kim", Reference(name="Mi-ja Kim")),
    ],
)
def test_parse_names(reference: str, expected: Reference) -> None:
    """A name is read as a name, in any script."""
    assert parse_reference(reference) == expected


@pytest.mark.parametrize(
    ("relationship", "references"),
    [
        ("wife", ["my wife", "the wife", "wife", "Wife", "MY WIFE", "my wifey", "my late wife"]),
        ("wife", ["the user's wife", "User's wife", "my wife's name", "my dear lovely wife"]),
        ("wife", ["meine Frau", "ma femme", "mi esposa", "mia moglie", "la mia moglie"]),
        ("husband", ["my hubby", "mein Mann", "mon mari", "mi marido", "mio marito"]),
        (
            "sister",
            [
                "minha irm\u00e3",
                "mijn zus",
                "moj\u0105 siostr\u0119",
                "\u043c\u043e\u044f \u0441\u0435\u0441\u0442\u0440\u0430",
            ],
        ),
        ("sister", ["k\u0131z karde\u015fim", "ablam", "ablama", "k\u0131z karde\u015fimin"]),
        ("boss", ["meu chefe", "mijn baas", "moja szefowa", "patronum"]),
        ("mother", ["my mom", "Mum", "my mother", "meine Mutter", "ma m\u00e8re", "mi madre"]),
        ("boss", ["the boss", "my boss", "my boss at work", "mein Chef", "mi jefa"]),
        ("manager", ["my manager", "my line manager"]),
        ("colleague", ["my coworker", "my co-worker", "my colleague", "mein Kollege"]),
        ("roommate", ["my flatmate", "my roommate", "my room-mate"]),
        ("fianc\u00e9", ["my fiance", "my fianc\u00e9e", "my fianc\u00e9"]),
        ("grandmother", ["my grandma", "Granny", "my Oma"]),
        ("neighbour", ["my neighbor", "the neighbour"]),
        ("child", ["my kid", "my child"]),
        ("children", ["my kids", "our children"]),
        ("friend", ["my friend", "a friend of mine", "my old friend", "my good friend"]),
        ("best friend", ["my best friend", "my bestie"]),
        ("friend from school", ["my friend from school"]),
        ("older sister", ["my older sister", "my big sister", "my elder sister"]),
        ("younger brother", ["my little brother", "my kid brother"]),
        ("mother-in-law", ["my mother-in-law", "my mother in law", "my mom-in-law"]),
        ("stepfather", ["my stepdad", "my step-father"]),
        ("ex-wife", ["my ex-wife", "my ex wife", "my former wife", "meine Exfrau"]),
        ("ex-boss", ["my old boss", "my ex-boss", "my former boss"]),
        ("business partner", ["my business partner"]),
        ("math teacher", ["my math teacher"]),
        ("director of choir", ["the director of my choir", "the director of the choir"]),
        ("phd mentor", ["my PhD mentor"]),
    ],
)
def test_parse_relationships(relationship: str, references: list[str]) -> None:
    """Every spelling of a relationship of the speaker's leads to one word."""
    expected = Reference(relationship=relationship)
    assert [parse_reference(text) for text in references] == [expected] * len(references)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("my wife Sarah", Reference(name="Sarah", relationship="wife")),
        ("my wife sarah", Reference(name="Sarah", relationship="wife")),
        ("my wife, Sarah Jane", Reference(name="Sarah Jane", relationship="wife")),
        ("Sarah (my wife)", Reference(name="Sarah", relationship="wife")),
        ("my wife (Sarah)", Reference(name="Sarah", relationship="wife")),
        ("Sarah, my wife", Reference(name="Sarah", relationship="wife")),
        ("Sarah my wife", Reference(name="Sarah", relationship="wife")),
        ("my boss, Michael", Reference(name="Michael", relationship="boss")),
        ("my friend Bob", Reference(name="Bob", relationship="friend")),
        ("my sister Liv's midwife", Reference(relationship="midwife", of=LIV)),
        ("Alice's surgery", ALICE),
        ("the user's sponsor", Reference(relationship="sponsor")),
        ("the landlord of my studio", Reference(relationship="landlord of studio")),
        ("my GP", Reference(relationship="gp")),
        ("our GP Dr Hale", Reference(name="Dr Hale", relationship="gp")),
        ("my friend Bob from school", Reference(name="Bob", relationship="friend from school")),
        ("my sommelier Joe", Reference(name="Joe", relationship="sommelier")),
        ("my dentist Dr. House", Reference(name="Dr. House", relationship="dentist")),
        ("Uncle Bob", Reference(name="Bob", relationship="uncle")),
        ("my son Mason", Reference(name="Mason", relationship="son")),
        ("meine Frau Anna", Reference(name="Anna", relationship="wife")),
        ("minha irm\u00e3 Ana", Reference(name="Ana", relationship="sister")),
        ("annem Elif", Reference(name="Elif", relationship="mother")),
        ("the user's wife Sarah", Reference(name="Sarah", relationship="wife")),
        ("my ex wife Anna", Reference(name="Anna", relationship="ex-wife")),
        ("@mike", Reference(handle="mike")),
        ("my boss @mike", Reference(relationship="boss", handle="mike")),
        ("Mike (@mike.s)", Reference(name="Mike", handle="mike.s")),
        ("Alice's boss", Reference(relationship="boss", of=ALICE)),
        ("Alice\u2019s boss", Reference(relationship="boss", of=ALICE)),
        ("the boss of Alice", Reference(relationship="boss", of=ALICE)),
        ("Bob, Alice's boss", Reference(name="Bob", relationship="boss", of=ALICE)),
        ("James' boss", Reference(relationship="boss", of=Reference(name="James"))),
        ("my wife's sister", Reference(relationship="sister", of=WIFE)),
        ("my wife's sister Anna", Reference(name="Anna", relationship="sister", of=WIFE)),
        ("the sister of my wife", Reference(relationship="sister", of=WIFE)),
        (
            "my wife's sister's boss",
            Reference(relationship="boss", of=Reference(relationship="sister", of=WIFE)),
        ),
    ],
)
def test_parse_compound_references(reference: str, expected: Reference) -> None:
    """Name, relationship, handle and whose relationship it is are told apart."""
    assert parse_reference(reference) == expected


def test_another_persons_wife_is_not_the_speakers() -> None:
    """ "His wife" is somebody's whom the reference does not name: never the speaker's own."""
    assert parse_reference("his wife") == Reference(relationship="wife", of=NOBODY)
    assert parse_reference("their wife Sarah").of == NOBODY


@pytest.mark.parametrize("reference", ["me", "I", "myself", "Me", "user", "the user", "User's"])
def test_parse_self(reference: str) -> None:
    """The speaker is the speaker."""
    assert parse_reference(reference) == Reference(is_self=True)


@pytest.mark.parametrize("reference", ["", " ", "@", "...", "she", "him", "this", "\u2764\ufe0f"])
def test_parse_nobody(reference: str) -> None:
    """A reference to nobody is not a person of that name."""
    assert parse_reference(reference).is_empty


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("my wife", "wife"),
        ("my mom", "mother"),
        ("my wife Sarah", "Sarah"),
        ("Dr. M\u00fcller", "Dr. M\u00fcller"),
        ("@mike", "@mike"),
        ("the boss of Alice", "Alice's boss"),
        ("my wife's sister", "wife's sister"),
        ("his wife", "someone's wife"),
        ("me", "user"),
        ("she", "someone"),
    ],
)
def test_display_name(reference: str, shown: str) -> None:
    """The canonical relationship word replaces a missing name."""
    assert display_name(parse_reference(reference)) == shown


@pytest.mark.parametrize(
    ("name", "candidate", "kind"),
    [
        ("Sarah", "sarah", MatchKind.EXACT),
        ("Zoe", "Zo\u00eb", MatchKind.EXACT),
        ("Anne Marie", "Anne-Marie", MatchKind.EXACT),
        ("M\u00fcller", "Dr. M\u00fcller", MatchKind.EXACT),
        ("Dr M\u00fcller", "Dr. M\u00fcller", MatchKind.EXACT),
        ("Sarah", "Sarah Jane", MatchKind.SHORTER),
        ("Sarah Jane", "Sarah Jane Miller", MatchKind.SHORTER),
        ("Sarah Jane", "Sarah", MatchKind.LONGER),
        ("Alex", "Alexandra", None),
        ("Alex Kim", "Kimberly", None),
        ("Anne", "Anne-Marie", None),
        ("Sarah Miller", "Sarah Jones", None),
        ("Miller", "Sarah Miller", None),
        ("S", "Sarah", None),
        ("J", "J Smith", None),
        ("S.", "Sarah", None),
        ("Mr. Miller", "Mrs. Miller", None),
        ("Mr. Miller", "Miller Smith", None),
        ("", "Sarah", None),
        ("Sarah", "", None),
        ("\u5c0f\u7f8e", "\u5c0f\u7f8e", MatchKind.EXACT),
        ("\u5c0f", "\u5c0f\u7f8e", None),
    ],
)
def test_matches(name: str, candidate: str, kind: MatchKind | None) -> None:
    """Names match by whole words from the first; likeness alone is no match."""
    assert matches(name, candidate) is kind


def test_the_best_match_is_the_least_and_true() -> None:
    """Kinds order from best to worst, and none of them is false in a condition."""
    assert min(MatchKind) is MatchKind.EXACT
    assert all(MatchKind)


@pytest.mark.parametrize(
    ("relationship", "base"),
    [
        ("older sister", "sister"),
        ("best friend", "friend"),
        ("twin brother", "brother"),
        ("math teacher", "teacher"),
        ("new boss", "boss"),
        ("friend from school", "friend"),
        ("sister", None),
        ("ex-wife", None),
        ("mother-in-law", None),
        ("business partner", None),
        ("dance partner", None),
        ("line manager", "manager"),
        ("sommelier", None),
    ],
)
def test_base_relationship(relationship: str, base: str | None) -> None:
    """A relationship that is set apart has a wider word; another kind of relationship has not."""
    assert vocabulary.base_relationship(relationship) == base


def test_every_canonical_word_is_its_own_canonical_word() -> None:
    """A relationship that was stored reads back as itself."""
    canonical = set(vocabulary._TABLE.values())
    assert len(canonical) > 80
    for word in canonical:
        assert parse_reference(f"my {word}") == Reference(relationship=word)


def test_the_vocabulary_is_folded() -> None:
    """Look-ups compare folded text: a word that is not would never be found."""
    words = {
        *vocabulary._TABLE,
        *vocabulary.NOT_NAMES,
        *vocabulary.COMMON_WORD_NAMES,
        *vocabulary.SPEAKER_WORDS,
        *(word for table in vocabulary._FOREIGN_TABLE.values() for word in table),
    }
    assert [word for word in words if normalise(f"x{word}") != f"x{word}"] == []


@pytest.mark.parametrize("name", ["Bob (accounting)", "Anna (n\u00e9e Berg)"])
def test_a_bracket_of_a_name_is_closed(name: str) -> None:
    """It is displayed as it was written."""
    assert parse_reference(name).name == name
