"""Properties of every text: no error, and consistent answers."""

from hypothesis import given
from hypothesis import strategies as st

from ashd.language.people import vocabulary
from ashd.language.people.first_person import first_person
from ashd.language.people.identity import identity_of
from ashd.language.people.name_index import NameIndex
from ashd.language.people.phrases import related_in
from ashd.language.people.references import (
    MatchKind,
    Reference,
    display_name,
    in_words,
    matches,
    parse_reference,
)
from ashd.language.words import normalise

identity_of(Reference(name="Anna"), "Anna is my wife.")  # compiles the patterns, once

_PIECES = [
    *["my ", "the ", "wife", "boss", "Sarah", "Alice", "'s", "\u2019s", "' ", "@", ", ", " (", ")"],
    *[" of ", " is ", " ", "-", ".", "s'", "ex-", "older ", "name", "called ", "I ", "me ", "and "],
    *["\u5c0f", "\u0301", "\u200b", "\u0130", "\u00df", "user's ", "mine", "?", "from "],
]
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
)
RELATIONSHIPS = st.sampled_from(sorted(set(vocabulary._TABLE.values())))
REFERENCES = st.recursive(
    st.one_of(
        st.builds(Reference, name=st.sampled_from(["Alice", "Sarah Jane", "Dr. House"])),
        st.builds(Reference, relationship=RELATIONSHIPS),
    ),
    lambda owner: st.builds(Reference, relationship=RELATIONSHIPS, of=owner),
    max_leaves=3,
)


@given(TEXTS)
def test_normalise_is_idempotent(text: str) -> None:
    """A key is its own key, however often a name goes through."""
    key = normalise(text)
    assert normalise(key) == key


@given(TEXTS, TEXTS)
def test_every_function_is_total(text: str, other: str) -> None:
    """No text is an error, and what is found is never an empty name."""
    reference = parse_reference(text)
    assert reference.name != ""
    assert display_name(reference)
    said = identity_of(reference, other)
    for told in (said.stated_name, said.passing_name):
        assert told is None or told.strip()
    first_person(text)
    assert all(found.relationship for found in related_in(text))
    assert set(NameIndex([text, other]).mentioned(text + " " + other)) <= {0, 1}


@given(TEXTS, TEXTS)
def test_matching_is_symmetric(text: str, other: str) -> None:
    """If one name is a shorter form of another, that one is a longer form of it."""
    mirror = {MatchKind.SHORTER: MatchKind.LONGER, MatchKind.LONGER: MatchKind.SHORTER}
    kind = matches(text, other)
    assert matches(other, text) == (mirror.get(kind, kind) if kind else None)


@given(REFERENCES)
def test_a_shown_reference_reads_back(reference: Reference) -> None:
    """A displayed reference means the same person when read again."""
    assert parse_reference(display_name(reference)) == reference


@given(RELATIONSHIPS, st.sampled_from(["Sarah", "Sarah Jane", "Dr. House"]))
def test_a_named_relation_is_read_the_same_everywhere(relationship: str, name: str) -> None:
    """A reference, a hint and a statement tell one name of one relationship."""
    assert parse_reference(f"my {relationship} {name}") == Reference(
        name=name, relationship=relationship
    )
    if relationship not in vocabulary.GROUPS:
        told = Reference(relationship=relationship)
        assert identity_of(told, f"My {relationship} {name} loves tea").passing_name == name
        assert identity_of(told, f"{name} is my {relationship}").stated_name == name


@given(
    RELATIONSHIPS.filter(lambda word: word not in vocabulary.GROUPS),
    st.sampled_from(["branch", "team", "library", "night shift", "neighbours"]),
    st.sampled_from([None, "Lotte Brandt"]),
)
def test_a_role_at_a_place_reads_back(role: str, thing: str, name: str | None) -> None:
    """The manager of the branch is a manager, and the branch is nobody."""
    told = Reference(name=name, relationship=f"{role} of {thing}")
    words = in_words(told)
    assert words is not None
    assert parse_reference(words) == told
