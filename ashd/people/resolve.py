"""Who is meant: from a reference ("my wife", "Sarah", "Alice's boss") to one person.

The speaker's own people come first, then those of the chat: its participants and whoever was told
of in it. Another user's contacts are never looked at (B4). Where several fit, nothing is guessed
and nothing is created (B6).
"""

from dataclasses import dataclass

from ashd import errors
from ashd.access.secrets import require_no_secret
from ashd.access.text import one_line
from ashd.people import model, names
from ashd.people.model import Known
from ashd.people.names import Reference
from ashd.store import people
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.visibility import Viewer


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who refers to somebody, and where: whose words "my" and "the" are."""

    account: int | None
    accounts: tuple[int, ...]
    person: int | None
    chat: int | None
    viewer: Viewer


@dataclass(frozen=True, slots=True)
class Resolved:
    """The person that was meant. `matched_by`: self, handle, name, relationship, created."""

    person: int
    created: bool
    matched_by: str


def speaker_of(tx: Tx, viewer: Viewer, account: Account | None) -> Speaker:
    """The speaker of a call: its account, or nobody in a group without a turn."""
    accounts = viewer.accounts
    if not accounts and account is not None:
        accounts = (account.id,)
    return Speaker(
        account=account.id if account else None,
        accounts=accounts,
        person=people.final(tx, account.person) if account else None,
        chat=viewer.chat,
        viewer=viewer,
    )


def resolve(
    tx: Tx, speaker: Speaker, text: str, *, hint: str | None = None, create: bool = True
) -> Resolved | None:
    """The person that `text` means, created if need be; None when nobody fits and none is created.

    `hint` is the sentence that the reference stands in; names are taken from it.

    Raises:
        errors.Ambiguous: several people fit; they are in `data["candidates"]`.
        errors.InvalidParams: the reference names nobody.
        errors.ContentRefused: the reference holds a secret.
    """
    cleaned = one_line(text)
    require_no_secret(cleaned, "subject")
    reference = names.parse_reference(cleaned)
    return _resolve(tx, speaker, reference, hint, create=create)


def _resolve(
    tx: Tx, speaker: Speaker, reference: Reference, hint: str | None, *, create: bool
) -> Resolved | None:
    if reference.is_self:
        if speaker.person is None:
            raise errors.InvalidParams(
                "Nobody speaks here whom this could mean.", "Name the person, or set grant.turn."
            )
        return Resolved(speaker.person, created=False, matched_by="self")
    if not (reference.name or reference.relationship or reference.handle):
        raise errors.InvalidParams(
            "A person's name is empty.", 'Give a name or a word such as "my wife".'
        )
    to_person = speaker.person
    if reference.of is not None:
        other = _resolve(tx, speaker, reference.of, None, create=create)
        if other is None:
            return None
        to_person = other.person
    found = _find(tx, speaker, reference, to_person, hint)
    if found is not None:
        if create:
            _learn(tx, speaker, reference, found.person, to_person, hint)
        return found
    if not create:
        return None
    return _create(tx, speaker, reference, to_person, hint)


def _find(
    tx: Tx, speaker: Speaker, reference: Reference, to_person: int | None, hint: str | None
) -> Resolved | None:
    own = model.load(tx, set(people.own_of(tx, speaker.accounts)) if speaker.accounts else set())
    # What somebody says of himself in his own account is no contact of the speaker's.
    near = model.load(tx, _of_the_chat(tx, speaker) - own.keys())
    name = reference.name or (names.name_from_hint(reference, hint) if hint else None)
    if reference.handle:
        key = names.normalise(reference.handle)
        fits = [k for k in _both(own, near) if key in _handles(tx, speaker, k)]
        if fits:
            return _one(tx, speaker, fits, "handle")
    if reference.relationship and to_person is not None:
        related = [
            known
            for known in own.values()
            if any(
                claim.relationship == reference.relationship
                and claim.to_person == to_person
                and claim.stated_by in speaker.accounts
                and claim.ended_at is None
                for claim in known.relationships
            )
        ]
        if name:
            # "my wife Anna" is not the wife that is called Sarah.
            related = [k for k in related if not k.person.named or _called(k, name)]
        if related:
            return _one(tx, speaker, related, "relationship")
    if name and not (reference.name is None and reference.relationship is None):
        for circle in (own, near):
            fits = _best_named(list(circle.values()), name)
            if fits:
                return _one(tx, speaker, fits, "name")
    return None


def _of_the_chat(tx: Tx, speaker: Speaker) -> set[int]:
    viewer = speaker.viewer
    told = people.learned_in(tx, viewer.chat) if viewer.group and viewer.chat is not None else []
    self_person = {speaker.person} if speaker.person is not None else set()
    return {*viewer.audience_persons, *told, *self_person}


def _both(own: dict[int, Known], near: dict[int, Known]) -> list[Known]:
    return [*own.values(), *near.values()]


def _handles(tx: Tx, speaker: Speaker, known: Known) -> set[str]:
    shown = model.to_wire(tx, known, speaker.viewer, frozenset())
    return {
        *(names.normalise(account.username) for account in shown.accounts if account.username),
        *(alias.key for alias in known.aliases if alias.added_by in speaker.accounts),
    }


def _called(known: Known, name: str) -> names.MatchKind | None:
    """How well the name fits one of the person's names."""
    values = [alias.value for alias in known.aliases]
    if known.person.named:
        values.append(known.person.name)
    kinds = [kind for value in values if (kind := names.matches(name, value)) is not None]
    return min(kinds, default=None)


