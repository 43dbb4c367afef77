"""`system.metrics`: all counts, in Prometheus' text format."""

import os
import platform
import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec

import ashd
from ashd import errors, standard_error
from ashd.access.grants import Grants
from ashd.clock import SECOND
from ashd.ops import current_warnings, files, process_metrics
from ashd.ops.backup import Backups
from ashd.ops.current_warnings import CurrentWarnings, Stored
from ashd.ops.llm_usage import LlmUsage
from ashd.prometheus_text import Labels, ModelCalls, Requests, family, histograms, single
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.engine import Engine
from ashd.store import embeddings, jobs
from ashd.store.database import Database, Tx
from ashd.store.dialect import DATABASE_BYTES

_Samples = Iterable[tuple[Labels, float]]


class MetricsResult(msgspec.Struct, frozen=True):
    """Text in Prometheus' format."""

    text: str


class Metrics:
    """Gathers the counts of the daemon's parts."""

    def __init__(
        self,
        db: Database,
        embedder: CurrentEmbedder,
        engine: Engine,
        llm_usage: LlmUsage,
        model_calls: ModelCalls,
        requests: Requests,
        warnings: CurrentWarnings,
        backups: Backups,
        grants: Grants,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._engine = engine
        self._llm_usage = llm_usage
        self._model_calls = model_calls
        self._requests = requests
        self._warnings = warnings
        self._backups = backups
        self._grants = grants
        self._warned: set[str] = set()
        """The names of all warnings since the start: a warning that ended is reported as 0."""
        self._started_at = process_metrics.started_at()

    async def text(self) -> MetricsResult:
        """Return counts and times of calls, writes and jobs, in Prometheus' text format.

        Those of the database are left out if it fails.
        """
        try:
            stored, held = await self._db.read(self._stored)
        except errors.StorageError:  # there is a warning of it
            stored, held = "", Stored()
        parts = (
            self._build(),
            self._warning(held),
            self._requests.text(),
            self._times(),
            stored,
            self._model_calls.text(),
            self._sizes(),
            process_metrics.text(self._started_at),
        )
        return MetricsResult("".join(parts))

    def _build(self) -> str:
        versions = {"version": ashd.__version__, "python": platform.python_version()}
        text = "The versions of the daemon and of Python."
        return family("ashd_build_info", "gauge", text, [(versions, 1)])

    def _warning(self, held: Stored) -> str:
        found = self._warnings.all(held)
        names = {one.name for one in found}
        self._warned |= names
        samples: _Samples = [({"name": name}, int(name in names)) for name in sorted(self._warned)]
        text = "Warnings of `ash status`: 1 while it lasts, 0 when it is over."
        return family("ashd_warning", "gauge", text, samples)

    def _stored(self, tx: Tx) -> tuple[str, Stored]:
        """Return the metrics from the database, and what is warned of."""
        kinds: _Samples = (
            ({"kind": kind, "state": state}, count)
            for (kind, state), count in jobs.counts(tx).items()
        )
        waiting = embeddings.waiting_count(tx)
        text = (
            family("ashd_jobs", "gauge", "Jobs by kind and state.", kinds)
            + single("ashd_texts_without_vectors", "gauge", "Texts that wait for vectors.", waiting)
            + family("ashd_file_bytes", "gauge", "Sizes of the database.", self._file_sizes(tx))
            + self._last_backup(tx)
        )
        return text, current_warnings.stored(tx)

    def _file_sizes(self, tx: Tx) -> _Samples:
        """Return the sizes of the database's files; on a server, that of the database."""
        if self._db.file is None:
            return [({"file": "database"}, tx.value(DATABASE_BYTES))]
        path = self._db.path
        paths = {"database": path, "wal": path.with_name(f"{path.name}-wal")}
        return [({"file": kind}, _size(file)) for kind, file in paths.items()]

    def _last_backup(self, tx: Tx) -> str:
        made = [
            one
            for one in self._backups.listed(tx)
            if one.kind == "backup" and files.is_backup(Path(one.path))
        ][-1:]
        at: _Samples = [({}, one.made_at / SECOND) for one in made]
        size: _Samples = [({}, _size(Path(one.path))) for one in made]
        return family(
            *("ashd_last_backup_timestamp_seconds", "gauge"),
            *("Time of the newest backup that still exists, in seconds since 1970.", at),
        ) + family("ashd_last_backup_bytes", "gauge", "Size of that backup.", size)

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

    def _sizes(self) -> str:
        """Return free disk, the sizes of caches and queues, and the language model's tokens."""
        folders = {"database": self._db.path.parent, "backups": self._backups.folder}
        free: _Samples = [
            ({"folder": name}, left)
            for name, folder in folders.items()
            if (left := _free(folder)) is not None
        ]
        cached = {
            **self._engine.cache_bytes,
            "statements": self._embedder.nearest.bytes,
            "words": self._embedder.holders.bytes,
        }
        caches: _Samples = [({"cache": name}, size) for name, size in cached.items()]
        queues: _Samples = [({"queue": name}, n) for name, n in self._db.waiting.items()]
        tokens: _Samples = [({"task": one}, n) for one, n in self._llm_usage.tokens.items()]
        return "".join(
            (
                family("ashd_disk_free_bytes", "gauge", "Room on the disk of a folder.", free),
                family("ashd_cache_bytes", "gauge", "Sizes of the caches of searches.", caches),
                family("ashd_waiting", "gauge", "Work that waits for the database.", queues),
                family(
                    *("ashd_llm_tokens_total", "counter"),
                    *("Tokens sent to and received from the language model, by task.", tokens),
                ),
                single("ashd_grants", "gauge", "Grants in force.", len(self._grants.in_force)),
                single(
                    *("ashd_log_lines_dropped_total", "counter"),
                    *("Lines of the log that could not be written.", standard_error.dropped()),
                ),
                single("ashd_threads", "gauge", "Threads of the daemon.", threading.active_count()),
            )
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _free(folder: Path) -> int | None:
    """Return the bytes that may still be written; None for a folder that is not there."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize
