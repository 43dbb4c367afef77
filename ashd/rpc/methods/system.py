"""system.* and db.stats: how the daemon is."""

import msgspec

import ashd
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.config import ProtectedPath
from ashd.ops.progress import Running
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.rpc.app import App, Session
from ashd.rpc.table import NoParams, method
from ashd.store import embeddings, meta, passages


class Building(msgspec.Struct, frozen=True):
    """Vectors that are being built to take the place of those in use, and how many are done."""

    model: str
    done: int
    total: int


class Warned(msgspec.Struct, frozen=True):
    """Something the operator should know, and what to do about it."""

    name: str
    detail: str
    remedy: str


class StatusResult(msgspec.Struct, frozen=True):
    """Health of the daemon; a sandbox is not told how much there is of everybody's."""

    version: str
    started_at: str
    embedder: str
    model: str | None
    waiting_for_vectors: int | None
    building: Building | None
    warnings: list[Warned]
    running: list[Running]
    """Long work that is under way, on the control socket only."""


class StatsResult(msgspec.Struct, frozen=True):
    """What the database holds: rows a kind, and bytes."""

    counts: dict[str, int]


class PathsResult(msgspec.Struct, frozen=True):
    """What no sandbox may be given, neither itself nor in a directory."""

    paths: list[ProtectedPath]


@method("system.status", sandbox=True)
async def status(app: App, session: Session, _call: Call, _params: NoParams) -> StatusResult:
    """Say how the daemon is."""
    building = app.embeddings.building
    vectors = building.vectors if building else None
    waiting, missing, total = await app.db.read(
        lambda tx: (
            embeddings.waiting_count(tx),
            embeddings.waiting_count(tx, vectors) if vectors else 0,
            passages.indexed_count(tx),
        )
    )
    return StatusResult(
        version=ashd.__version__,
        started_at=to_text(app.started_at) or "",
        embedder=app.embeddings.state,
        model=app.embeddings.model,
        waiting_for_vectors=waiting if session.door == "control" else None,
        building=(
            Building(building.embedder.model, total - missing, total)
            if building and session.door == "control"
            else None
        ),
        warnings=_warnings(app),
        running=app.progress.running if session.door == "control" else [],
    )


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


@method("db.stats")
async def stats(app: App, _session: Session, _call: Call, _params: NoParams) -> StatsResult:
    """Count what the database holds."""
    return StatsResult(await app.db.read(meta.table_counts))


@method("system.paths")
async def paths(app: App, _session: Session, _call: Call, _params: NoParams) -> PathsResult:
    """Name the daemon's own files and directories, which no sandbox may be given."""
    return PathsResult(app.protected)
