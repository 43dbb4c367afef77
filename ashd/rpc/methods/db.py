"""db.*: what concerns the database as a whole."""

from ashd.access.actor import Call
from ashd.ops.backup import BackupParams, BackupResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("db.backup", changes=True, lasts=True)
async def backup(app: App, _session: Session, call: Call, params: BackupParams) -> BackupResult:
    """Copy the whole database to a new file, and verify the copy."""
    return await app.backups.make(call, params)
