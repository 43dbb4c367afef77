"""The commits that this daemon knows of, its own and those of others, as its caches see them."""

import threading
from collections.abc import Callable, Iterable, Sequence

from ashd.store.change_tracker import Changes
from ashd.store.commit_notes import Notes
from ashd.store.engine import Commit


class NotedCommits:
    """Notes commits in order, each once: after its own ones a daemon sees them among all others."""

    def __init__(self, last: int) -> None:
        """`last` is the number of the last commit when the database was opened."""
        self.changes = Changes()
        self.last = last
        """The number of the last commit that is noted."""
        self._noting = threading.Lock()
        self._topics: set[str] = set()
        self._own = 0
        """The number of the commit that this daemon is making; 0 for none."""
        self._own_topics: set[str] = set()
        """The topics of that commit, once a reader has seen it."""
        self._deletion_callbacks: list[Callable[[Sequence[int]], None]] = []

    def on_deletion(self, callback: Callable[[Sequence[int]], None]) -> None:
        """Call a function with the passages that a commit deleted, when it is noted."""
        self._deletion_callbacks.append(callback)

    def take_topics(self) -> set[str]:
        """Return the topics of commits that were not noted by `note`, and that nobody has taken."""
        with self._noting:
            topics, self._topics = self._topics, set()
        return topics

    def begin(self, number: int) -> None:
        """Know the number of the commit that this daemon makes next, which `note` or `lose` ends.

        A reader may see it before its answer is here: its own parts know what they have told of.
        """
        with self._noting:
            self._own = number

    def lose(self) -> None:
        """Know nothing of the commit that was begun: it may have been made, or will be."""
        with self._noting:
            self._topics |= self._own_topics
            self._end_own()

    def _end_own(self) -> None:
        self._own, self._own_topics = 0, set()

    def note(self, number: int | None, notes: Notes) -> None:
        """Note a commit of this daemon; without a number it is the next one."""
        with self._noting:
            self._end_own()
            generation = self.last + 1 if number is None else number
            if generation > self.last:  # else a reader has seen it already
                self._apply(generation, notes)

    def catch_up(self, last: int, commits_after: Callable[[int], Iterable[Commit]]) -> None:
        """Note the commits of a snapshot up to `last`; a function returns those after a number.

        They are those of other daemons, and own ones whose answer was lost.
        """
        with self._noting:
            if last <= self.last:  # a later snapshot came first, which this one does not have
                return
            for commit in commits_after(self.last):
                self._apply(commit.number, commit.notes)
                is_own = commit.number == self._own
                topics = self._own_topics if is_own else self._topics
                topics |= commit.notes.topics

    def _apply(self, number: int, notes: Notes) -> None:
        if notes.everything:
            self.changes.note_all(number)
        if notes.changed or notes.grown or notes.revised:
            self.changes.note(number, notes.changed, notes.grown, dict(notes.revised))
        self.last = number  # after the changes: whoever reads the old number is safe
        if notes.deleted:
            for callback in self._deletion_callbacks:
                callback(notes.deleted)
