"""`ash account`: the accounts and how much each has, for the operator."""

from typing import Final

import click

from ashd.cli.commands import Group, cursor, limit, option
from ashd.cli.views import MORE, Note, Table, View

_ACCOUNTS: Final = View(
    Table(
        "accounts",
        "ACCOUNT {:account} | NAME {name} | MEMORIES> {memories} | CONVERSATIONS> {conversations}"
        " | TURNS> {turns} | LAST ACTIVE {last_active_at:day}",
    ),
    Note("{accounts:count account}."),
    MORE,
)


@click.group("account", cls=Group)
def account() -> None:
    """The accounts that the daemon knows."""


account.add_call(
    *("list", "account.list", _ACCOUNTS),
    "List accounts with the numbers of their memories and messages, oldest first.",
    option("--provider", help="Only the accounts of this provider."),
    limit("Entries per page."),
    cursor,
)
