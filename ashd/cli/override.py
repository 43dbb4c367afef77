"""`ash override`: facts that are always in the context."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, pass_caller
from ashd.cli.inputs import words


@click.group("override", cls=Group)
def override() -> None:
    """Pinned facts: they are always in the context."""


@override.command("add")
@words("content")
@flag("--for-groups", "Show it also in the groups where you ask.")
@pass_caller
def add(caller: Caller, /, **params: Any) -> None:
    """Pin a fact, as "I prefer tabs over spaces"; with --chat the group's own."""
    caller.answer(caller.call("override.add", **params), _added)


@override.command("list")
@pass_caller
def list_(caller: Caller, /) -> None:
    """List what is pinned."""
    caller.answer(caller.call("override.list"), _listed)


@override.command("remove")
@click.argument("override_id", metavar="ID")
@pass_caller
def remove(caller: Caller, /, override_id: str) -> None:
    """Unpin a fact."""
    caller.answer(caller.call("override.remove", id=override_id), _removed)


def _added(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import echo_of

    word = {"added": "Pinned", "duplicate": "Pinned already", "changed": "Changed"}
    click.echo(f"{word[result['outcome']]} {echo_of(result['override'])}")


def _removed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import echo_of

    click.echo(f"Removed {echo_of(result['override'])}")


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, owner, short
    from ashd.cli.output import Column, day, note, table

    entries = result["overrides"]
    if entries:
        table(
            [
                Column("ID"),
                Column("WHOSE"),
                Column("IN GROUPS"),
                Column("SINCE"),
                Column("CONTENT", flexes=True),
            ],
            [
                (
                    short(entry["id"]),
                    owner(entry),
                    entry["for_groups"],
                    day(entry["created_at"]),
                    entry["content"],
                )
                for entry in entries
            ],
            lines=4,
        )
    note(f"{count(len(entries), 'pinned fact')}.")
