"""db.*: the database as a whole."""

from ashd.access.actor import Call
from ashd.ops.backup import BackupParams, BackupResult, Backups
from ashd.ops.cleanup import Cleanup, CompactParams, CompactResult, GcParams, GcResult
from ashd.ops.clear import Clear, ClearParams, ClearResult
from ashd.ops.doctor import CheckParams, CheckResult, Doctor, ReindexResult
from ashd.ops.growth import GrowthParams, GrowthResult, growth_of
from ashd.ops.transfer.export import ExportParams, ExportResult, Exports
from ashd.ops.transfer.imports import ImportParams, ImportResult, Imports
from ashd.rpc.app import Session
from ashd.rpc.table import NoParams, method
from ashd.store.database import Database


@method("db.backup", changes=True, lasts=True)
async def backup(backups: Backups, call: Call, params: BackupParams) -> BackupResult:
    """Copy the whole database to a new file, and verify the copy."""
    return await backups.make(call, params)


@method("db.growth")
async def growth(db: Database, params: GrowthParams) -> GrowthResult:
    """Count what was stored on each of the last days."""
    return await growth_of(db, params)


@method("db.check", changes=True, lasts=True)
async def check(doctor: Doctor, call: Call, params: CheckParams) -> CheckResult:
    """Look for damage and other problems; `fix` mends them if possible."""
    return await doctor.check(call, params)


@method("db.reindex", changes=True, lasts=True)
async def reindex(doctor: Doctor, db: Database, call: Call, _params: NoParams) -> ReindexResult:
    """Rebuild the full-text index and the queue of vectors from what is stored."""
    result = await doctor.reindex()
    await db.write(call.record, quiet=True)
    return result


@method("db.clear", changes=True, lasts=True)
async def clear(clearing: Clear, session: Session, call: Call, params: ClearParams) -> ClearResult:
    """Erase everything that is stored, for everybody, and revoke every grant."""
    return await clearing.clear(call, params, session.listeners)


@method("db.export", changes=True, lasts=True)
async def export(exports: Exports, call: Call, params: ExportParams) -> ExportResult:
    """Write everything to a new file as lines of JSON, or what the given scope may see."""
    return await exports.export(call, params)


@method("db.import", changes=True, stores=True, lasts=True)
async def import_(imports: Imports, call: Call, params: ImportParams) -> ImportResult:
    """Store the contents of a file; entries that exist already stay unchanged."""
    return await imports.import_(call, params)


@method("db.gc", changes=True, lasts=True)
async def gc(cleanup: Cleanup, call: Call, params: GcParams) -> GcResult:
    """Archive superseded, expired, faded and surplus memories; remove expired records."""
    return await cleanup.gc(call, params)


@method("db.compact", changes=True, lasts=True)
async def compact(cleanup: Cleanup, call: Call, params: CompactParams) -> CompactResult:
    """Erase for good what was archived longer ago than asked."""
    return await cleanup.compact(call, params)
