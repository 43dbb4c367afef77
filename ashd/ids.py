"""Ids as callers write them: ours, whole or as a unique prefix; and hosts' own."""

import re
from collections.abc import Callable
from typing import Annotated, Final, TypeVar

import msgspec

from ashd import clock, errors, limits

T = TypeVar("T")

_NOTHING_HIDDEN: Final = (
    r"^(?![\s\S]*[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\\ufeff\\ufff9-\\ufffb\U000e0000-\U000e01ff])"
)
Identifier = Annotated[
    str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS, pattern=_NOTHING_HIDDEN)
]
"""A host's id of a user, chat or conversation; stored as given, so no invisible characters."""
IdempotencyKey = Annotated[
    str, msgspec.Meta(min_length=1, max_length=limits.KEY_CHARS, pattern=_NOTHING_HIDDEN)
]

RowId = Annotated[
    str, msgspec.Meta(min_length=limits.ID_PREFIX_CHARS, max_length=limits.UUID_CHARS)
]
"""One of our ids (of a memory, a person, …), or a unique prefix of it."""
GrantId = Annotated[
    str, msgspec.Meta(min_length=limits.ID_PREFIX_CHARS, max_length=limits.GRANT_ID_CHARS)
]
"""A grant's id, or a unique prefix of it."""

OwnWord = Annotated[str, msgspec.Meta(extra={"is_content": False})]
"""A text of the daemon or the operator: it stays in a stored reply when content is erased."""

_ID: Final = re.compile(rf"[0-9a-f-]{{{limits.ID_PREFIX_CHARS},{limits.UUID_CHARS}}}")
_GRANT_ID: Final = re.compile(rf"g[a-z0-9]{{{limits.ID_PREFIX_CHARS - 1},9}}")


def row_of_cursor(cursor: str) -> int:
    """Return the row number that an operator's cursor means.

    Raises:
        errors.InvalidParams: it is none.
    """
    if not (cursor.isascii() and cursor.isdigit()):
        raise no_cursor()
    return min(int(cursor), clock.FOREVER)


def no_cursor() -> errors.InvalidParams:
    """Return the error for an invalid cursor."""
    return errors.InvalidParams(
        "This is no cursor.", "Give next_cursor of the page before, or leave it out."
    )


def find_one(text: str, noun: str, lookup: Callable[[str], list[tuple[str, T]]]) -> T:
    """Find one thing by id or prefix; `lookup` returns (id, thing) pairs that the caller may see.

    Raises:
        errors.InvalidParams: this is no id.
        errors.NotFound: nothing has it.
        errors.Ambiguous: several begin so; they are in `data["candidates"]`.
    """
    return _find(text, noun, lookup, _ID, None)


def find_grant(text: str, lookup: Callable[[str], list[tuple[str, T]]]) -> T:
    """Find a grant by id or prefix; its id is shorter and has other letters.

    Raises:
        errors.InvalidParams, errors.NotFound, errors.Ambiguous
    """
    return _find(text, "grant", lookup, _GRANT_ID, "`ash grant list --all` shows them.")


def _find(
    text: str,
    noun: str,
    lookup: Callable[[str], list[tuple[str, T]]],
    shape: re.Pattern[str],
    where_listed: str | None,
) -> T:
    wanted = text.strip().lower()
    if not shape.fullmatch(wanted):
        raise errors.InvalidParams(
            f"This is no {noun} id.", "Give the id, or at least its first 6 characters."
        )
    found = lookup(wanted)
    if not found:
        raise errors.NotFound(f"No such {noun}.", where_listed)
    if len(found) > 1 and found[0][0] != wanted:
        raise errors.Ambiguous(
            f"Several ids of a {noun} begin so.",
            "Give more of the id.",
            candidates=[{"id": full} for full, _ in found[:5]],
        )
    return found[0][1]
