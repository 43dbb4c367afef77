"""Who is meant: from a reference ("my wife", "Sarah", "Alice's boss") to one person.

The speaker's own people come first, then those of the chat (`circles`). Another user's contacts are
never looked at (B4). Where several fit, nothing is guessed and nothing is created (B6).

In a group the answer is the same whatever was said in private: only what may be known there finds
anybody. When a speaker then tells there of one of the own people, it is that person (so that what
both chats tell comes together) and is answered as somebody new, as which the group gets to know it.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from ashd import errors, limits
from ashd.access import disclosure, sensitivity
from ashd.access.secrets import require_no_secret
from ashd.access.text import one_line
from ashd.people import circles, model, names, roles
from ashd.people import relationship_words as vocabulary
from ashd.people.circles import Called, Circles, Speaker, speaker_of
from ashd.people.model import Known
from ashd.people.names import Reference
from ashd.people.sentences import name_from_hint, stated_name, told_relationship
from ashd.people.words import normalise
from ashd.store import chats, people
from ashd.store.database import Tx

__all__ = ["Resolved", "Speaker", "resolve", "speaker_of"]

Way = Literal["self", "handle", "relationship", "id", "name", "created"]

_PERSON_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHILDREN: Final = frozenset({"child", "son", "daughter"})
_PARENTS: Final = frozenset({"parent", "mother", "father"})
_SIBLINGS: Final = frozenset({"sibling", "sister", "brother", "twin"})
_MEMBERS: Final = {
    "parents": _PARENTS,
    "children": _CHILDREN,
    "siblings": _SIBLINGS,
    "sons": frozenset({"son"}),
    "daughters": frozenset({"daughter"}),
    "sisters": frozenset({"sister"}),
    "brothers": frozenset({"brother"}),
    "grandparents": frozenset({"grandmother", "grandfather"}),
    "in-laws": frozenset(
        {"mother-in-law", "father-in-law", "sister-in-law", "brother-in-law"},
    ),
    "friends": frozenset({"friend", "best friend"}),
    "roommates": frozenset({"roommate"}),
    "neighbours": frozenset({"neighbour"}),
    "colleagues": frozenset({"colleague", "teammate"}),
    "family": _CHILDREN | _PARENTS | _SIBLINGS | {"wife", "husband", "spouse", "partner"},
    "team": frozenset({"teammate", "team lead"}),
}
"""Who belongs to a word for several people."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The person that was meant, whether this made it known here, and by what it was found."""

    person: int
    created: bool
    matched_by: Way
    tells: bool = False
    """Whether the reference tells something of the person that was not known."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A reference, with what its sentence adds."""

    reference: Reference
    name: str | None
    names_it: bool
    """Whether the name may be told of one whose name was not known."""
    by_name: bool
    """Whether only the sentence tells the relationship: whoever is called so may be meant."""
    to_person: int | None
    """Whose relationship it is."""
    held: str | None
    hint: str | None


def resolve(
    tx: Tx, speaker: Speaker, text: str, *, hint: str | None = None, create: bool = True
) -> Resolved | None:
    """The person that `text` means, created if need be; None when nobody fits and none is created.

    `hint` is the sentence that the reference stands in; names are taken from it.

    Raises:
        errors.Ambiguous: several people fit; they are in `data["candidates"]`.
        errors.InvalidParams: the reference names nobody, or several at once.
        errors.ContentRefused: the reference holds a secret.
    """
    tx.check_time()
    cleaned = one_line(text)
    require_no_secret(cleaned, "subject")
    if (known := _by_id(tx, speaker, cleaned)) is not None:
        return Resolved(known, created=False, matched_by="id")
    return _resolve(tx, speaker, names.parse_reference(cleaned), hint, create=create)


def _by_id(tx: Tx, speaker: Speaker, text: str) -> int | None:
    """The person with this whole id, if the speaker may know of that person here."""
    if not _PERSON_ID.fullmatch(text.lower()):
        return None
    listed = model.listed(tx, speaker.viewer)
    for _, number in people.by_prefix(tx, text.lower()):
        person = people.final(tx, number)
        if speaker.viewer.everything or person in listed:
            return person
    return None


