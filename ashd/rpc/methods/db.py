"""db.*: what concerns the database as a whole."""

from ashd.access.actor import Call
from ashd.ops.backup import BackupParams, BackupResult
from ashd.ops.cleanup import CompactParams, CompactResult, GcParams, GcResult
from ashd.ops.clear import ClearParams, ClearResult
from ashd.ops.doctor import CheckParams, CheckResult, ReindexResult
from ashd.ops.growth import GrowthParams, GrowthResult, growth_of
from ashd.ops.transfer.export import ExportParams, ExportResult
from ashd.ops.transfer.imports import ImportParams, ImportResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import NoParams, method


@method("db.backup", changes=True, lasts=True)
async def backup(app: App, _session: Session, call: Call, params: BackupParams) -> BackupResult:
    """Copy the whole database to a new file, and verify the copy."""
    return await app.backups.make(call, params)


@method("db.growth")
async def growth(app: App, _session: Session, _call: Call, params: GrowthParams) -> GrowthResult:
    """Count what was stored on each of the last days."""
    return await growth_of(app.db, params)


@method("db.check", changes=True, lasts=True)
async def check(app: App, _session: Session, call: Call, params: CheckParams) -> CheckResult:
    """Look for damage and for what is not as it should be; `fix` puts right what can be."""
    result = await app.doctor.check(params)
    if params.fix and not params.dry_run:
        await app.db.write(call.record, quiet=True)
    return result


@method("db.reindex", changes=True, lasts=True)
async def reindex(app: App, _session: Session, call: Call, _params: NoParams) -> ReindexResult:
    """Make the full-text index and the queue of vectors fit what is stored."""
    result = await app.doctor.reindex()
    await app.db.write(call.record, quiet=True)
    return result


@method("db.clear", changes=True, lasts=True)
async def clear(app: App, session: Session, call: Call, params: ClearParams) -> ClearResult:
    """Erase everything that is stored, for everybody, and revoke every grant."""
    return await app.clear.clear(call, params, session.listeners)


@method("db.export", changes=True, lasts=True)
async def export(app: App, _session: Session, call: Call, params: ExportParams) -> ExportResult:
    """Write everything to a new file as lines of JSON, or what the scope named may see."""
    return await app.exports.export(call, params)


@method("db.import", changes=True, stores=True, lasts=True)
async def import_(app: App, _session: Session, call: Call, params: ImportParams) -> ImportResult:
    """Store what is in a file; what is stored already stays as it is."""
    return await app.imports.import_(call, params)


@method("db.gc", changes=True, lasts=True)
async def gc(app: App, _session: Session, call: Call, params: GcParams) -> GcResult:
    """Archive what is superseded, expired, faded or too much; remove what has had its time."""
    return await app.cleanup.gc(call, params)


@method("db.compact", changes=True, lasts=True)
async def compact(app: App, _session: Session, call: Call, params: CompactParams) -> CompactResult:
    """Erase for good what was archived longer ago than asked."""
    return await app.cleanup.compact(call, params)
