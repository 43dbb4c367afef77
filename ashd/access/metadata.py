"""Metadata that a caller gives to a memory or a person."""

from typing import Any

import msgspec

from ashd import errors, limits
from ashd.access.secrets import require_no_secret
from ashd.access.text import clean_deep


def encode(value: dict[str, Any] | None) -> str | None:
    """Metadata, cleaned, as JSON.

    Raises:
        errors.ContentRefused: a secret in it.
        errors.TooLarge: more of it than is kept.
    """
    if value is None:
        return None
    cleaned = clean_deep(value)
    require_no_secret(cleaned, "metadata")
    encoded = msgspec.json.encode(cleaned)
    if len(encoded) > limits.METADATA_BYTES:
        raise errors.TooLarge(f"metadata has more than {limits.METADATA_BYTES} bytes.")
    return encoded.decode()
