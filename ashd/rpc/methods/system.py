"""system.* and db.stats: the state of the daemon."""

from dataclasses import dataclass
from typing import Literal

import msgspec

import ashd
from ashd import errors
from ashd.access.actor import Call
from ashd.access.memory_switch import MemorySwitch
from ashd.clock import to_text
from ashd.config import ProtectedPath
from ashd.ops import llm_status
from ashd.ops.current_warnings import CurrentWarnings
from ashd.ops.llm_status import LanguageModelStatus, TaskUsage
from ashd.ops.llm_usage import LlmUsage
from ashd.ops.metrics import Metrics
from ashd.ops.progress import Progress, Running
from ashd.ops.reload import Reload, ReloadResult
from ashd.providers.llm import LanguageModel
from ashd.rpc.app import Session
from ashd.rpc.table import NoParams, method
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import embeddings, jobs, llm_usage, meta, passages
from ashd.store.database import Database
from ashd.store.health import Warned


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of the daemon whose state is shown."""

    started_at: int
    protected: list[ProtectedPath]
    """The daemon's own paths, which no sandbox may be given."""
    db: Database
    embeddings: CurrentEmbedder
    llm: LanguageModel | None
    """None if [llm] is not configured: everything but its tasks works without it (E10)."""
    llm_usage: LlmUsage
    warnings: CurrentWarnings
    progress: Progress


class Building(msgspec.Struct, frozen=True):
    """Vectors that are being built to replace those in use, and how many are done."""

    model: str
    done: int
    total: int


class StatusResult(msgspec.Struct, frozen=True):
    """The daemon's health; a sandbox does not see how much is stored for everybody."""

    version: str
    state: Literal["starting", "ready"]
    """ "starting" until the daemon is ready: before that only this method is answered."""
    started_at: str
    embedder: str
    model: str | None
    waiting_for_vectors: int | None
    building: Building | None
    language_model: LanguageModelStatus
    memory_on: bool | None
    """Whether memory is on: stored, and used in prompts. None while the daemon starts."""
    warnings: list[Warned]
    running: list[Running]
    """Long work in progress, on the control socket only."""


class StatsResult(msgspec.Struct, frozen=True):
    """The database's contents: rows of each kind, and bytes."""

    counts: dict[str, int]
    language_model: list[TaskUsage]
    """Calls and tokens of the language model in the last 400 days."""


class MetricsResult(msgspec.Struct, frozen=True):
    """Text in Prometheus' format."""

    text: str


class PathsResult(msgspec.Struct, frozen=True):
    """Paths that no sandbox may be given, neither themselves nor in a directory."""

    paths: list[ProtectedPath]


@method("system.status", sandbox=True)
async def status(
    parts: Parts, memory: MemorySwitch, session: Session, _params: NoParams
) -> StatusResult:
    """Report the daemon's health."""
    building = parts.embeddings.building
    vectors = building.vectors if building else None
    try:
        waiting, missing, total, refused, set_aside = await parts.db.read(
            lambda tx: (
                embeddings.waiting_count(tx),
                embeddings.waiting_count(tx, vectors) if vectors else 0,
                passages.indexed_count(tx) if vectors else 0,
                embeddings.set_aside_count(tx),
                jobs.set_aside_count(tx),
            )
        )
    except errors.StorageError:  # the warnings say why
        waiting, missing, total, refused, set_aside = None, 0, 0, 0, 0
    return StatusResult(
        version=ashd.__version__,
        state="ready",
        started_at=to_text(parts.started_at) or "",
        embedder=parts.embeddings.state,
        model=parts.embeddings.model,
        waiting_for_vectors=waiting if session.listener == "control" else None,
        building=(
            Building(building.embedder.model, total - missing, total)
            if building and session.listener == "control"
            else None
        ),
        language_model=llm_status.status(
            parts.llm, parts.llm_usage, with_usage=session.listener == "control"
        ),
        memory_on=memory.on,
        warnings=(
            parts.warnings.all(refused=refused, set_aside=set_aside)
            if session.listener == "control"
            else parts.warnings.for_sandboxes()
        ),
        running=parts.progress.running if session.listener == "control" else [],
    )


@method("system.metrics")
async def metrics(metrics: Metrics, _params: NoParams) -> MetricsResult:
    """Return counts and times of calls, writes and jobs, in Prometheus' text format."""
    return MetricsResult(await metrics.text())


@method("db.stats")
async def stats(usage: LlmUsage, db: Database, _params: NoParams) -> StatsResult:
    """Count what the database holds."""
    await usage.flush()
    counts, used = await db.read(lambda tx: (meta.table_counts(tx), llm_usage.totals(tx)))
    return StatsResult(
        counts, [TaskUsage(one.task, one.calls, one.sent, one.received) for one in used]
    )


@method("system.paths")
async def paths(parts: Parts, _params: NoParams) -> PathsResult:
    """Name the daemon's own files and directories, which no sandbox may be given."""
    return PathsResult(parts.protected)


@method("system.reload", changes=True)
async def reload(reload: Reload, db: Database, call: Call, _params: NoParams) -> ReloadResult:
    """Read the configuration again; report what is in force now and what needs a restart."""
    result = reload.reload()
    await db.write(call.record, quiet=True)
    return result
