"""`ash db rescue`: save the readable part of a damaged database; works on the files."""

import sys
from pathlib import Path
from typing import Any

import click

from ashd.cli import offline
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, pass_caller


@click.command("rescue", cls=Command)
@click.argument("path", type=click.Path(path_type=Path))
@pass_caller
def rescue(caller: Caller, /, path: Path) -> None:
    """Export the readable part of a damaged database, while no daemon runs.

    What cannot be read is listed. Restore a backup, and import PATH into it.
    """
    import msgspec

    from ashd.clock import SystemClock
    from ashd.ops.transfer import rescue as rescuing

    with (
        offline.places(caller) as places,
        click.progressbar(length=0, label="Reading", file=sys.stderr) as bar,
    ):
        done = rescuing.rescue(places.database, path.absolute(), SystemClock(), offline.into(bar))
    caller.answer(msgspec.to_builtins(done), _rescued)


def _rescued(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note, shown

    click.echo(shown(result["path"]))
    note(f"{count(result['rows'], 'record')} saved.")
    for lost in result["lost"]:
        rows = "Some" if lost["rows"] is None else lost["rows"]
        note(f"{rows} of the kind {shown(lost['kind'])} cannot be read.")
        for one in lost["ids"]:
            note(f"  {shown(one)}")
    if not result["lost"]:
        note("Everything could be read.")