def _resolve(
    tx: Tx, speaker: Speaker, reference: Reference, hint: str | None, *, create: bool
) -> Resolved | None:
    if reference.is_self:
        if speaker.person is None:
            raise errors.InvalidParams(
                "Nobody speaks here whom this could mean.", "Name the person, or set grant.turn."
            )
        return Resolved(speaker.person, created=False, matched_by="self")
    _require_somebody(speaker, reference)
    to_person, tells = speaker.person, False
    if reference.of is not None:
        other = _resolve(tx, speaker, reference.of, None, create=create)
        if other is None:
            return None
        to_person, tells = other.person, other.tells
    around = circles.around(tx, speaker)
    if reference.relationship in vocabulary.GROUPS and reference.name is None:
        _refuse_several(speaker, reference.relationship, to_person, around)
    told = _told(reference, hint)
    wanted = _wanted(speaker, told or reference, to_person, hint, by_name=told is not None)
    found = _find(tx, speaker, wanted, around, telling=create)
    if create and found is None:
        return _create(tx, speaker, wanted)
    if found is None:
        return None
    if create:
        people.touch(tx, found.person)
    learned = _learn(tx, speaker, wanted, found.person, keep=create)
    return replace(found, tells=tells or learned)


def _require_somebody(speaker: Speaker, reference: Reference) -> None:
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


def _refuse_several(speaker: Speaker, word: str, to_person: int | None, around: Circles) -> None:
    """Say that a word for several people is no person, and which of them are known."""
    message, remedy = f"{word.capitalize()} are several people.", "Name each of them."
    members = _MEMBERS[word]
    known = (
        circles.related_by(around.own, members, to_person, speaker.accounts)
        if to_person is not None
        else []
    )
    if known:
        raise errors.Ambiguous(message, remedy, candidates=circles.candidates(speaker, known))
    raise errors.InvalidParams(message, remedy)


def _told(reference: Reference, hint: str | None) -> Reference | None:
    """The reference of a mere name with what the sentence says that this person is."""
    if hint is None or reference.name is None or reference.relationship or reference.handle:
        return None
    told = told_relationship(reference.name, hint)
    return replace(told, name=reference.name) if told else None


def _wanted(
    speaker: Speaker,
    reference: Reference,
    to_person: int | None,
    hint: str | None,
    *,
    by_name: bool,
) -> _Wanted:
    stated = stated_name(reference, hint) if hint else None
    in_passing = name_from_hint(reference, hint) if hint else None
    unowned = reference.of is not None and reference.of.is_empty
    for name in {stated, in_passing} - {None}:
        require_no_secret(name, "name")
    return _Wanted(
        reference=reference,
        name=reference.name or stated or in_passing,
        names_it=stated is not None or reference.relationship in roles.ONE_OF_A_KIND,
        by_name=by_name,
        # "his friend Bob" is some Bob.
        to_person=None if unowned else to_person,
        # A therapist is personal, whatever else is said.
        held=disclosure.stricter(
            speaker.held,
            sensitivity.classify(reference.relationship or ""),
            sensitivity.classify(reference.name or ""),
        ),
        hint=hint,
    )


# Finding ---------------------------------------------------------------------------------------


def _find(
    tx: Tx, speaker: Speaker, wanted: _Wanted, around: Circles, *, telling: bool
) -> Resolved | None:
    handle = wanted.reference.handle
    if handle and (fits := circles.with_handle(speaker, around, handle)):
        return _one(speaker, fits, "handle")
    fits, way = _among_own(speaker, wanted, around.own)
    if fits:
        return _one(speaker, fits, way)
    if telling and speaker.viewer.group:
        elsewhere, _ = _among_own(speaker, wanted, circles.own_elsewhere(tx, speaker))
        # To ask which of several would tell the group that there are several.
        if len(elsewhere) == 1:
            return Resolved(elsewhere[0].person.id, created=True, matched_by="created")
    fits, way = _among_near(tx, speaker, wanted, around.near)
    return _one(speaker, fits, way) if fits else None


def _among_own(speaker: Speaker, wanted: _Wanted, own: list[Known]) -> tuple[list[Known], Way]:
    """The speaker's own people that fit, by the speaker's own words."""

    def called(known: Known) -> list[str]:
        return circles.own_names(speaker, known)

    word, name = wanted.reference.relationship, wanted.name
    if word and wanted.to_person is not None:
        told = (wanted.to_person, speaker.accounts)
        related = circles.related_by(own, frozenset({word}), *told)
        role = roles.role_of(word)
        if name:
            # "my wife Anna" is not the wife that is called Sarah; and "my friend Bob" need not be
            # the friend whose name was never told.
            holders = circles.related_by(own, frozenset({word, role or word}), *told)
            related = circles.best_called(holders, name, called) or [
                known for known in related if wanted.names_it and not called(known)
            ]
        elif role:
            related = related or roles.successors(own, role, *told)
            related = roles.newest(related, role, *told)
        if related:
            return related, "relationship"
    return _by_name(wanted, own, called), "name"


