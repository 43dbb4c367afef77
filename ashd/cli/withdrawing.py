"""`ash memory withdraw` and `ash memory restore`: archive many as one act, and bring them back."""

from typing import Any

import click

from ashd.cli import lasting
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, flag, option, pass_caller
from ashd.cli.inputs import end_of_day, start_of_day


@click.command("withdraw", cls=Command)
@option("--session", "session_id", metavar="ID", help="All from this session.")
@option("--grant", "grant_id", metavar="ID", help="All that came through this grant.")
@option("--source", metavar="SOURCE", help="cli, rpc, user, extraction …")
@option("--since", type=start_of_day, metavar="DATE", help="Stored from this day on.")
@option("--until", type=end_of_day, metavar="DATE", help="Stored up to this day.")
@flag("--dry-run", "List what would be withdrawn; change nothing.")
@pass_caller
def withdraw(caller: Caller, /, *, dry_run: bool | None, **params: Any) -> None:
    """Archive, as one act, all that match; `ash memory restore --withdrawal` undoes it."""
    result = lasting.call(caller, "memory.withdraw", label="Withdrawing", dry_run=dry_run, **params)
    caller.answer(result, _withdrawn)


@click.command("restore", cls=Command)
@click.argument("memory_id", metavar="ID", required=False)
@option("--withdrawal", "withdrawal_id", metavar="ID", help="All of this withdrawal.")
@pass_caller
def restore(caller: Caller, /, memory_id: str | None, withdrawal_id: str | None) -> None:
    """Bring back a deleted memory, or one that has ended; or all of a withdrawal."""
    from ashd.cli import memory_view

    if (memory_id is None) == (withdrawal_id is None):
        raise click.UsageError("Give ID or --withdrawal ID.")
    result = lasting.call(
        caller, "memory.restore", label="Restoring", id=memory_id, withdrawal_id=withdrawal_id
    )
    caller.answer(result, memory_view.restored if memory_id else _restored)


def _withdrawn(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import echo_of, memories
    from ashd.cli.output import note, shown

    for memory in result["memories"]:
        click.echo(echo_of(memory))
    withdrawal = result["withdrawal_id"]
    note(f"{memories(result['total'])} {'withdrawn' if withdrawal else 'fit'}.")
    if withdrawal:
        note(f"`ash memory restore --withdrawal {shown(withdrawal)}` undoes it.")


def _restored(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import memories
    from ashd.cli.output import note, shown

    click.echo(f"Restored {memories(result['count'])}.")
    if result["stay"]:
        note(f"Said by other memories by now, so not restored: {shown(result['stay'])}.")
