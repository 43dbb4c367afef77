"""`ash stats` and `ash audit`: how the daemon is, and who did what."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, pass_caller
from ashd.cli.inputs import end_of_day, start_of_day


@click.command("stats", cls=Command)
@pass_caller
def stats(caller: Caller, /) -> None:
    """Show the daemon's health and what its database holds."""
    from ashd.cli.output import tree

    status = caller.call("system.status")
    caller.answer({"status": status, "database": caller.call("db.stats")}, tree)


@click.command("audit", cls=Command)
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@click.option("--since", type=start_of_day, metavar="DATE", help="From this day on.")
@click.option("--until", type=end_of_day, metavar="DATE", help="Up to this day.")
@pass_caller
def audit(caller: Caller, /, **params: Any) -> None:
    """Show who read, wrote and was refused what, newest first."""
    caller.answer(caller.call("audit.list", **params), _audited)


def _audited(result: dict[str, Any]) -> None:
    from ashd.cli.output import Column, day, table

    table(
        [
            Column("TIME"),
            Column("ACTOR"),
            Column("METHOD"),
            Column("OUTCOME"),
            Column("WHAT", flexes=True),
        ],
        [
            (
                day(entry.get("at")),
                entry.get("actor"),
                entry.get("method"),
                entry.get("outcome"),
                entry.get("detail"),
            )
            for entry in result.get("entries") or []
        ],
    )
