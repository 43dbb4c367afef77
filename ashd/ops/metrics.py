"""`system.metrics`: everything that is counted, in Prometheus' text format."""

import resource
from pathlib import Path

from ashd.metrics import Labels, Requests, family, histograms
from ashd.ops.llm_usage import LlmUsage
from ashd.store import embeddings, jobs
from ashd.store.database import Database

_PAGE_BYTES = resource.getpagesize()


class Metrics:
    """Gathers what the parts of the daemon count."""

    def __init__(
        self, db: Database, llm_usage: LlmUsage, database: Path, requests: Requests
    ) -> None:
        self._requests = requests
        self._db = db
        self._llm_usage = llm_usage
        self._database = database

    async def text(self) -> str:
        """Return all metrics as text."""
        waiting, queued = await self._db.read(
            lambda tx: (embeddings.waiting_count(tx), jobs.counts(tx))
        )
        files: list[tuple[Labels, float]] = [
            ({"file": kind}, _size(self._database.with_name(self._database.name + suffix)))
            for kind, suffix in (("database", ""), ("wal", "-wal"))
        ]
        used = self._llm_usage.by_task
        families: list[tuple[str, str, str, list[tuple[Labels, float]]]] = [
            (
                "ashd_jobs",
                "gauge",
                "Jobs by kind and state.",
                [({"kind": kind, "state": state}, n) for (kind, state), n in queued.items()],
            ),
            (
                "ashd_llm_tokens_total",
                "counter",
                "Tokens sent and received since midnight (UTC), by task.",
                [({"task": one.task}, one.sent + one.received) for one in used],
            ),
            (
                "ashd_llm_calls_total",
                "counter",
                "Answered calls of the language model since midnight (UTC), by task.",
                [({"task": one.task}, one.calls) for one in used],
            ),
            (
                "ashd_texts_without_vectors",
                "gauge",
                "Texts that wait for vectors.",
                [({}, waiting)],
            ),
            ("ashd_file_bytes", "gauge", "Sizes of the database's files.", files),
            (
                "ashd_resident_bytes",
                "gauge",
                "Memory that the daemon holds.",
                [({}, _resident())],
            ),
        ]
        held = histograms(
            "ashd_writer_transaction_seconds",
            "Time that a group of writes held the writer, its commit included.",
            [({}, self._db.transactions)],
        )
        return self._requests.text() + held + "".join(family(*one) for one in families)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE_BYTES
