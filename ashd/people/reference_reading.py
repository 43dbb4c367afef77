"""Reading of a reference before anybody is looked up; references that mean nobody are refused."""

from dataclasses import replace

from ashd import errors
from ashd.language.people import relationship_groups, roles, vocabulary
from ashd.language.people.references import Reference
from ashd.people import exclusive_relationships, reference_candidates
from ashd.people.reference_candidates import KnownPeople, Speaker
from ashd.people.reference_matching import Wanted


def read_without_speaker(speaker: Speaker, reference: Reference) -> Reference:
    """Return the reference without a speaker: "the beekeeper" is then a name, and nobody's."""
    word = reference.relationship
    if speaker.person is None and word and reference.of is None and vocabulary.is_open(word):
        return replace(reference, relationship=None, name=reference.name or word.title())
    return reference


def without_place(reference: Reference) -> Reference:
    """Return the reference without a place where none is needed: people have one wife."""
    word = reference.relationship or ""
    base = vocabulary.base_relationship(word)
    is_one = base in exclusive_relationships.ONE_OF_A_KIND and vocabulary.place_of(word)
    return replace(reference, relationship=base) if reference.name and is_one else reference


def require_somebody(speaker: Speaker, reference: Reference) -> None:
    """Require that the reference says whom it means, and whose relationship it is.

    Raises:
        errors.InvalidParams
    """
    if reference.is_empty:
        raise errors.InvalidParams("This names nobody.", 'Give a name, or a word as "my wife".')
    if reference.relationship is None or reference.name or reference.handle:
        return
    word = reference.relationship
    if reference.of is not None and reference.of.is_empty:
        raise errors.InvalidParams(
            f"It is not said whose {word} this is.", f'Say whose: "Bob\'s {word}", "my {word}".'
        )
    if reference.of is None and speaker.person is None:
        raise errors.InvalidParams(
            f"Nobody speaks here whose {word} this could be.",
            f'Say whose ("Bob\'s {word}"), or set grant.turn.',
        )


def require_name(wanted: Wanted) -> None:
    """Require that whoever is to be created has more than a word for a thing or a time as a name.

    Raises:
        errors.InvalidParams
    """
    reference = wanted.reference
    is_bare = not (reference.relationship or reference.handle or wanted.other_names)
    if is_bare and roles.is_mere_word(wanted.name or ""):
        raise errors.InvalidParams(
            "This is a word, not a name.", "Name a person, or leave this subject out."
        )


def refuse_several(speaker: Speaker, word: str, to_person: int | None, around: KnownPeople) -> None:
    """Refuse a word for several people, with those of them who are known.

    Raises:
        errors.Ambiguous, errors.InvalidParams
    """
    message = f'"{word}" means several people.'
    remedy = "Name each of them, or leave this subject out."
    members = relationship_groups.MEMBERS[word]
    known = (
        reference_candidates.related_by(around.own, members, to_person, speaker.accounts)
        if to_person is not None
        else []
    )
    if known:
        raise errors.Ambiguous(
            message, remedy, candidates=reference_candidates.candidates(speaker, known)
        )
    raise errors.InvalidParams(message, remedy)
