"""`ash memory withdraw` and `ash memory restore`: archive many as one act, and bring them back."""

from functools import partial
from typing import Final

import click

from ashd.cli import memory_view, progress
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, call_command, completed, flag, option, pass_caller
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
    "Archive all memories that match; `ash memory restore --withdrawal` undoes it.",
    option(
        "--session",
        "session_id",
        metavar="ID",
        shell_complete=completed("session"),
        help="All from this session.",
    ),
    option(
        "--grant",
        "grant_id",
        metavar="ID",
        shell_complete=completed("grant"),
        help="All that came through this grant.",
    ),
    option("--source", metavar="SOURCE", help="cli, rpc, user, extraction …"),
    *(since("Stored from this day on."), until("Stored up to this day.")),
    flag("--dry-run", "List what would be withdrawn; change nothing."),
    label="Withdrawing",
)


@click.command("restore", cls=Command)
@click.argument("memory_ids", metavar="[ID…]", nargs=-1, shell_complete=completed("deleted memory"))
@option("--withdrawal", "withdrawal_id", metavar="ID", help="All of this withdrawal.")
@pass_caller
def restore(caller: Caller, /, memory_ids: tuple[str, ...], withdrawal_id: str | None) -> None:
    """Bring back memories that were deleted or have ended, or all memories of a withdrawal."""
    if bool(memory_ids) == (withdrawal_id is not None):
        raise click.UsageError("Give ID or --withdrawal ID.")
    call = partial(progress.call, caller, "memory.restore", label="Restoring")
    if memory_ids:
        caller.answer_each(memory_ids, lambda one: call(id=one), memory_view.RESTORED)
    else:
        caller.answer(call(withdrawal_id=withdrawal_id), _RESTORED)
