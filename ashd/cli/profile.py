"""`ash profile`: what is written of a user, and how it came to be so."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, pass_caller
from ashd.cli.inputs import read_text


@click.group("profile", cls=Group)
def profile() -> None:
    """What is written of you, for every prompt."""


@profile.command("show")
@pass_caller
def show(caller: Caller, /) -> None:
    """Show the profile and your notes."""
    caller.answer(caller.call("profile.get"), _shown)


@profile.command("history")
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many versions [20].")
@click.option("--against", type=int, metavar="N", help="Compare each with this version.")
@pass_caller
def history(caller: Caller, /, **params: Any) -> None:
    """Show what each version changed."""
    caller.answer(caller.call("profile.history", **params), _history)


@profile.command("set")
@click.argument("text", nargs=-1)
@click.option("--file", type=str, metavar="FILE", help="Take the text from this file.")
@click.option("--notes", metavar="NOTES", help="Your own notes, that nothing rebuilds.")
@pass_caller
def set_(caller: Caller, /, text: tuple[str, ...], file: str | None, notes: str | None) -> None:
    """Write the profile's TEXT (- reads standard input), or your notes; "" takes one away."""
    given: str | None = " ".join(text) if text else None
    if file is not None or text == ("-",):
        given = read_text(file or "-")
    caller.answer(caller.call("profile.set", text=given, notes=notes), _set)


def _shown(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, day, note, paint

    found = result["profile"]
    if found is None:
        note("Nothing is written yet.")
        return
    if found["text"]:
        click.echo(block(found["text"]))
    if found["notes"]:
        click.echo(f"{paint('Notes', bold=True)}\n{block(found['notes'])}")
    size = count(found["token_count"], "token")
    note(f"Version {found['version']} of {day(found['created_at'])}, {size}.")


def _history(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, day, note, paint

    for entry in result["versions"]:
        click.echo(paint(f"Version {entry['version']}, {day(entry['created_at'])}", bold=True))
        click.echo(f"{block(entry['difference'])}\n")
    note(f"{count(len(result['versions']), 'version')}.")


def _set(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count

    found = result["profile"]
    click.echo(f"Version {found['version']}, {count(found['token_count'], 'token')}.")
