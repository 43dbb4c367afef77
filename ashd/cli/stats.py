"""`ash stats` and `ash audit`: the state of the daemon, and who did what."""

from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, option, pass_caller
from ashd.cli.inputs import end_of_day, start_of_day

_DIGEST_CHARS: Final = 12
"""Enough characters of a digest to tell which calls were the same."""


@click.command("stats", cls=Command)
@option("--watch", "watched", is_flag=True, help="Show the load as it changes, until Ctrl-C.")
@option(
    "--interval",
    type=click.FloatRange(min=0.1, max=3600),
    default=2,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: the time between two looks.",
)
@pass_caller
def stats(caller: Caller, /, *, watched: bool, interval: float) -> None:
    """Show the daemon's health and what its database holds."""
    if watched:
        from ashd.cli.watch import watch

        watch(caller, interval)
        return
    from ashd.cli.hook import last_failure
    from ashd.cli.output import tree
    from ashd_client.protocol import AshCallError

    result = {"status": caller.call("system.status")}
    try:
        result["database"] = caller.call("db.stats")
    except AshCallError as error:
        if error.kind != "storage_error":
            raise
        # The status says what is wrong with the database, and the remedy.
        result["database"] = {"error": str(error)}
    failure = last_failure(caller.home_folder)
    if failure is not None:
        result["hooks"] = {"last_failure": failure}
    caller.answer(result, tree)


@click.command("audit", cls=Command)
@option("-n", "--limit", type=int, metavar="N", help="At most so many [50].")
@option("--since", type=start_of_day, metavar="DATE", help="From this day on.")
@option("--until", type=end_of_day, metavar="DATE", help="Up to this day.")
@option("--grant", "grant_id", metavar="ID", help="Of this grant.")
@option("--outcome", metavar="KIND", help="ok, or the kind of the error that denied it.")
@option("--cursor", metavar="CURSOR", help="What the page before gave for the next.")
@pass_caller
def audit(caller: Caller, /, **params: Any) -> None:
    """Show who changed what and who was denied what, newest first."""
    caller.answer(caller.call("audit.list", **params), _audited)


def _audited(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, day, more, note, table

    entries = result["entries"]
    if entries:
        table(
            [
                Column("TIME"),
                Column("BY", whole=True),
                Column("FOR"),
                Column("METHOD"),
                Column("OUTCOME"),
                Column("PID", right=True, spare=True),
                Column("UID", right=True, spare=True),
                Column("DIGEST", spare=True),
                Column("PEOPLE", spare=True),
                Column("MEMORY", spare=True),
            ],
            [
                (
                    day(entry["at"]),
                    *(entry["grant_id"] or entry["actor"], _account(entry["account"])),
                    *(entry["method"], entry["outcome"]),
                    *(entry["peer_pid"], entry["peer_uid"], entry["digest"][:_DIGEST_CHARS]),
                    *(" ".join(map(short, entry["people"])), short(entry["memory"] or "")),
                )
                for entry in entries
            ],
        )
    note(f"{count(len(entries), 'row')}.")
    if result["next_cursor"]:
        more(result["next_cursor"])


def _account(account: dict[str, Any] | None) -> str | None:
    """Format an account as `--as` takes it."""
    from ashd.cli.output import shown

    return f"{shown(account['provider'])}:{shown(account['user_id'])}" if account else None
