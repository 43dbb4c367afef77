"""`ash db`: back up the database, restore it, carry it to another machine."""

from pathlib import Path
from typing import Any

import click

from ashd.cli import lasting
from ashd.cli.caller import Caller
from ashd.cli.commands import Group, pass_caller
from ashd.cli.doctor import reindex
from ashd.cli.restore import restore


@click.group("db", cls=Group)
def db() -> None:
    """The database: backup, restore, export and import."""


@db.command("backup")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--keep", type=int, metavar="N", help="Remove all but the N newest backups there.")
@pass_caller
def backup(caller: Caller, /, path: Path | None, keep: int | None) -> None:
    """Copy the database while the daemon runs, and verify the copy.

    PATH is a new file or a directory; without it the copy goes into the daemon's backup folder.
    """
    given = str(path.absolute()) if path else None
    result = lasting.call(caller, "db.backup", label="Backing up", path=given, keep=keep)
    caller.answer(result, _backed_up)


def _backed_up(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, memories
    from ashd.cli.output import note, shown

    click.echo(shown(result["path"]))
    note(f"Verified: {memories(result['memories'])}, {result['bytes']:,} bytes.")
    if result["removed"]:
        note(f"Removed {count(len(result['removed']), 'older backup')}.")


db.add_command(restore)
db.add_command(reindex)
