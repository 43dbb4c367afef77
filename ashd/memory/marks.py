"""Tags by which a person includes a memory in every prompt for a plan, or excludes it.

A prompt that asks for a plan holds the memories that limit it, which a classifier finds. The person
has the last word: a memory with the tag `standing` is among them, a memory with `not-standing` is
not. An agent in a sandbox cannot give or take these tags, since it would decide the content of
other prompts; where it replaces the words of a memory, these tags go with them.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ashd import errors
from ashd.access.actor import Call

STANDING: Final = "standing"
NOT_STANDING: Final = "not-standing"
_MARKS: Final = frozenset({STANDING, NOT_STANDING})


def without(tags: Iterable[str]) -> list[str]:
    """Return the tags without the marks."""
    return [tag for tag in tags if tag not in _MARKS]


def require_unchanged(call: Call, before: Collection[str], after: Collection[str]) -> None:
    """Refuse marks that a sandboxed agent would give or take.

    Raises:
        errors.Denied
    """
    changed = _MARKS & set(before) ^ _MARKS & set(after)
    if changed and call.actor.kind == "sandbox":
        raise errors.Denied(
            f"Only the person on the host gives or takes the tag {min(changed)!r}.",
            "Send the other tags alone, with the marks that the memory has; the person can use"
            " `ash memory edit ID --tag standing`.",
        )


def after_update(
    call: Call, before: Collection[str], after: Sequence[str], *, is_reworded: bool
) -> list[str]:
    """Return the tags of an updated memory: new words of a sandbox have no marks.

    Raises:
        errors.Denied
    """
    require_unchanged(call, before, after)
    return without(after) if is_reworded and call.actor.kind == "sandbox" else list(after)
