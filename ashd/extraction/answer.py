"""What a language model answers to `extract_facts`: the shape of the wire (interface, section 7).

What has no default must be there: an answer without it is malformed, never one that found nothing.
"""

import msgspec

from ashd.memory.model import GivenType, Sensitivity
from ashd.store.graph import EntityType


class Fact(msgspec.Struct, frozen=True):
    """A fact, with its evidence: `quote` stands in turn number `turn`, which `speaker` said."""

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
    """What one entity is to another."""

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
    """What was found in a conversation."""

    facts: list[Fact]
    entities: list[Entity] = []
    relations: list[Relation] = []
    profile: list[ProfileStatement] = []