def _among_near(
    tx: Tx, speaker: Speaker, wanted: _Wanted, near: list[Known]
) -> tuple[list[Known], Way]:
    """Those of the chat that fit: by what others say there of their own people, or by name."""
    reference, name = wanted.reference, wanted.name

    def called(known: Known) -> list[str]:
        return circles.names_here(speaker, known)

    if reference.relationship and reference.of is not None and wanted.to_person is not None:
        theirs = [account.id for account in chats.accounts_of(tx, wanted.to_person)]
        word = frozenset({reference.relationship})
        related = circles.related_by(near, word, wanted.to_person, theirs)
        if name:
            related = circles.best_called(related, name, called)
        if related:
            return related, "relationship"
    return _by_name(wanted, near, called), "name"


def _by_name(wanted: _Wanted, circle: list[Known], called: Called) -> list[Known]:
    """Those whom the name fits, and whom the relationship may be told of.

    A first name does not make the coworker Sarah the wife who is called so; a full name may.
    """
    name = wanted.name
    if name is None:
        return []
    is_related = wanted.reference.relationship is not None and not wanted.by_name
    if is_related and len(normalise(name).split()) == 1:
        circle = [known for known in circle if not circles.is_related(known)]
    fits = circles.best_called(circle, name, called)
    if is_related:
        return [
            known
            for known in fits
            if not circles.is_related(known)
            or any(names.matches(name, v) is names.MatchKind.EXACT for v in called(known))
        ]
    return fits


def _one(speaker: Speaker, fits: list[Known], way: Way) -> Resolved:
    if len(fits) == 1:
        return Resolved(fits[0].person.id, created=False, matched_by=way)
    raise errors.Ambiguous(
        f"{len(fits)} people fit this name.",
        "Give the id, or say which one: by full name, by relationship, or by handle.",
        candidates=circles.candidates(speaker, fits),
    )


# Telling ---------------------------------------------------------------------------------------


def _learn(tx: Tx, speaker: Speaker, wanted: _Wanted, number: int, *, keep: bool) -> bool:
    """Whether the reference tells something new of a person who was found; `keep` keeps it."""
    known = model.load(tx, speaker.viewer, {number})[number]
    own_word = known.person.created_by in speaker.accounts and speaker.account is not None
    name = wanted.name if wanted.name and not _is_own_word(speaker, known, wanted.name) else None
    renames = bool(wanted.name) and own_word and not known.person.named
    word, to_person = wanted.reference.relationship, wanted.to_person
    relates = (
        word is not None
        and to_person is not None
        and number != to_person
        # That the wife is called so does not make her the boss of the same name.
        and not (wanted.by_name and circles.is_related(known))
        and not circles.related_by([known], frozenset({word}), to_person, speaker.accounts)
    )
    if keep and wanted.name and renames:
        people.rename(tx, number, wanted.name, learned_in=speaker.chat, sensitivity=wanted.held)
    elif keep and name:
        people.add_alias(
            *(tx, number, name, normalise(name)),
            added_by=speaker.account,
            learned_in=speaker.chat,
            sensitivity=wanted.held,
        )
    if keep and relates and word and to_person is not None:
        told = (number, word, to_person)
        roles.claim(tx, speaker, *told, held=wanted.held, hint=wanted.hint)
    return renames or name is not None or relates


def _is_own_word(speaker: Speaker, known: Known, name: str) -> bool:
    """Whether the speaker called the person so before, where it may be known here."""
    key = normalise(name)
    return key in {normalise(value) for value in circles.own_names(speaker, known)}


def _create(tx: Tx, speaker: Speaker, wanted: _Wanted) -> Resolved:
    reference = wanted.reference
    handle = reference.handle
    # Each person makes every later reference here slower, and the writer lane is everybody's.
    if speaker.chat is not None and people.told_in(tx, speaker.chat) >= limits.PEOPLE_PER_CHAT:
        raise errors.QuotaExceeded(
            f"{limits.PEOPLE_PER_CHAT} people were told of in this chat already.",
            "Name somebody who is known, or leave the subject out.",
        )
    number = people.insert(
        tx,
        name=wanted.name or handle or reference.relationship or "someone",
        named=bool(wanted.name or handle),
        created_by=speaker.account,
        learned_in=speaker.chat,
        sensitivity=wanted.held,
    )
    if handle:
        people.add_alias(
            *(tx, number, handle, normalise(handle)),
            added_by=speaker.account,
            learned_in=speaker.chat,
            sensitivity=wanted.held,
        )
    if reference.relationship and wanted.to_person is not None:
        told = (number, reference.relationship, wanted.to_person)
        roles.claim(tx, speaker, *told, held=wanted.held, hint=wanted.hint)
    return Resolved(number, created=True, matched_by="created")
