"""`ash db restore`: replace the database by a backup; works on the files, without a daemon."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ashd.cli import offline
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, option, pass_caller

if TYPE_CHECKING:
    from ashd.ops.restore import Restore


@click.command("restore", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--yes", is_flag=True, help="Do it without asking.")
@pass_caller
def restore(caller: Caller, /, file: Path, *, yes: bool) -> None:
    """Replace the database by a backup, while no daemon runs; the old files are kept.

    FILE is verified first, and the difference is shown before anything changes.
    """
    import msgspec

    from ashd.clock import SystemClock
    from ashd.ops.restore import prepare

    with (
        offline.places(caller) as places,
        click.progressbar(length=0, label="Verifying", file=sys.stderr) as bar,
        prepare(places.database, file.absolute(), SystemClock(), offline.into(bar)) as ready,
    ):
        bar.finish()
        bar.render_finish()
        if not yes:
            _show(ready)
            _confirm()
        done = ready.do()
    caller.answer(msgspec.to_builtins(done), _restored)


def _show(ready: "Restore") -> None:
    """Show the difference on standard error: standard output has the result alone."""
    from ashd.cli.memory_view import memories
    from ashd.cli.output import note, shown
    from ashd.ops.restore import SHOWN

    before = ready.before
    for table in SHOWN:
        now = shown(before[table]) if before else "unknown"
        note(f"{table.replace('_', ' '):<18}{now:>10} -> {shown(ready.after[table])}")
    note(f"{memories(ready.lost)} that you have now will be gone from it.")
    note(f"{memories(ready.returning)} that you do not have now will be back.")


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here: give --yes.")
    click.confirm("Restore?", abort=True, err=True)


def _restored(result: dict[str, Any]) -> None:
    from ashd.cli.output import note, shown

    click.echo(shown(result["path"]))
    if result["kept"]:
        note(f"The replaced database is {shown(result['kept'])}.")
    if result["grants_closed"]:
        note(f"Grants that were in force in the backup and are closed: {result['grants_closed']}.")
    note("Start the daemon again.")
