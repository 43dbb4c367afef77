"""Facts of a `memory.add` call: read, checked and cleaned, before any transaction."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec

from ashd import errors, limits, validation_messages
from ashd.access import metadata
from ashd.access.quota import Cost
from ashd.access.sensitivity import Read
from ashd.access.text_cleaning import one_line
from ashd.clock import DAY
from ashd.ids import IdempotencyKey
from ashd.language.fingerprint import content_key
from ashd.language.people import vocabulary
from ashd.language.people.first_person import first_person, speaks_for_several
from ashd.language.people.references import parse_reference
from ashd.language.people.subjects import Subject, subjects_of
from ashd.memory import expiry, model, sensitivity_label, validation
from ashd.memory.model import Fact, FactFields
from ashd.people import hint_reading
from ashd.search import indexing
from ashd.search.indexing import Piece, TextVectors
from ashd.wire_schemas import described_by
from ashd.wire_times import micros, require_order


class AddParams(FactFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of `content` and `facts`; all other fields are defaults for every fact."""

    content: model.Content | None = None
    facts: (
        Annotated[
            list[Annotated[dict[str, Any], described_by("Fact")]],
            msgspec.Meta(max_length=limits.FACTS_PER_CALL),
        ]
        | None
    ) = None
    """Objects with the fields of `Fact`; invalid entries are rejected one by one, the rest are
    stored.
    """
    idempotency_key: IdempotencyKey | None = None

    def cost(self) -> Cost:
        """Each fact is a write; fields at the top of the call are stored with each of them."""
        facts: list[Any] = [*(self.facts or ()), *([self.content] if self.content else ())]
        defaults = msgspec.json.encode([self.tags, self.metadata])
        return Cost(len(facts), len(msgspec.json.encode(facts)) + len(facts) * len(defaults))


_OF_THE_PERSON = frozenset({"identity", "relationship", "preference"})
"""Types of facts that hold in every project, unless their caller says otherwise."""


_OF_THINGS: Final = frozenset({"child", "parent", "sibling", "partner"})
"""Relationships that programs and companies have, too, so that only a name tells a person."""
_OWN: Final = "my "
"""The prefix of a subject that the speaker calls their own."""


class Prepared(msgspec.Struct, frozen=True):
    """A fact, checked and cleaned, without its people."""

    content: str
    content_key: str
    first_person: bool
    pieces: tuple[Piece, ...]
    subjects: tuple[str, ...]
    read_subjects: tuple[Subject, ...]
    """The people whom the words of the fact name, if its caller named nobody."""
    memory_type: str
    shared: bool
    everywhere: bool | None
    """Whether the fact belongs to the person, whatever project it was said in.

    None if only a memory that the fact supersedes can tell.
    """
    expires_in: int | None
    expires_at: int | None
    sensitivity: str | None
    labelled: bool
    """Whether the caller gave the label."""
    read: tuple[Read, ...]
    """The classifier's scores for its label; empty if the caller gave one."""
    portable: bool
    observed_at: int | None
    valid_from: int | None
    valid_until: int | None
    tags: str
    metadata: str | None
    supersedes: str | None
    confidence: float | None = None
    """The language model's confidence that the fact was said; None if a caller stated the fact."""

    @property
    def is_statement(self) -> bool:
        """Return whether the text is short enough for one statement, which can replace another."""
        return len(self.content) <= limits.STATEMENT_CHARS

    @property
    def lasts(self) -> bool:
        """Return whether the fact has neither an expiry nor a type that fades."""
        expires = self.expires_at is not None or self.expires_in is not None
        return not expires and self.memory_type not in expiry.FADES_AFTER

    def expires_by(self, now: int) -> int | None:
        """Return the time when the fact expires; None if its caller named none.

        Raises:
            errors.InvalidParams: the time has passed.
        """
        expires_at = self.expires_at if self.expires_in is None else now + self.expires_in
        if expires_at is not None and expires_at <= now:
            raise errors.InvalidParams("expires_at is in the past.", "Give a time to come.")
        return expires_at


_EXPIRIES = {"expires_at", "expires_in_days"}


def facts_of(params: AddParams) -> list[Fact | errors.AshError]:
    """Return a call's facts, each with the call's defaults, and an error for each invalid one.

    Raises:
        errors.InvalidParams: both or neither of `content` and `facts`.
    """
    if (params.content is None) == (params.facts is None):
        raise errors.InvalidParams(
            "Give exactly one of content and facts.", "content is one fact, facts are several."
        )
    defaults = {name: getattr(params, name) for name in FactFields.__struct_fields__}
    if params.content is not None:
        return [Fact(content=params.content, **defaults)]
    if not params.facts:
        raise errors.InvalidParams("facts is empty.", "Give at least one fact.")
    return [_fact(raw, defaults) for raw in params.facts]


