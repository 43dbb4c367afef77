"""What a sentence says a person is called as well, and which names are variants of one."""

import pytest

from ashd.language.identities import identity_of
from ashd.language.name_similarity import variant
from ashd.language.person_references import MatchKind, Reference, matches, parse_reference


@pytest.mark.parametrize(
    ("name", "text", "others"),
    [
        ("Fitz", "Fitz is what we call Fitzgerald.", ["Fitzgerald"]),
        ("Bob", "Bob is short for Robert.", ["Robert"]),
        ("Ola", "Aleksandra (everyone calls her Ola) is my flatmate.", ["Aleksandra"]),
        ("Sam Lee", "Sam Lee, also known as Sammy, left.", ["Sammy"]),
        ("Anna Schmidt", "Anna Schmidt got married, her name is now Anna Vogel.", ["Anna Vogel"]),
        ("Julia Keller", "Julia Keller, née Brandt, has a dog.", ["Julia Brandt"]),
        ("Julia Brandt", "Julia Brandt's married name is Keller.", ["Julia Keller"]),
        ("Dorothea", "Dorothea now goes by Thea.", ["Thea"]),
        ("Tomas", "Tomas is @tmsbass on the forum.", ["tmsbass"]),
        ("@petrichor", "@petrichor is Dagny.", ["Dagny"]),
        ("my climbing buddy", "My climbing buddy is @chalkdust.", ["chalkdust"]),
        # Two people
        ("my climbing buddy", "Bob's climbing buddy is @chalkdust.", []),
        ("Bob", "Bob called Alice.", []),
        ("Bob", "Bob has a dog called Rex.", []),
        ("Bob", "Bob's wife is called Anna.", []),
        ("Anna", "Anna named her son Tom.", []),
        ("Bob", "Bob knows Tom. Everyone calls him Tommy.", []),
        ("Bob", "Bob, @carl and I went out.", []),
        ("Bob", "Bob visits his mother, her name is Eve.", []),
    ],
)
def test_a_sentence_gives_another_name(name: str, text: str, others: list[str]) -> None:
    """Only where the words between two names say that they are one person's."""
    said = identity_of(parse_reference(name), text)
    assert others == [*said.names, *said.handles]


@pytest.mark.parametrize(
    ("name", "text", "relationship"),
    [
        ("Lena", "Lena, our orthodontist, is nice.", "orthodontist"),
        ("Ewald", "Our piano tuner Ewald came.", "piano tuner"),
        ("Max", "Max (an old joker) is my squash partner.", "squash partner"),
        ("Krause", "My landlord in Berlin is Krause.", "landlord in berlin"),
        ("Lena", "Lena fixed our bicycle.", None),
        ("Lena", "Bob's orthodontist is Lena.", None),
    ],
)
def test_any_noun_is_a_role(name: str, text: str, relationship: str | None) -> None:
    """What stands after "my" or "our" as a noun says what somebody is."""
    roles = identity_of(Reference(name=name), text).roles
    assert [relationship] == ([role.relationship for role in roles if role.of is None] or [None])


@pytest.mark.parametrize(
    ("reference", "relationship"),
    [
        ("our orthodontist", "orthodontist"),
        ("the beekeeper next door", "beekeeper next door"),
        ("my rowing partner", "rowing partner"),
        ("my landlord in Berlin", "landlord in berlin"),
        ("the neighbour upstairs", "neighbour upstairs"),
    ],
)
def test_any_role_noun_names_somebody(reference: str, relationship: str) -> None:
    """No table of roles decides."""
    assert Reference(relationship=relationship) == parse_reference(reference)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Sara", "Sarah", "spelling"),
        ("Jon Smith", "John Smith", "spelling"),
        ("Müller", "Mueller", "spelling"),
        ("Steven", "Stephen", "spelling"),
        ("Bob", "Robert", "short form"),
        ("Lizzie", "Elizabeth", "short form"),
        ("Mike", "Michael", "short form"),
        ("Tom", "Tim", None),
        ("Martin", "Martina", None),
        ("Mia", "Maria", None),
        ("Sara Lind", "Sarah Berg", None),
        ("Eva Rob", "Eva Robert", None),
    ],
)
def test_variants_of_a_name(one: str, other: str, kind: str | None) -> None:
    """By sound and by form; surnames have spellings only."""
    assert (kind, kind) == (variant(one, other), variant(other, one))


def test_a_title_with_a_surname_is_the_same_title_with_the_whole_name() -> None:
    """Dr. Lang is Dr. Mia Lang, and neither Mrs. Mia Lang nor Dr. Lang Mayer's namesake."""
    assert MatchKind.SHORTER is matches("Dr. Lang", "Doctor Mia Lang")
    assert matches("Dr. Lang", "Mrs. Mia Lang") is None
    assert matches("Dr. Lang", "Mia Lang") is None


def test_a_first_name_is_read_with_its_surname() -> None:
    """Unless the sentence has the first name by itself as well."""
    tom = Reference(name="Tom")
    assert "Tom Baker" == identity_of(tom, "Tom Baker is my plumber.").whole_name
    assert identity_of(tom, "Tom met Tom Baker.").whole_name is None
