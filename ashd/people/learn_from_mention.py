"""Store what a reference and its sentence say of a person: names, handles, relationships."""

from ashd import errors, limits
from ashd.language.words import normalise
from ashd.people import exclusive_relationships, model, reference_candidates
from ashd.people.model import Known
from ashd.people.reference_candidates import Speaker
from ashd.people.reference_matching import Wanted
from ashd.store import people
from ashd.store.database import Tx


def learn(tx: Tx, speaker: Speaker, wanted: Wanted, number: int, *, keep: bool) -> bool:
    """Return whether the reference says something new of a known person; `keep` stores it."""
    known = model.load(tx, speaker.viewer, {number})[number]
    own_word = known.person.created_by in speaker.accounts and speaker.account is not None
    called = wanted.name or next(iter(wanted.said.names), None)
    name = called if called and not _is_own_word(speaker, known, called) else None
    renames = bool(called) and own_word and not known.person.named
    also = [other for other in wanted.other_names if not _is_own_word(speaker, known, other)]
    if wanted.reference.handle and not _has_handle(speaker, known, wanted.reference.handle):
        also.append(wanted.reference.handle)
    words = _new_relationships(speaker, wanted, known)
    if keep and called and renames:
        people.rename(
            *(tx, number, called),
            by=known.person.created_by,
            learned_in=speaker.chat,
            said_at=speaker.said_at,
            sensitivity=wanted.sensitivity,
        )
    elif keep and name:
        _add_name(tx, speaker, wanted, number, name)
    if keep:
        exclusive_relationships.end(tx, speaker, number, wanted.said)
        for other in also:
            _add_name(tx, speaker, wanted, number, other)
        words = [claim for claim in words if _claim(tx, speaker, wanted, number, *claim)]
    return renames or name is not None or bool(also) or bool(words)


def _new_relationships(speaker: Speaker, wanted: Wanted, known: Known) -> list[tuple[str, int]]:
    """Return the relationships in the reference or its sentence that are not known yet."""
    return [
        (word, to_person)
        for word, to_person in _relationships(wanted)
        if known.person.id != to_person
        and not reference_candidates.related_by(
            [known], frozenset({word}), to_person, speaker.accounts
        )
    ]


def _relationships(wanted: Wanted) -> list[tuple[str, int]]:
    """Return (word, other person) for the relationships in the reference and its sentence."""
    words = []
    if wanted.reference.relationship and wanted.to_person is not None:
        words.append((wanted.reference.relationship, wanted.to_person))
    return list(dict.fromkeys([*words, *wanted.roles]))


def _claim(
    tx: Tx, speaker: Speaker, wanted: Wanted, number: int, word: str, to_person: int
) -> bool:
    """Store a relationship; return False if it would take a role away that the sentence may not."""
    stated = (wanted.reference.relationship, wanted.to_person)
    return exclusive_relationships.claim(
        *(tx, speaker, number, word, to_person),
        held=wanted.sensitivity,
        hint=wanted.hint,
        takes=wanted.takes_roles or (not wanted.is_mere and stated == (word, to_person)),
    )


def _is_own_word(speaker: Speaker, known: Known, name: str) -> bool:
    """Return whether the speaker used this word for the person before, if it may be known."""
    key = normalise(name)
    return key in {normalise(value) for value in reference_candidates.own_names(speaker, known)}


def _has_handle(speaker: Speaker, known: Known, handle: str) -> bool:
    key = normalise(handle)
    shown = {normalise(account.username or "") for account in known.accounts}
    return key in shown or _is_own_word(speaker, known, handle)


def _add_name(tx: Tx, speaker: Speaker, wanted: Wanted, number: int, name: str) -> None:
    people.add_alias(
        *(tx, number, name, normalise(name)),
        added_by=speaker.account,
        learned_in=speaker.chat,
        said_at=speaker.said_at,
        sensitivity=wanted.sensitivity,
    )


def create(tx: Tx, speaker: Speaker, wanted: Wanted) -> int:
    """Create a person from a reference; return the row number.

    Raises:
        errors.QuotaExceeded: too many people were made known in this chat.
    """
    reference, handle = wanted.reference, wanted.reference.handle
    name = wanted.name or next(iter(wanted.said.names), None)
    # Each person makes every later reference here slower, and the writer thread is everybody's.
    if speaker.chat is not None and people.stated_in(tx, speaker.chat) >= limits.PEOPLE_PER_CHAT:
        raise errors.QuotaExceeded(
            f"{limits.PEOPLE_PER_CHAT} people are known in this chat already.",
            "Name somebody who is known, or leave the subject out.",
        )
    number = people.insert(
        tx,
        name=name or handle or reference.relationship or "someone",
        # A person known by a role and a handle has no name yet.
        named=bool(name or (handle and not reference.relationship)),
        created_by=speaker.account,
        learned_in=speaker.chat,
        said_at=speaker.said_at,
        sensitivity=wanted.sensitivity,
    )
    for other in (handle, *wanted.other_names):
        if other:
            _add_name(tx, speaker, wanted, number, other)
    exclusive_relationships.end(tx, speaker, number, wanted.said)
    for word, to_person in _relationships(wanted):
        _claim(tx, speaker, wanted, number, word, to_person)
    # "My girlfriend Ana and I broke up" both states the relationship and ends it.
    exclusive_relationships.end(tx, speaker, number, wanted.said)
    return number
