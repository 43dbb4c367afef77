"""`system.status` and `system.paths`: the state of the daemon, and where its files are."""

from dataclasses import dataclass
from typing import Literal

import msgspec

import ashd
from ashd import errors
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ops import current_warnings, llm_status
from ashd.ops.current_warnings import CurrentWarnings, Stored
from ashd.ops.llm_status import LanguageModelStatus
from ashd.ops.llm_usage import LlmUsage
from ashd.ops.progress import Progress, Running
from ashd.protected_paths import ProtectedPath
from ashd.providers.llm import LanguageModel
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import embeddings, passages
from ashd.store.database import Database
from ashd.store.health import Warned


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


class PathsResult(msgspec.Struct, frozen=True):
    """Paths that no sandbox may be given, neither themselves nor in a directory."""

    paths: list[ProtectedPath]


@dataclass(frozen=True, slots=True)
class System:
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

    async def status(self, call: Call) -> StatusResult:
        """Report the daemon's health."""
        is_operator = call.actor.kind == "operator"
        building = self.embeddings.building
        vectors = building.vectors if building else None
        try:
            waiting, missing, total, held = await self.db.read(
                lambda tx: (
                    embeddings.waiting_count(tx),
                    embeddings.waiting_count(tx, vectors) if vectors else 0,
                    passages.indexed_count(tx) if vectors else 0,
                    current_warnings.stored(tx) if is_operator else Stored(),
                )
            )
        except errors.StorageError:  # the warnings say why
            waiting, missing, total, held = None, 0, 0, Stored()
        return StatusResult(
            version=ashd.__version__,
            state="ready",
            started_at=to_text(self.started_at) or "",
            embedder=self.embeddings.state,
            model=self.embeddings.model,
            waiting_for_vectors=waiting if is_operator else None,
            building=(
                Building(building.embedder.model, total - missing, total)
                if building and is_operator
                else None
            ),
            language_model=llm_status.status(self.llm, self.llm_usage, with_usage=is_operator),
            memory_on=call.memory_on,
            warnings=(self.warnings.all(held) if is_operator else self.warnings.for_sandboxes()),
            running=self.progress.running if is_operator else [],
        )

    async def paths(self) -> PathsResult:
        """Name the daemon's own files and directories, which no sandbox may be given."""
        return PathsResult(self.protected)
