"""The change tracker: changes by the chats, accounts and people whose readers can see them.

What must hold: "same" is answered only if nothing changed. The number of keys has a bound; beyond
it, old ones are dropped and everything counts as changed since.
"""

from collections.abc import Collection, Iterable
from typing import Final, Literal

Key = tuple[str, int]

KEYS_NOTED: Final = 20_000


class Changes:
    """Changes, noted by the writer thread and read by readers; a generation counts commits."""

    def __init__(self) -> None:
        self._changed: dict[Key, int] = {}
        self._grown: dict[Key, int] = {}
        self._all_changed = 0

    def __len__(self) -> int:
        return len(self._changed) + len(self._grown)

    def since(self, keys: Iterable[Key], generation: int) -> Literal["same", "grown", "changed"]:
        """Return whether rows visible by these keys were changed or added after a generation."""
        # First the keys, then what is said of all: the other way round to where they are forgotten.
        changed, grown = self._changed, self._grown
        if self._all_changed > generation or any(changed.get(key, 0) > generation for key in keys):
            return "changed"
        return "grown" if any(grown.get(key, 0) > generation for key in keys) else "same"

    def note(self, generation: int, changed: Collection[Key], grown: Collection[Key]) -> None:
        """Note the keys with changed rows, and those with only new rows, in this generation."""
        self._changed.update(dict.fromkeys(changed, generation))
        self._grown.update(dict.fromkeys(grown, generation))
        if len(self) > KEYS_NOTED:
            self._forget_older_half()

    def note_all(self, generation: int) -> None:
        """Note that any row may have changed in this generation."""
        self._all_changed = generation

    def _forget_older_half(self) -> None:
        """To whoever read before they changed, everything has; whoever read since has seen it."""
        noted = sorted((*self._changed.values(), *self._grown.values()))
        oldest = noted[len(noted) // 2]
        self._all_changed = max(self._all_changed, oldest)
        self._changed = {key: at for key, at in self._changed.items() if at > oldest}
        self._grown = {key: at for key, at in self._grown.items() if at > oldest}
