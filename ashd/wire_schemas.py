"""Schemas of values that are received as plain objects and checked later: facts, changes.

`rpc.discover` then shows their fields; the method's `describes` names the types.
"""

from typing import Final

import msgspec

REFERENCE: Final = "#/components/schemas/{name}"


class ErrorData(msgspec.Struct, frozen=True):
    """Decide on `kind`; each kind may add fields of its own."""

    kind: str
    hint: str
    retryable: bool


class ErrorObject(msgspec.Struct, frozen=True):
    """An error of one part of a call, in the form of a whole call's error."""

    code: int
    message: str
    data: ErrorData


def described_by(kind: str) -> msgspec.Meta:
    """Let the schema of an object refer to that type, by its name."""
    return msgspec.Meta(extra_json_schema={"$ref": REFERENCE.format(name=kind)})


error_object: Final = described_by("ErrorObject")
