"""The doctor of a running daemon: checks its database and surroundings, and fixes what it can."""

from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec

from ashd.clock import Clock
from ashd.config import Places
from ashd.ops import embedder_status, findings
from ashd.ops.checkup import Checkup
from ashd.ops.findings import Finding
from ashd.people import duplicates
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import doctor, witness
from ashd.store.database import Database, Tx
from ashd.store.snapshot import snapshot


class CheckParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With `fix`, problems are fixed if possible; `dry_run` only reports what would be."""

    fix: bool = False
    dry_run: bool = False


class CheckResult(msgspec.Struct, frozen=True):
    """The findings, worst first."""

    findings: list[Finding]


class ReindexResult(msgspec.Struct, frozen=True):
    """The number of index rows that were rebuilt."""

    rows: int


class Doctor:
    """Examines a running daemon."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        places: Places,
        checkup: Checkup,
        embeddings: CurrentEmbedder,
    ) -> None:
        self._db = db
        self._clock = clock
        self._places = places
        self._checkup = checkup
        self._embeddings = embeddings

    async def check(self, params: CheckParams) -> CheckResult:
        """Check everything, and fix what can be fixed if asked to.

        Raises:
            errors.StorageError: the disk failed, or the damage hides everything.
        """
        found = await self._look()
        if not params.fix or params.dry_run or not any(one.fixable for one in found):
            return CheckResult(found)
        await self._fix()
        return CheckResult(findings.after_fix(found, await self._look()))

    async def reindex(self) -> ReindexResult:
        """Rebuild index rows that do not fit their texts.

        Raises:
            errors.StorageError: the disk failed.
        """
        return ReindexResult(await self._checkup.reindex())

    async def _look(self) -> list[Finding]:
        examined = await self._checkup.examine()
        counts, alike = None, 0
        if not examined.hurt:
            counts = await self._db.read(doctor.count)
            alike = await anyio.to_thread.run_sync(people_alike, self._db.path, self._clock)
        model = self._embeddings.model or ""
        look = partial(
            findings.of,
            self._places,
            examined,
            counts,
            model=model,
            alike=alike,
            faults=embedder_status.faults(self._embeddings),
        )
        return await anyio.to_thread.run_sync(look)

    async def _fix(self) -> None:
        await self._checkup.repair()
        await self._db.write(settle, quiet=True)
        self._db.health.clear("writes_lost")
        await anyio.to_thread.run_sync(findings.make_private, self._places)
        self._embeddings.wake()


def people_alike(path: Path, clock: Clock) -> int:
    """Count the pairs of people who may be one; blocks its thread.

    Raises:
        errors.StorageError: the database failed.
    """
    with snapshot(path, clock) as tx:
        return duplicates.count(tx)


def settle(tx: Tx) -> None:
    """Have refused texts tried again, and stop reporting lost commits."""
    doctor.retry_refused(tx)
    witness.forgive(tx)
