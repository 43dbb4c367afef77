"""system.* and db.stats: how the daemon is."""

import msgspec

import ashd
from ashd.access.call import Call
from ashd.clock import to_text
from ashd.config import ProtectedPath
from ashd.rpc.app import App, Session
from ashd.rpc.table import NoParams, method
from ashd.store import meta, passages


class Building(msgspec.Struct, frozen=True):
    """Vectors that are being built to take the place of those in use, and how many are done."""

    model: str
    done: int
    total: int


class StatusResult(msgspec.Struct, frozen=True):
    """Health of the daemon; a sandbox is not told how much there is of everybody's."""

    version: str
    started_at: str
    embedder: str
    model: str | None
    waiting_for_vectors: int | None
    building: Building | None
    warnings: list[str]


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
            passages.waiting_count(tx),
            passages.waiting_count(tx, vectors) if vectors else 0,
            passages.indexed_count(tx),
        )
    )
    failed = app.embeddings.state == "failed"
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
        warnings=["The embedder does not answer: searches go by words."] if failed else [],
    )


@method("db.stats")
async def stats(app: App, _session: Session, _call: Call, _params: NoParams) -> StatsResult:
    """Count what the database holds."""
    return StatsResult(await app.db.read(meta.table_counts))


@method("system.paths")
async def paths(app: App, _session: Session, _call: Call, _params: NoParams) -> PathsResult:
    """Name the daemon's own files and directories, which no sandbox may be given."""
    return PathsResult(app.protected)
