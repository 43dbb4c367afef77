"""The records of the graph in an export: entities, their other names, and relations."""

from ashd.memory.model import Sensitivity, Short
from ashd.ops.transfer.record_types import AccountRef, At, ChatRef, ChatType, Id, Record, Share
from ashd.store.graph import EntityType


class Entity(Record, frozen=True, tag="entity"):
    """An entity of the graph."""

    id: Id
    type: EntityType
    name: Short
    owner: AccountRef | None
    chat: ChatRef | None
    learned_in: ChatRef
    learned_type: ChatType
    stated_by: AccountRef | None
    said_at: At
    sensitivity: Sensitivity | None
    portable: bool
    created_at: At
    removed_at: At | None
    person: Id | None
    project: Short | None = None


class EntityAlias(Record, frozen=True, tag="entity_alias"):
    """Another name of an entity."""

    entity: Id
    value: Short
    owner: AccountRef | None
    learned_in: ChatRef
    learned_type: ChatType
    stated_by: AccountRef | None
    said_at: At
    sensitivity: Sensitivity | None
    portable: bool
    project: Short | None = None


class Relation(Record, frozen=True, tag="relation"):
    """A relation between two entities."""

    id: Id
    source: Id
    source_name: Short
    relation: Short
    target: Id
    target_name: Short
    confidence: Share
    valid_from: At | None
    valid_until: At | None
    owner: AccountRef | None
    chat: ChatRef | None
    learned_in: ChatRef
    learned_type: ChatType
    stated_by: AccountRef | None
    said_at: At
    sensitivity: Sensitivity | None
    portable: bool
    created_at: At
    asserted_at: At
    removed_at: At | None
    project: Short | None = None
