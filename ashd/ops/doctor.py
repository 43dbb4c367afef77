"""The doctor of a running daemon: checks its database and surroundings, and fixes what it can."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Final

import anyio.to_thread
import msgspec

from ashd import errors, log
from ashd.access.actor import Call
from ashd.config import Places
from ashd.ended_calls import Connection
from ashd.extraction import trial
from ashd.ops import doctor_checks, embedder_status, file_presence
from ashd.ops.checkup import Checkup
from ashd.ops.clock_watch import ClockWatch
from ashd.ops.current_warnings import CurrentWarnings
from ashd.ops.doctor_checks import Finding
from ashd.ops.progress import Progress
from ashd.people import duplicates
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import doctor, witness
from ashd.store.database import Database, Tx

_TRIAL: Final = "trial"
"""The trial's name in the progress of `system.status`."""


class CheckParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With `fix`, problems are fixed if possible; `dry_run` only reports what `fix` would do."""

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
        places: Places,
        checkup: Checkup,
        embeddings: CurrentEmbedder,
        warnings: CurrentWarnings,
        clock_watch: ClockWatch,
        progress: Progress,
        try_model: Callable[[], Awaitable[trial.Fault | None]] | None = None,
    ) -> None:
        """`try_model` finds what is wrong with the language model, if there is one."""
        self._try_model = try_model
        self._db = db
        self._places = places
        self._checkup = checkup
        self._embeddings = embeddings
        self._warnings = warnings
        self._clock_watch = clock_watch
        self._progress = progress

    async def check(self, call: Call, connection: Connection, params: CheckParams) -> CheckResult:
        """Look for damage and other problems; `fix` mends them if possible.

        The language model is tried once, on a conversation that comes with the daemon, for two
        minutes at most; if the client hangs up meanwhile, the trial ends, and nothing is fixed.

        Nothing is fixed if the call cannot be recorded in the audit.
        """
        of_model: list[Finding] = []
        if self._try_model is not None:
            trying = partial(self._try, self._try_model, of_model)
            if not await connection.waited_for(trying):
                raise errors.TimedOut("The caller hung up before the trial of the model ended.")
        found = doctor_checks.worst_first([*await self._look(), *of_model])
        if not params.fix or params.dry_run:
            return CheckResult(found)
        with suppress(errors.StorageError):  # the next look says why
            await self._db.write(call.record, quiet=True)
            if doctor_checks.can_change(found):
                await self._fix()
        left = doctor_checks.worst_first([*await self._look(), *of_model])
        return CheckResult(doctor_checks.after_fix(found, left))

    async def reindex(self, call: Call) -> ReindexResult:
        """Rebuild the full-text index and the queue of vectors from what is stored.

        Raises:
            errors.StorageError: the disk failed.
        """
        result = ReindexResult(await self._checkup.reindex())
        await self._db.write(call.record, quiet=True)
        return result

    async def _try(
        self, try_model: Callable[[], Awaitable[trial.Fault | None]], found: list[Finding]
    ) -> None:
        with self._progress.of(_TRIAL):
            fault = await try_model()
        if fault is not None:
            found.append(Finding("language_model", "warning", *fault))

    async def _look(self) -> list[Finding]:
        examined, counts, alike = None, None, 0
        damaged = False
        with suppress(errors.StorageError):  # a warning says why
            await file_presence.look(self._db)
        await self._clock_watch.look()
        try:
            examined = await self._checkup.examine()
            if not examined.hurt:
                counts = await self._db.read(doctor.count)
                alike = await anyio.to_thread.run_sync(people_alike, self._db.snapshot)
        except errors.DatabaseDamaged:
            damaged = examined is None
        except errors.StorageError as error:
            log.warning("not_examined", error=error.kind)
        model = self._embeddings.model or ""
        standing = [*embedder_status.faults(self._embeddings), *self._warnings.standing()]
        look = partial(
            doctor_checks.of,
            self._places,
            examined,
            counts,
            model=model,
            alike=alike,
            standing=standing,
            damaged=damaged,
        )
        return await anyio.to_thread.run_sync(look)

    async def _fix(self) -> None:
        await anyio.to_thread.run_sync(doctor_checks.make_private, self._places)
        await self._checkup.repair()
        await self._db.write(settle, quiet=True)
        self._db.health.clear("writes_lost")
        await self._clock_watch.confirm()
        self._embeddings.wake()


def people_alike(snapshot: Callable[[], AbstractContextManager[Tx]]) -> int:
    """Count the pairs of people who may be one; blocks its thread.

    Raises:
        errors.StorageError: the database failed.
    """
    with snapshot() as tx:
        return duplicates.count(tx)


def settle(tx: Tx) -> None:
    """Have refused texts tried again, and stop reporting lost commits."""
    doctor.retry_refused(tx)
    witness.forgive(tx)