def _best_named(circle: list[Known], name: str) -> list[Known]:
    """Those whom the name fits best: a whole name before a first name."""
    fits = [(kind, known) for known in circle if (kind := _called(known, name)) is not None]
    best = min((kind for kind, _ in fits), default=None)
    return [known for kind, known in fits if kind == best]


def _one(tx: Tx, speaker: Speaker, fits: list[Known], matched_by: str) -> Resolved:
    if len(fits) == 1:
        return Resolved(fits[0].person.id, created=False, matched_by=matched_by)
    groups = model.groups_of(tx, {known.person.id: known for known in fits})
    raise errors.Ambiguous(
        f"{len(fits)} people fit this name.",
        "Say which one: by full name, by relationship, or by id.",
        candidates=[
            {
                "id": known.person.uuid,
                "name": model.name_for(known, speaker.viewer, groups),
                "relationships": sorted(
                    {
                        claim.relationship
                        for claim in known.relationships
                        if claim.stated_by in speaker.accounts
                    }
                ),
            }
            for known in fits
        ],
    )


def _learn(
    tx: Tx,
    speaker: Speaker,
    reference: Reference,
    number: int,
    to_person: int | None,
    hint: str | None,
) -> None:
    """Keep what the reference tells of a person who was found."""
    people.touch(tx, number)
    person = people.by_id(tx, number)
    name = reference.name or (names.name_from_hint(reference, hint) if hint else None)
    if name and not person.named:
        people.rename(tx, number, name, learned_in=speaker.chat)
    elif name and (speaker.viewer.group or names.normalise(name) != names.normalise(person.name)):
        # In a group the name counts as told there, even one known from elsewhere.
        people.add_alias(
            *(tx, number, name, names.normalise(name)),
            added_by=speaker.account,
            learned_in=speaker.chat,
        )
    if reference.relationship and to_person is not None and number != to_person:
        people.relate(
            *(tx, number, reference.relationship, to_person),
            stated_by=speaker.account,
            learned_in=speaker.chat,
        )


def _create(
    tx: Tx, speaker: Speaker, reference: Reference, to_person: int | None, hint: str | None
) -> Resolved:
    name = reference.name or (names.name_from_hint(reference, hint) if hint else None)
    handle = reference.handle
    number = people.insert(
        tx,
        name=name or handle or reference.relationship or "someone",
        named=bool(name or handle),
        created_by=speaker.account,
        learned_in=speaker.chat,
    )
    if handle:
        people.add_alias(
            *(tx, number, handle, names.normalise(handle)),
            added_by=speaker.account,
            learned_in=speaker.chat,
        )
    if reference.relationship and to_person is not None:
        people.relate(
            *(tx, number, reference.relationship, to_person),
            stated_by=speaker.account,
            learned_in=speaker.chat,
        )
    return Resolved(number, created=True, matched_by="created")
