"""Ids and texts of callers, checked and turned into stored values."""

from collections.abc import Sequence
from typing import Final

import msgspec

from ashd import errors
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean, one_line
from ashd.ids import find_one
from ashd.memory.model import MemoryId
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_CANDIDATES: Final = 5


def content(text: str) -> str:
    """Return a memory's text, cleaned.

    Raises:
        errors.InvalidParams: nothing is left of it.
        errors.ContentRefused: a secret in it.
    """
    cleaned = clean(text)
    if not cleaned:
        raise errors.InvalidParams("The content is empty.", "Say what is to be remembered.")
    require_no_secret(cleaned, "content")
    return cleaned


def tags(values: Sequence[str]) -> str:
    """Return tags, cleaned and each once, as JSON; one of invisible characters alone is left out.

    Raises:
        errors.ContentRefused: a secret among them.
    """
    cleaned = list(dict.fromkeys(filter(None, map(one_line, values))))
    require_no_secret(cleaned, "tags")
    return msgspec.json.encode(cleaned).decode()


def find(tx: Tx, viewer: Viewer, memory_id: MemoryId) -> Record:
    """Return the memory with this id, or unique prefix of an id, if the viewer may see it.

    Raises:
        errors.NotFound: none that the viewer may see.
        errors.Ambiguous: several ids begin so.
    """
    return find_one(
        memory_id,
        "memory",
        lambda prefix: [
            (record.uuid, record) for record in memories.by_prefix(tx, viewer, prefix, _CANDIDATES)
        ],
    )
