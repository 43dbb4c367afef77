"""system.* and db.stats: how the daemon is."""

from typing import Literal

import msgspec

import ashd
from ashd import errors
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.config import ProtectedPath
from ashd.ops import llm_status
from ashd.ops.llm_status import LanguageModelStatus, TaskUsage
from ashd.ops.progress import Running
from ashd.ops.reload import ReloadResult
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.rpc.app import App, Session
from ashd.rpc.table import NoParams, method
from ashd.store import embeddings, jobs, llm_usage, meta, passages
from ashd.store.health import Warned


class Building(msgspec.Struct, frozen=True):
    """Vectors that are being built to take the place of those in use, and how many are done."""

    model: str
    done: int
    total: int


class StatusResult(msgspec.Struct, frozen=True):
    """The daemon's health; a sandbox does not see how much is stored for everybody."""

    version: str
    state: Literal["starting", "ready"]
    """Starting: only this method is answered as yet."""
    started_at: str
    embedder: str
    model: str | None
    waiting_for_vectors: int | None
    building: Building | None
    language_model: LanguageModelStatus
    memory_on: bool | None
    """Whether anything is stored and goes into a prompt; None while the daemon starts."""
    warnings: list[Warned]
    running: list[Running]
    """Long work that is under way, on the control socket only."""


class StatsResult(msgspec.Struct, frozen=True):
    """The database's contents: rows of each kind, and bytes."""

    counts: dict[str, int]
    language_model: list[TaskUsage]
    """Calls and tokens of the language model in the last 400 days."""


class MetricsResult(msgspec.Struct, frozen=True):
    """Text in Prometheus' format."""

    text: str


class PathsResult(msgspec.Struct, frozen=True):
    """The paths that no sandbox may be given, neither themselves nor in a directory."""

    paths: list[ProtectedPath]


@method("system.status", sandbox=True)
async def status(app: App, session: Session, _call: Call, _params: NoParams) -> StatusResult:
    """Say how the daemon is."""
    building = app.embeddings.building
    vectors = building.vectors if building else None
    try:
        waiting, missing, total, refused, set_aside = await app.db.read(
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
        started_at=to_text(app.started_at) or "",
        embedder=app.embeddings.state,
        model=app.embeddings.model,
        waiting_for_vectors=waiting if session.listener == "control" else None,
        building=(
            Building(building.embedder.model, total - missing, total)
            if building and session.listener == "control"
            else None
        ),
        language_model=llm_status.status(
            app.llm, app.llm_usage, with_usage=session.listener == "control"
        ),
        memory_on=app.memory_on,
        warnings=[
            *(_own(app, refused) if session.listener == "control" else ()),
            *_warnings(app),
            *llm_status.warnings(app.llm),
            *(_of_jobs(app, set_aside) if session.listener == "control" else ()),
        ],
        running=app.progress.running if session.listener == "control" else [],
    )


def _own(app: App, refused: int) -> list[Warned]:
    """Return the warnings that are no sandbox's business."""
    found = [*app.db.health.warnings(), *app.supervisor.warnings()]
    if refused:
        found.append(
            Warned(
                "texts_refused",
                f"The embedder refuses {refused} texts: they are found by words only.",
                "They are tried again once a day, and with `ash doctor --fix`.",
            )
        )
    return found


def _warnings(app: App) -> list[Warned]:
    found = []
    if app.embeddings.state == "failed":
        found.append(
            Warned(
                "embedder_down",
                "The embedder does not answer: searches go by words.",
                "Check the endpoint and its key; the daemon tries again by itself.",
            )
        )
    elif app.embeddings.model == WordLlamaEmbedder.model:
        found.append(
            Warned(
                "built_in_embedder",
                "The built-in embedder finds words, hardly questions in other words.",
                "MiniLM does: ash model install minilm; ash model use minilm.",
            )
        )
    if app.backups.failure is not None:
        found.append(
            Warned(
                "backup_failed",
                "The last backup on the schedule failed.",
                "Look at the log and the free disk space; `ash db backup` tries again.",
            )
        )
    return found


def _of_jobs(app: App, set_aside: int) -> list[Warned]:
    found = []
    if app.queue.stopped is not None:
        found.append(
            Warned(
                "jobs_stopped",
                f"Background jobs are stopped: {app.queue.stopped}.",
                "Check the key and the endpoint in [llm]; then: ash jobs flush.",
            )
        )
    if set_aside:
        found.append(
            Warned(
                "jobs_set_aside",
                f"Jobs that keep failing were set aside: {set_aside}.",
                "ash jobs list --state set_aside says why; ash jobs retry ID runs one again.",
            )
        )
    return found


@method("system.metrics")
async def metrics(app: App, _session: Session, _call: Call, _params: NoParams) -> MetricsResult:
    """Give counts and times of calls, writes and jobs, in Prometheus' text format."""
    return MetricsResult(await app.metrics.text())


@method("db.stats")
async def stats(app: App, _session: Session, _call: Call, _params: NoParams) -> StatsResult:
    """Count what the database holds."""
    await app.llm_usage.flush()
    counts, used = await app.db.read(lambda tx: (meta.table_counts(tx), llm_usage.totals(tx)))
    return StatsResult(
        counts, [TaskUsage(one.task, one.calls, one.sent, one.received) for one in used]
    )


@method("system.paths")
async def paths(app: App, _session: Session, _call: Call, _params: NoParams) -> PathsResult:
    """Name the daemon's own files and directories, which no sandbox may be given."""
    return PathsResult(app.protected)


@method("system.reload", changes=True)
async def reload(app: App, _session: Session, call: Call, _params: NoParams) -> ReloadResult:
    """Read the configuration again; say what is in force now and what needs a restart."""
    result = app.reload.reload()
    await app.db.write(call.record, quiet=True)
    return result
