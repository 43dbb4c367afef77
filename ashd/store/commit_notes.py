"""Notes of a commit: all that caches have to know of it, in the daemon that made it and in others.

Another daemon reads them in each of its snapshots, so they are there as soon as the rows are.
"""

import msgspec

from ashd.store.change_tracker import Key


class Notes(msgspec.Struct, frozen=True, omit_defaults=True):
    """Notes of one commit."""

    everything: bool = False
    """Whether any row may have changed; otherwise the keys say who can see what did."""
    changed: frozenset[Key] = frozenset()
    grown: frozenset[Key] = frozenset()
    revised: tuple[tuple[Key, frozenset[int]], ...] = ()
    """The memories that changed, by the key of those who can see them."""
    deleted: tuple[int, ...] = ()
    """The passages that were deleted."""
    topics: frozenset[str] = frozenset()
    """The parts of a daemon that have to read again what they hold in memory."""


def encoded(notes: Notes) -> str:
    """Return the notes as a text."""
    return msgspec.json.encode(notes).decode()


def decoded(text: str) -> Notes:
    """Return the notes that a text holds."""
    return msgspec.json.decode(text, type=Notes)
