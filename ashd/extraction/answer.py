"""The language model's answer to `extract_facts`, in the form that is asked for.

All that an answer may leave out has a default; `answer_reading` reads what models write.
"""

from typing import Final

import msgspec

from ashd.memory.model import GivenType, Sensitivity
from ashd.store.graph import EntityType

UNSAID_CONFIDENCE: Final = 0.7


class Fact(msgspec.Struct, frozen=True):
    """A fact, with its evidence: `quote` is from turn number `turn`, which `speaker` said."""

    content: str
    subjects: list[str] = []
    type: GivenType = "knowledge"
    speaker: str = ""
    turn: int | None = None
    quote: str = ""
    confidence: float = UNSAID_CONFIDENCE
    shared: bool = False
    everywhere: bool | None = None
    """Whether it holds of the person in every project; asked for where there is a project."""
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
    confidence: float = UNSAID_CONFIDENCE
    valid_from: str | None = None
    valid_until: str | None = None


class ProfileStatement(msgspec.Struct, frozen=True):
    """Something lasting about the user, for the profile, with its evidence like a fact."""

    statement: str
    turn: int | None = None
    quote: str = ""
    confidence: float = UNSAID_CONFIDENCE


class Answer(msgspec.Struct, frozen=True):
    """The facts, entities, relations and profile statements found in a conversation."""

    facts: list[Fact]
    entities: list[Entity] = []
    relations: list[Relation] = []
    profile: list[ProfileStatement] = []
