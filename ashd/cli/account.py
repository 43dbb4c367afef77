"""`ash account`: the accounts and how much each has, for the operator."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller


@click.group("account", cls=Group)
def account() -> None:
    """The accounts that the daemon knows."""


@account.command("list")
@option("--provider", help="Only the accounts of this provider.")
@option("-n", "--limit", type=int, help="How many a page.")
@option("--cursor", help="Go on where a page ended.")
@pass_caller
def list_(caller: Caller, /, provider: str | None, limit: int | None, cursor: str | None) -> None:
    """List accounts with how much each has, the oldest first."""
    result = caller.call("account.list", provider=provider, limit=limit, cursor=cursor)
    caller.answer(result, _listed)


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.output import Column, note, table

    table(
        [
            Column("ACCOUNT"),
            Column("NAME"),
            Column("MEMORIES"),
            Column("CONVERSATIONS"),
            Column("TURNS"),
            Column("LAST ACTIVE"),
        ],
        [
            (
                f"{one['provider']}:{one['user_id']}",
                one["name"] or "",
                str(one["memories"]),
                str(one["conversations"]),
                str(one["turns"]),
                one["last_active_at"],
            )
            for one in result["accounts"]
        ],
    )
    if result["next_cursor"]:
        note(f"There are more: --cursor {result['next_cursor']}")
