"""The items of other systems' files, in our terms, each with its line in the file."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from ashd import errors


class BlockItem(NamedTuple):
    """A paragraph, list item or field of a passage, which can be stored without the others."""

    line: int
    before: str
    """The characters that part it from the block before."""
    text: str
    links: tuple[str, ...] = ()
    """The names of the notes to which it links."""


class FactItem(NamedTuple):
    """A fact; `identifier` is its id in the other system, by which it is recognised."""

    line: int
    identifier: str
    content: str
    at: str | None
    subjects: tuple[str, ...] = ()
    type: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    file: str = ""
    """The file in the imported folder; empty if a file was imported."""
    supersedes: str | None = None
    """The id of the memory that this fact replaces, from an earlier version of the file."""
    user: str = ""
    """The user whose fact it is, if the other system has several users."""
    blocks: tuple[BlockItem, ...] = ()
    """The blocks at the end of the content, if it has several."""


class SaidItem(NamedTuple):
    """A message of a conversation."""

    identifier: str
    role: str
    content: str
    at: str | None


class ConversationItem(NamedTuple):
    """A conversation, its messages in order."""

    line: int
    identifier: str
    messages: tuple[SaidItem, ...]
    title: str = ""


class EntityItem(NamedTuple):
    """An entity of a graph."""

    line: int
    name: str
    type: str


class RelationItem(NamedTuple):
    """A relation between two entities."""

    line: int
    source: str
    relation: str
    target: str
    valid_from: str | None = None
    valid_until: str | None = None


class OverrideItem(NamedTuple):
    """A fact that the user pinned."""

    line: int
    content: str


class BadItem(NamedTuple):
    """A part of the file that cannot be read."""

    line: int
    error: errors.AshError
    file: str = ""


class LeftOut(NamedTuple):
    """Parts of the file that are not stored, because of their kind."""

    reason: str
    number: int = 1


class SourceItem(NamedTuple):
    """A file, followed by its facts; facts from an earlier version that it lacks now are gone.

    No facts count as gone if the file, or the folder below which all are read, could not be read
    whole.
    """

    file: str
    is_whole: bool


Item = (
    FactItem
    | ConversationItem
    | EntityItem
    | RelationItem
    | OverrideItem
    | BadItem
    | LeftOut
    | SourceItem
)

ENTITY_TYPES = {
    **dict.fromkeys(("person", "user", "human", "people"), "person"),
    **dict.fromkeys(("organization", "organisation", "company", "team"), "company"),
    **dict.fromkeys(("place", "location", "city", "country"), "place"),
    "project": "project",
    **dict.fromkeys(("tool", "software", "technology", "library", "language"), "tool"),
    "event": "event",
}
"""The types of entities in other systems, and ours; any other is a concept."""


def entity_type(name: str) -> str:
    """Return our type for another system's type of an entity."""
    return ENTITY_TYPES.get(name.strip().casefold(), "concept")


def joined(blocks: Sequence[BlockItem]) -> str:
    """Return the text of a passage with these blocks."""
    text = "".join(f"{block.before}{block.text}" for block in blocks)
    return text.removeprefix(blocks[0].before).strip() if blocks else ""


def time_of(value: Any) -> str | None:
    """Parse a time of another system (seconds since 1970, RFC 3339, or UTC without a zone).

    None for one that has no year between 1 and 9999 in UTC, too: such a date is no reason to lose
    what it belongs to.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return dt.datetime.fromtimestamp(value, dt.UTC).isoformat()
        if isinstance(value, str) and value:
            moment = dt.datetime.fromisoformat(value)
            zoned = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
            return zoned.astimezone(dt.UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        pass
    return None


def text_of(value: dict[str, Any], *names: str) -> str:
    """Return the first of these fields that holds a text; empty if none does."""
    return next((value[name] for name in names if isinstance(value.get(name), str)), "")


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; of anything else none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
