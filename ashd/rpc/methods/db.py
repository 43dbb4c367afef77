"""db.*: what concerns the database as a whole."""

from ashd.access.actor import Call
from ashd.ops.backup import BackupParams, BackupResult
from ashd.ops.doctor import CheckParams, CheckResult, ReindexResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import NoParams, method


@method("db.backup", changes=True, lasts=True)
async def backup(app: App, _session: Session, call: Call, params: BackupParams) -> BackupResult:
    """Copy the whole database to a new file, and verify the copy."""
    return await app.backups.make(call, params)


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
