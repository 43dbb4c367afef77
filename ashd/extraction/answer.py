"""The language model's answer to `extract_facts`, as on the wire (interface, section 7).

A field without a default is required: an answer without it is malformed, not an empty one.
"""

import msgspec

from ashd.memory.model import GivenType, Sensitivity
from ashd.store.graph import EntityType


class Fact(msgspec.Struct, frozen=True):
    """A fact, with its evidence: `quote` is from turn number `turn`, which `speaker` said."""

    content: str
    subjects: list[str]
    type: GivenType
    speaker: str
    turn: int
    quote: str
    confidence: float
    shared: bool = False
    sensitivity: Sensitivity | None = None
    portable: bool = True
    tags: list[str] = []
    expires_in_days: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None


class Entity(msgspec.Struct, frozen=True):
    """A thing or a person that was spoken of."""

    name: str
    type: EntityType


class Relation(msgspec.Struct, frozen=True):
    """A relation between two entities."""

    subject: str
    relation: str
    object: str
    confidence: float
    valid_from: str | None = None
    valid_until: str | None = None


class ProfileStatement(msgspec.Struct, frozen=True):
    """Something lasting about the user, for the profile."""

    statement: str
    confidence: float


class Answer(msgspec.Struct, frozen=True):
    """The facts, entities, relations and profile statements found in a conversation."""

    facts: list[Fact]
    entities: list[Entity] = []
    relations: list[Relation] = []
    profile: list[ProfileStatement] = []
