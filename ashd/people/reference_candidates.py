"""Candidates for a reference: the speaker's own people, then those of the chat.

The speaker's people match only by the speaker's own words. The chat's people match by what was
stated in it and by the names of their accounts: a name that somebody uses elsewhere makes nobody a
wife (B4). In a group, only what may be known there counts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ashd.language.people import name_similarity, references, vocabulary
from ashd.language.text_caches import cached_by_text
from ashd.language.words import normalise
from ashd.people import model
from ashd.people.model import Known
from ashd.store import people
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.people import Relationship
from ashd.store.visibility import Viewer

Called = Callable[[Known], list[str]]
"""A function that returns a person's names, by the speaker or in the chat."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The speaker of a reference, and the chat: the context for "my" and "the"."""

    account: int | None
    accounts: tuple[int, ...]
    person: int | None
    chat: int | None
    viewer: Viewer
    held: str | None
    """The statement's sensitivity, which everything it says about people gets too (C5)."""
    said_at: int
    """The statement's time, by which the presence of others is decided."""


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """People from near to far, each as the group, or the speaker in private, may know them."""

    own: list[Known]
    near: list[Known]


def speaker_of(
    tx: Tx,
    viewer: Viewer,
    account: Account | None,
    held: str | None = None,
    said_at: int | None = None,
) -> Speaker:
    """Return the speaker of a call: its account, or nobody in a group without a turn.

    `said_at` is when the statement was said, if not now.
    """
    accounts = viewer.accounts
    if not accounts and account is not None:
        accounts = (account.id,)
    return Speaker(
        account=account.id if account else None,
        accounts=accounts,
        person=account.person if account else None,
        chat=viewer.chat,
        viewer=viewer,
        held=held,
        said_at=tx.now if said_at is None else said_at,
    )


def around(tx: Tx, speaker: Speaker) -> KnownPeople:
    """Return the people around a speaker, as far as they may be known here."""
    return tx.until_written(speaker, lambda: _around(tx, speaker))


def _around(tx: Tx, speaker: Speaker) -> KnownPeople:
    viewer = speaker.viewer
    own = _own_numbers(tx, speaker)
    nearby = {speaker.person} if speaker.person is not None else set[int]()
    if not viewer.group:
        known = model.load(tx, viewer, own | nearby)
        return KnownPeople(*_parted(known, own, nearby))
    if not viewer.everything:
        nearby |= set(viewer.audience_persons)
    met_here = set(people.learned_in(tx, viewer.chat)) if viewer.chat is not None else set[int]()
    known = model.load(tx, viewer, own | nearby | met_here)
    stated_here = {number for number, one in known.items() if model.is_stated(one, viewer)}
    own &= stated_here
    if not viewer.everything:
        nearby |= stated_here
    return KnownPeople(*_parted(known, own, nearby - own))


def _parted(
    known: dict[int, Known], own: set[int], near: set[int]
) -> tuple[list[Known], list[Known]]:
    return (
        [one for number, one in known.items() if number in own],
        [one for number, one in known.items() if number in near],
    )


def own_elsewhere(tx: Tx, speaker: Speaker) -> list[Known]:
    """Return all the speaker's own people, as the speaker knows them in private."""
    alone = replace(speaker.viewer, group=False, chat=None, accounts=speaker.accounts)
    return list(model.load(tx, alone, _own_numbers(tx, speaker)).values())


def _own_numbers(tx: Tx, speaker: Speaker) -> set[int]:
    own = set(people.own_of(tx, speaker.accounts)) if speaker.accounts else set[int]()
    return own - {speaker.person}


def own_names(speaker: Speaker, known: Known) -> list[str]:
    """Return the speaker's own names for the person."""
    values = [a.value for a in known.aliases if a.added_by in speaker.accounts]
    if known.knows_name and known.person.named and known.person.created_by in speaker.accounts:
        values.append(known.person.name)
    return values


def placed_names(speaker: Speaker, known: Known) -> list[str]:
    """Return the speaker's own names, also with what sets the person apart: "Robin from work"."""
    names = own_names(speaker, known)
    return names + [f"{name} {place}" for place in places(speaker, known) for name in names]


def places(speaker: Speaker, known: Known) -> set[str]:
    """Return the places that set the person apart by the speaker's words: "from the choir"."""
    return {
        place
        for claim in known.relationships
        if claim.stated_by in speaker.accounts
        and (place := vocabulary.place_of(claim.relationship)) is not None
    }


