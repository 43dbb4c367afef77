"""The change tracker: changes, by the chats, accounts and people whose readers can see them.

What must hold: "same" is answered only if nothing changed, "grown" only if there are only new rows,
and "revised" only if nothing else changed than the memories that `revised` names. The number of
notes is limited; beyond it, old ones are dropped and everything counts as changed since.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

Key = tuple[str, int]
Since = Literal["same", "grown", "revised", "changed"]

EVERYTHING: Final[Key] = ("everything", 0)
"""The key of viewers who can see all changes."""
NOTES_KEPT: Final = 20_000


class Changes:
    """Changes, noted by the writer thread and read by readers; a generation counts commits."""

    def __init__(self) -> None:
        self._changed: dict[Key, int] = {}
        self._grown: dict[Key, int] = {}
        self._revised: dict[Key, list[tuple[int, int]]] = {}
        """(generation, memory) by key, the latest last."""
        self._revisions = 0
        self._all_changed = 0

    def __len__(self) -> int:
        return len(self._changed) + len(self._grown) + self._revisions

    def since(self, keys: Collection[Key], generation: int) -> Since:
        """Return how rows visible by these keys were changed or added after a generation."""
        # Read the keys before the general note: they are dropped in the opposite order.
        changed, grown, revised = self._changed, self._grown, self._revised
        if self._all_changed > generation or any(changed.get(key, 0) > generation for key in keys):
            return "changed"
        if any(revised[key][-1][0] > generation for key in keys if key in revised):
            return "revised"
        return "grown" if any(grown.get(key, 0) > generation for key in keys) else "same"

    def revised(self, keys: Iterable[Key], generation: int) -> set[int]:
        """Return the memories that were changed since, where `since` says "revised"."""
        found = set()
        for key in keys:
            for at, memory in reversed(list(self._revised.get(key, ()))):
                if at <= generation:
                    break
                found.add(memory)
        return found

    def note(
        self,
        generation: int,
        changed: Collection[Key],
        grown: Collection[Key],
        revised: Mapping[Key, Collection[int]],
    ) -> None:
        """Note keys in this generation, with changed rows, new rows and changed memories.

        For a key in `revised`, only the memories named there changed.
        """
        self._grown.update(dict.fromkeys((*grown, EVERYTHING), generation))
        if changed:
            self._changed.update(dict.fromkeys((*changed, EVERYTHING), generation))
        every = {memory for memories in revised.values() for memory in memories}
        for key, memories in (*revised.items(), *([(EVERYTHING, every)] if every else [])):
            self._revised.setdefault(key, []).extend((generation, one) for one in memories)
            self._revisions += len(memories)
        if len(self) > NOTES_KEPT:
            self._forget_older_half()

    def note_all(self, generation: int) -> None:
        """Note that any row may have changed in this generation."""
        self._all_changed = generation

    def _forget_older_half(self) -> None:
        """Drop old notes: for readers from before them, everything has changed."""
        revised = [at for notes in self._revised.values() for at, _ in notes]
        noted = sorted((*self._changed.values(), *self._grown.values(), *revised))
        oldest = noted[len(noted) // 2]
        self._all_changed = max(self._all_changed, oldest)
        self._changed = {key: at for key, at in self._changed.items() if at > oldest}
        self._grown = {key: at for key, at in self._grown.items() if at > oldest}
        left = {
            key: [note for note in notes if note[0] > oldest]
            for key, notes in self._revised.items()
        }
        self._revised = {key: notes for key, notes in left.items() if notes}
        self._revisions = sum(map(len, self._revised.values()))
