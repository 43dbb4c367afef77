"""`ash memory withdraw` and `ash memory restore`: archive many as one act, and bring them back."""

from typing import Final

import click

from ashd.cli import lasting, memory_view
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, call_command, flag, option, pass_caller
from ashd.cli.inputs import since, until
from ashd.cli.views import Line, Note, View

_WITHDRAWN: Final = View(
    Line("{:echo}", each="memories"),
    Note("{total:memories} fit.", "!withdrawal_id"),
    Note("{total:memories} withdrawn.", "withdrawal_id"),
    Note("`ash memory restore --withdrawal {withdrawal_id}` undoes it.", "withdrawal_id"),
)
_RESTORED: Final = View(
    Line("{count:memories}.", verb="Restored"),
    Note("Said by other memories by now, so not restored: {stay}.", "stay"),
)

withdraw = call_command(
    *("withdraw", "memory.withdraw", _WITHDRAWN),
    "Archive, as one act, all that match; `ash memory restore --withdrawal` undoes it.",
    option("--session", "session_id", metavar="ID", help="All from this session."),
    option("--grant", "grant_id", metavar="ID", help="All that came through this grant."),
    option("--source", metavar="SOURCE", help="cli, rpc, user, extraction …"),
    *(since("Stored from this day on."), until("Stored up to this day.")),
    flag("--dry-run", "List what would be withdrawn; change nothing."),
    label="Withdrawing",
)


@click.command("restore", cls=Command)
@click.argument("memory_id", metavar="ID", required=False)
@option("--withdrawal", "withdrawal_id", metavar="ID", help="All of this withdrawal.")
@pass_caller
def restore(caller: Caller, /, memory_id: str | None, withdrawal_id: str | None) -> None:
    """Bring back a deleted memory, or one that has ended; or all of a withdrawal."""
    if (memory_id is None) == (withdrawal_id is None):
        raise click.UsageError("Give ID or --withdrawal ID.")
    result = lasting.call(
        caller, "memory.restore", label="Restoring", id=memory_id, withdrawal_id=withdrawal_id
    )
    caller.answer(result, memory_view.RESTORED if memory_id else _RESTORED)