def names_here(speaker: Speaker, known: Known) -> list[str]:
    """Return the person's names in this chat, from any speaker, and those of the accounts."""
    stated_here = {None, speaker.chat}
    values = [alias.value for alias in known.aliases if alias.learned_in in stated_here]
    if known.knows_name and known.person.named and known.person.learned_in in stated_here:
        values.append(known.person.name)
    for account in known.accounts:
        values += [account.display_name or "", account.username or "", account.user_id]
    return values


def is_related(known: Known) -> bool:
    """Return whether the person has a relationship to anybody, as far as may be known here."""
    return any(claim.ended_at is None for claim in known.relationships)


def best_kind(name: str, called: Iterable[str]) -> references.MatchKind | None:
    """Return the best kind of match between a name and somebody's names.

    Petra Vogel is not the Petra who is Petra Hahn.
    """
    wanted, values = name_ends(name), list(called)
    best = min(
        (
            kind
            for value in values
            if not wanted.isdisjoint(name_ends(value)) and (kind := references.matches(name, value))
        ),
        default=None,
    )
    if best is references.MatchKind.LONGER and name_similarity.is_whole(name):
        surname = name_similarity.name_words(name)[-1]
        whole = [name_similarity.name_words(value) for value in values]
        surnames = {words[-1] for words in whole if len(words) > 1}
        return best if surname in surnames or not surnames else None
    return best


@cached_by_text(16_384)
def name_ends(name: str) -> frozenset[str]:
    """Return keys for a name: its first words, its title and its last word.

    Names that match have a key in common.
    """
    words = normalise(name).replace("-", " ").split()
    return frozenset((*words[:2], *words[-1:]))


def best_called(among: Iterable[Known], name: str, called: Called) -> list[Known]:
    """Return the people whom the name fits best; a whole name fits better than a first name."""
    fits = [
        (kind, known) for known in among if (kind := best_kind(name, called(known))) is not None
    ]
    best = min((kind for kind, _ in fits), default=None)
    return [known for kind, known in fits if kind == best]


def with_handle(speaker: Speaker, known_people: KnownPeople, handle: str) -> list[Known]:
    """Return the owner of a handle: a participant, else a person so called ("@tomas" is Tomas)."""
    key = normalise(handle)
    here = [
        known
        for known in (*known_people.own, *known_people.near)
        if any(normalise(account.username or "") == key for account in known.accounts)
    ]
    return (
        here
        or [k for k in known_people.own if key in map(normalise, own_names(speaker, k))]
        or [k for k in known_people.near if key in map(normalise, names_here(speaker, k))]
    )


def related_by(
    among: Iterable[Known], words: frozenset[str], to_person: int, accounts: Iterable[int]
) -> list[Known]:
    """Return the people in one of these relationships to a person, by these accounts' claims."""
    staters = frozenset(accounts)
    return [
        known
        for known in among
        if any(
            claim.stated_by in staters and claim.to_person == to_person and says(claim, words)
            for claim in known.relationships
        )
    ]


def in_role(
    among: Iterable[Known], word: str, to_person: int, accounts: Iterable[int]
) -> list[Known]:
    """Return the people who hold or held the word's role for a person, by these accounts' claims.

    A girlfriend becomes a wife, a boss a former boss: the role is one.
    """
    staters, role = frozenset(accounts), vocabulary.one_role(word)
    return [
        known
        for known in among
        if any(
            claim.stated_by in staters
            and claim.to_person == to_person
            and vocabulary.one_role(claim.relationship) == role
            for claim in known.relationships
        )
    ]


def only_called(
    among: Iterable[Known], word: str, to_person: int, accounts: Iterable[int]
) -> list[Known]:
    """Return the people with exactly this relationship to a person, none more specific."""
    related = related_by(among, frozenset({word}), to_person, accounts)
    return [
        known
        for known in related
        if all(
            vocabulary.base_relationship(claim.relationship) != word
            for claim in known.relationships
        )
    ]


def says(claim: Relationship, words: frozenset[str]) -> bool:
    """Return whether an active claim says one of the words; "older sister" says "sister"."""
    word = claim.relationship
    said = {word, word.removeprefix("new "), vocabulary.base_relationship(word)}
    return claim.ended_at is None and not said.isdisjoint(words)


def candidates(speaker: Speaker, fits: Iterable[Known]) -> list[dict[str, Any]]:
    """Return the people who may be meant, for the error that asks which one."""
    return [
        {
            "id": known.known_as.uuid,
            "name": known.name,
            "relationships": sorted(
                {
                    claim.relationship
                    for claim in known.relationships
                    if claim.stated_by in speaker.accounts and claim.ended_at is None
                }
            ),
            "accounts": [account.username or account.user_id for account in known.accounts],
        }
        for known in fits
    ]