def _fact(raw: dict[str, Any], defaults: dict[str, Any]) -> Fact | errors.AshError:
    try:
        return _with_defaults(msgspec.convert(raw, Fact), defaults)
    except (msgspec.ValidationError, RecursionError) as error:
        return validation_messages.of(error, Fact)


def _with_defaults(fact: Fact, defaults: dict[str, Any]) -> Fact:
    left_out = {name for name in defaults if getattr(fact, name) is None}
    if _EXPIRIES - left_out:
        left_out -= _EXPIRIES  # The fact has its own expiry, in one of the two forms.
    return msgspec.structs.replace(fact, **{name: defaults[name] for name in left_out})


def prepare(fact: Fact) -> Prepared:
    """Check and clean a fact.

    Raises:
        errors.InvalidParams: a value that does not fit.
        errors.ContentRefused: a secret anywhere in it.
    """
    content = validation.content(fact.content)
    if fact.expires_at is not None and fact.expires_in_days is not None:
        raise errors.InvalidParams(
            "Give one of expires_at and expires_in_days.", "Leave the other out."
        )
    subjects = tuple(one_line(subject) for subject in fact.subjects or ())
    memory_type = model.stored_type(fact.type or "knowledge")
    if not all(subjects):
        raise errors.InvalidParams("A subject is empty.", "Name whom the fact is about.")
    valid_from = micros(fact.valid_from, "valid_from")
    valid_until = micros(fact.valid_until, "valid_until", end_of_day=True)
    require_order(valid_from, valid_until)
    pieces = indexing.read(content)
    if subjects:
        hint_reading.read_ahead(content)
    return Prepared(
        content=content,
        content_key=content_key(content),
        first_person=first_person(content[: limits.STATEMENT_CHARS]),
        pieces=pieces,
        subjects=subjects,
        read_subjects=() if subjects else read_subjects(content),
        memory_type=memory_type,
        shared=bool(fact.shared),
        everywhere=(
            (
                memory_type in _OF_THE_PERSON
                or is_of_the_person(content)
                or _is_of_private_life(content, subjects)
                or None
            )
            if fact.everywhere is None
            else fact.everywhere
        ),
        expires_in=int(fact.expires_in_days * DAY) if fact.expires_in_days else None,
        expires_at=micros(fact.expires_at, "expires_at", end_of_day=True),
        sensitivity=fact.sensitivity,
        labelled=fact.sensitivity is not None,
        portable=True if fact.portable is None else fact.portable,
        observed_at=micros(fact.observed_at, "observed_at"),
        valid_from=valid_from,
        valid_until=valid_until,
        tags=validation.tags(fact.tags or ()),
        metadata=metadata.encode(fact.metadata),
        supersedes=fact.supersedes,
        read=_read(fact, pieces, subjects),  # last, once nothing else refuses the fact
    )


def is_of_the_person(content: str) -> bool:
    """Return whether a text is about its speaker: not "we", which may mean a project's people."""
    return first_person(content[: limits.STATEMENT_CHARS]) and not speaks_for_several(content)


def _is_of_private_life(content: str, subjects: Sequence[str]) -> bool:
    """Return whether a fact is about the speaker's family, partner or friends: "my sister Ana"."""
    if speaks_for_several(content):
        return False  # "our child theme", "our partner is Initech"
    said = (one.words for one in read_subjects(content) if one.words.startswith(_OWN))
    given, read = (map(parse_reference, words) for words in (subjects, said))
    # "My child process exits", "my partner company"
    people = [*given, *(one for one in read if one.name or one.relationship not in _OF_THINGS)]
    return any(
        one.of is None and one.relationship and vocabulary.is_private(one.relationship)
        for one in people
    )


def read_subjects(content: str) -> tuple[Subject, ...]:
    """Return the people whom the words of a single statement name."""
    return subjects_of(content) if len(content) <= limits.STATEMENT_CHARS else ()


def _read(fact: Fact, pieces: Sequence[Piece], subjects: Sequence[str]) -> tuple[Read, ...]:
    if fact.sensitivity is not None:
        return ()
    return sensitivity_label.read(pieces, subjects=subjects, tags=fact.tags, metadata=fact.metadata)


def labelled(fact: Prepared | errors.AshError, vectors: TextVectors) -> Prepared | errors.AshError:
    """Return a fact with a label; if it has none, its texts and their `vectors` decide."""
    if isinstance(fact, errors.AshError) or not fact.read:
        return fact
    label = sensitivity_label.label(fact.read, fact.pieces, vectors)
    return msgspec.structs.replace(fact, sensitivity=label)


def prepared(fact: Fact | errors.AshError) -> Prepared | errors.AshError:
    """Prepare a fact; return an error in its place if it cannot be stored."""
    try:
        return prepare(fact) if isinstance(fact, Fact) else fact
    except errors.AshError as error:
        return error
