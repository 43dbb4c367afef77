"""The warnings of all parts of the daemon, for its status and its metrics."""

from ashd.jobs.queue import Queue
from ashd.ops import embedder_status, llm_status
from ashd.ops.backup import Backups
from ashd.ops.supervise import Supervisor
from ashd.providers.llm import LanguageModel
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store.database import Database
from ashd.store.health import Warned


class CurrentWarnings:
    """Gathers the warnings. `refused` and `set_aside` are counts that the database has."""

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

    def all(self, *, refused: int, set_aside: int) -> list[Warned]:
        """Return every warning: texts that the embedder refuses and jobs set aside among them."""
        return [
            *self._db.health.warnings(),
            *self._supervisor.warnings(),
            *_of_texts(refused),
            *self.for_sandboxes(),
            *self._of_jobs(set_aside),
        ]

    def standing(self) -> list[Warned]:
        """Return the warnings that last until their cause is gone, for the doctor."""
        return [
            *self._db.health.warnings(),
            *self._supervisor.warnings(),
            *self._of_backups(),
        ]

    def for_sandboxes(self) -> list[Warned]:
        """Return the warnings that concern a sandbox, too."""
        return [
            *embedder_status.warnings(self._embeddings),
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
                    "Check the key and the endpoint in [llm]; then: ash jobs flush.",
                )
            )
        if set_aside:
            found.append(
                Warned(
                    "jobs_set_aside",
                    f"Jobs failed and were set aside: {set_aside}.",
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
