"""`system.metrics`: all counts, in Prometheus' text format."""

import resource
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from ashd import errors, standard_error
from ashd.ops.llm_usage import LlmUsage
from ashd.prometheus_text import Labels, Requests, family, histograms
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.store import embeddings, jobs
from ashd.store.database import Database

_PAGE_BYTES = resource.getpagesize()
_Samples = Iterable[tuple[Labels, float]]


class Metrics:
    """Gathers the counts of the daemon's parts."""

    def __init__(
        self,
        db: Database,
        embedder: CurrentEmbedder,
        engine: Engine,
        llm_usage: LlmUsage,
        database: Path,
        requests: Requests,
    ) -> None:
        self._requests = requests
        self._db = db
        self._embedder = embedder
        self._engine = engine
        self._llm_usage = llm_usage
        self._database = database

    async def text(self) -> str:
        """Return all metrics as text; without those of the database if it fails."""
        try:
            stored = await self._stored()
        except errors.StorageError:  # the status reports it
            stored = ""
        return f"{self._requests.text()}{self._times()}{stored}{self._llm()}{self._process()}"

    async def _stored(self) -> str:
        waiting, queued = await self._db.read(
            lambda tx: (embeddings.waiting_count(tx), jobs.counts(tx))
        )
        kinds: _Samples = (
            ({"kind": kind, "state": state}, count) for (kind, state), count in queued.items()
        )
        return family("ashd_jobs", "gauge", "Jobs by kind and state.", kinds) + _gauge(
            "ashd_texts_without_vectors", "Texts that wait for vectors.", waiting
        )

    def _times(self) -> str:
        return histograms(
            "ashd_writer_transaction_seconds",
            "Time that a group of writes held the writer, its commit included.",
            [({}, self._db.transactions)],
        ) + histograms(
            "ashd_embedder_seconds",
            "Time until the embedder answered, for its turn included.",
            [({}, self._embedder.answers)],
        )

    def _llm(self) -> str:
        used = self._llm_usage.by_task
        return family(
            "ashd_llm_tokens_total",
            "counter",
            "Tokens sent and received since midnight (UTC), by task.",
            [({"task": one.task}, one.sent + one.received) for one in used],
        ) + family(
            "ashd_llm_calls_total",
            "counter",
            "Answered calls of the language model since midnight (UTC), by task.",
            [({"task": one.task}, one.calls) for one in used],
        )

    def _process(self) -> str:
        """Return the resources that the daemon's process uses, and the lengths of its queues."""
        queues: _Samples = [({"queue": name}, n) for name, n in self._db.waiting.items()]
        files: _Samples = [
            ({"file": kind}, _size(self._database.with_name(self._database.name + suffix)))
            for kind, suffix in (("database", ""), ("wal", "-wal"))
        ]
        cached = {
            **self._engine.cache_bytes,
            "statements": self._embedder.nearest.bytes,
            "words": self._embedder.holders.bytes,
        }
        caches: _Samples = [({"cache": name}, size) for name, size in cached.items()]
        processor = time.process_time()
        return "".join(
            (
                family("ashd_waiting", "gauge", "Work that waits for the database.", queues),
                family("ashd_file_bytes", "gauge", "Sizes of the database's files.", files),
                family("ashd_cache_bytes", "gauge", "Sizes of the caches of searches.", caches),
                _gauge("ashd_resident_bytes", "Memory that the daemon holds.", _resident()),
                _gauge("ashd_open_descriptors", "Files and sockets that are open.", _descriptors()),
                family(
                    "ashd_log_lines_dropped_total",
                    "counter",
                    "Lines of the log that could not be written.",
                    [({}, standard_error.dropped())],
                ),
                _gauge("ashd_threads", "Threads of the daemon.", threading.active_count()),
                family(
                    "ashd_cpu_seconds_total",
                    "counter",
                    "Processor time that the daemon took.",
                    [({}, processor)],
                ),
            )
        )


def _gauge(name: str, text: str, value: float) -> str:
    return family(name, "gauge", text, [({}, value)])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * _PAGE_BYTES


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
