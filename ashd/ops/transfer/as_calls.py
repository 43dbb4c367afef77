"""Turn items of other systems' files into the calls that store them."""

from collections.abc import Iterator
from typing import Any, Final, get_args

from ashd import errors, limits
from ashd.memory.model import GivenType
from ashd.ops.transfer.formats.items import FactItem, SaidItem

_TYPES: Final = {name for part in get_args(GivenType) for name in (get_args(part) or (part,))}


def fact_of(item: FactItem, origin: str) -> dict[str, Any]:
    """Return the fact as `memory.add` takes it."""
    fields = {
        "content": item.content,
        "subjects": list(item.subjects),
        "type": item.type if item.type in _TYPES else None,
        "tags": list(item.tags),
        "metadata": {
            **(item.metadata or {}),
            "imported": {"from": origin, "id": item.identifier},
        },
        "observed_at": item.at,
        "valid_until": item.valid_until,
        "expires_at": item.expires_at,
        "supersedes": item.supersedes,
    }
    return {name: value for name, value in fields.items() if value}


def messages(said: SaidItem) -> Iterator[dict[str, Any]]:
    """Return a message as `conversation.ingest` takes it; a very long one as several."""
    for number, start in enumerate(range(0, len(said.content), limits.CONTENT_CHARS), start=1):
        identifier = said.identifier if number == 1 else f"{said.identifier}#{number}"
        fields = {
            "role": said.role,
            "content": said.content[start : start + limits.CONTENT_CHARS],
            "at": said.at,
            "external_id": identifier if said.identifier else None,
        }
        yield {name: value for name, value in fields.items() if value}


def require_short(content: str) -> None:
    """Refuse a content that is too long for a memory.

    Raises:
        errors.TooLarge
    """
    if len(content) > limits.CONTENT_CHARS:
        raise errors.TooLarge(f"A content has at most {limits.CONTENT_CHARS} characters.")


def as_error(error: dict[str, Any]) -> errors.AshError:
    """Return the exception for an error of the wire."""
    kinds = {kind.kind: kind for kind in errors.all_kinds()}
    data = error["data"]
    return kinds[data["kind"]](error["message"], data["hint"])
