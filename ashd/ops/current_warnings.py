"""The warnings of all parts of the daemon, for its status and its metrics."""

from typing import Final, NamedTuple

from ashd import errors
from ashd.jobs.queue import Queue
from ashd.ops import embedder_status, llm_status
from ashd.ops.backup import Backups
from ashd.ops.supervise import Supervisor
from ashd.providers.llm import LanguageModel
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import embeddings, jobs
from ashd.store.database import Database, Tx
from ashd.store.health import Warned

_STOPPED: Final[dict[errors.LlmReason | None, str]] = {
    None: "Check the endpoint in [llm]; the daemon tries again by itself, and by: ash jobs flush.",
    "unauthorised": "Put a valid key into [llm] api_key_file; then: ash jobs flush.",
    "ceiling": "They go on after midnight UTC, or once [llm] max_tokens_per_day is raised.",
}
"""The remedies, by why the language model is not asked."""


class Stored(NamedTuple):
    """The stored rows that are warned of."""

    refused: int = 0
    """Texts that the embedder refuses."""
    set_aside: int = 0
    """Jobs that failed too often, or found only what is refused."""
    is_foreign: bool = False
    """Whether most memories are in other languages than English."""


def stored(tx: Tx) -> Stored:
    """Return what is warned of, by what is stored now."""
    return Stored(
        embeddings.set_aside_count(tx), jobs.set_aside_count(tx), embedder_status.is_foreign(tx)
    )


class CurrentWarnings:
    """Gathers the warnings."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        llm: LanguageModel | None,
        queue: Queue,
        backups: Backups,
        supervisor: Supervisor,
    ) -> None:
        self._db = db
        self._embeddings = embeddings
        self._llm = llm
        self._queue = queue
        self._backups = backups
        self._supervisor = supervisor

    def all(self, held: Stored) -> list[Warned]:
        """Return every warning, those of what is stored among them."""
        return [
            *self._db.health.warnings(),
            *self._supervisor.warnings(),
            *_of_texts(held.refused),
            *self.for_sandboxes(is_foreign=held.is_foreign),
            *self._of_jobs(held.set_aside),
        ]

    def standing(self) -> list[Warned]:
        """Return the warnings that last until their cause is gone, for the doctor."""
        return [
            *self._db.health.warnings(),
            *self._supervisor.warnings(),
            *self._of_backups(),
        ]

    def for_sandboxes(self, *, is_foreign: bool = False) -> list[Warned]:
        """Return the warnings that concern a sandbox, too; it is not told of others' languages."""
        return [
            *embedder_status.warnings(self._embeddings, is_foreign=is_foreign),
            *self._of_backups(),
            *llm_status.warnings(self._llm),
        ]

    def _of_backups(self) -> list[Warned]:
        if self._backups.failure is None:
            return []
        return [
            Warned(
                "backup_failed",
                "The last backup on the schedule failed.",
                "Look at the log and the free disk space; `ash db backup` tries again.",
            )
        ]

    def _of_jobs(self, set_aside: int) -> list[Warned]:
        found = []
        if self._queue.stopped is not None:
            found.append(
                Warned(
                    "jobs_stopped",
                    f"Background jobs are stopped: {self._queue.stopped}.",
                    _STOPPED.get(self._queue.stopped_by, _STOPPED[None]),
                )
            )
        if set_aside:
            found.append(
                Warned(
                    "jobs_set_aside",
                    f"Jobs were set aside: {set_aside}.",
                    "ash jobs list --state set_aside says why; ash jobs retry ID runs one again.",
                )
            )
        return found


def _of_texts(refused: int) -> list[Warned]:
    if not refused:
        return []
    return [
        Warned(
            "texts_refused",
            f"The embedder refuses {refused} texts: they are found by words only.",
            "They are tried again once a day, and with `ash doctor --fix`.",
        )
    ]
