"""The doctor of a running daemon: looks at its database and surroundings, and fixes what it can."""

import anyio.to_thread
import msgspec

from ashd.config import Places
from ashd.ops import findings
from ashd.ops.checkup import Checkup
from ashd.ops.findings import Finding
from ashd.search.embeddings import Embeddings
from ashd.store import doctor, witness
from ashd.store.database import Database, Tx


class CheckParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With `fix`, what can be put right is; `dry_run` only says what would be."""

    fix: bool = False
    dry_run: bool = False


class CheckResult(msgspec.Struct, frozen=True):
    """The findings, the worst first."""

    findings: list[Finding]


class ReindexResult(msgspec.Struct, frozen=True):
    """The number of index rows that were rebuilt."""

    rows: int


class Doctor:
    """Looks at a running daemon."""

    def __init__(
        self, db: Database, places: Places, checkup: Checkup, embeddings: Embeddings
    ) -> None:
        self._db = db
        self._places = places
        self._checkup = checkup
        self._embeddings = embeddings

    async def check(self, params: CheckParams) -> CheckResult:
        """Look at everything, and put right what can be, if asked to.

        Raises:
            errors.StorageError: the disk failed, or the damage hides everything.
        """
        found = await self._look()
        if not params.fix or params.dry_run or not any(one.fixable for one in found):
            return CheckResult(found)
        await self._fix()
        return CheckResult(findings.after_fix(found, await self._look()))

    async def reindex(self) -> ReindexResult:
        """Let the index fit its rows.

        Raises:
            errors.StorageError: the disk failed.
        """
        return ReindexResult(await self._checkup.reindex())

    async def _look(self) -> list[Finding]:
        examined = await self._checkup.examine()
        counts = None if examined.hurt else await self._db.read(doctor.count)
        in_use = self._embeddings.model
        return await anyio.to_thread.run_sync(
            findings.of, self._places, examined, counts, in_use or ""
        )

    async def _fix(self) -> None:
        await self._checkup.repair()
        await self._db.write(settle, quiet=True)
        self._db.health.clear("writes_lost")
        await anyio.to_thread.run_sync(findings.make_private, self._places)
        self._embeddings.wake()


def settle(tx: Tx) -> None:
    """Let refused texts be tried again, and report lost commits no longer."""
    doctor.retry_refused(tx)
    witness.forgive(tx)
