"""Metadata that a caller gives to a memory, a message or a person."""

from typing import Any

import msgspec

from ashd import errors, limits
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean_deep


def encode(value: dict[str, Any] | None) -> str | None:
    """Return metadata, cleaned, as JSON.

    Raises:
        errors.ContentRefused: a secret in it.
        errors.TooLarge: more of it than may be stored.
    """
    if value is None:
        return None
    # The size first: the other checks take time for every value.
    if len(msgspec.json.encode(value)) > limits.METADATA_BYTES:
        raise errors.TooLarge(f"metadata has more than {limits.METADATA_BYTES} bytes.")
    if _count(value) > limits.METADATA_VALUES:
        raise errors.TooLarge(f"metadata has more than {limits.METADATA_VALUES} keys and values.")
    cleaned = clean_deep(value)
    require_no_secret(cleaned, "metadata")
    return msgspec.json.encode(cleaned).decode()


def _count(value: Any) -> int:
    """Return the number of keys and values in a value, counting the value itself."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(_count, value.values()))
    return 1 + sum(map(_count, value)) if isinstance(value, list) else 1
