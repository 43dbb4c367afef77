"""The schema of what is taken as a plain object and checked later: one fact of many, changes.

`rpc.discover` shows the caller the fields all the same; `describes` of the method names the types.
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
    """An error of one part of a call, in the form of the error of a whole one."""

    code: int
    message: str
    data: ErrorData


def described_by(kind: str) -> msgspec.Meta:
    """Let the schema of an object refer to that type, by its name."""
    return msgspec.Meta(extra_json_schema={"$ref": REFERENCE.format(name=kind)})


error_object: Final = described_by("ErrorObject")
