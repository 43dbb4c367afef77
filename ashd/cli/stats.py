"""`ash stats` and `ash audit`: the state of the daemon, and who did what."""

from typing import Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, call_command, completed, cursor, limit, option, pass_caller
from ashd.cli.inputs import since, until
from ashd.cli.views import MORE, Note, Table, View

_DIGEST_CHARS: Final = 12
"""Enough characters of a digest to tell which calls were the same."""
_AUDIT: Final = View(
    Table(
        "entries",
        "TIME {at:day} | BY! {grant_id or actor} | FOR {account:account} | METHOD {method}"
        " | OUTCOME {outcome} | PID>? {peer_pid} | UID>? {peer_uid}"
        f" | DIGEST? {{digest:.{_DIGEST_CHARS}}}"
        " | PEOPLE? {people:short} | MEMORY? {memory:short}",
    ),
    Note("{entries:count row}."),
    MORE,
)


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
    from ashd.cli import status_view
    from ashd.cli.hook import hosts, last_failure
    from ashd_client.protocol import AshCallError

    result = {"status": caller.call("system.status")}
    try:
        result["database"] = caller.call("db.stats")
    except AshCallError as error:
        if error.kind not in {"storage_error", "starting"}:
            raise
        # The status says what is wrong with the database, or that it is being opened.
        result["database"] = {"error": str(error)}
    hooked, failure = hosts(caller.home_folder), last_failure(caller.home_folder)
    if hooked or failure is not None:
        result["hooks"] = {"hosts": hooked, **({"last_failure": failure} if failure else {})}
    caller.answer(result, status_view.show)


audit = call_command(
    *("audit", "audit.list", _AUDIT),
    "Show who changed what and who was denied what, newest first.",
    limit("At most so many [50]."),
    *(since(), until()),
    option(
        "--grant",
        "grant_id",
        metavar="ID",
        shell_complete=completed("grant"),
        help="Of this grant.",
    ),
    option("--outcome", metavar="KIND", help="ok, or the kind of the error that denied it."),
    cursor,
)
