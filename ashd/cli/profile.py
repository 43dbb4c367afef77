"""`ash profile`: the text about a user, and its versions."""

from typing import Any

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, option, pass_caller
from ashd.cli.inputs import read_text


@click.group("profile", cls=Group)
def profile() -> None:
    """Your profile: the text about you in every prompt."""


@profile.command("show")
@pass_caller
def show(caller: Caller, /) -> None:
    """Show the profile and your notes."""
    caller.answer(caller.call("profile.get"), _shown)


@profile.command("history")
@option("-n", "--limit", type=int, metavar="N", help="At most so many versions [20].")
@flag("--diff", "Show what each version changed.")
@option("--against", type=int, metavar="N", help="Compare each with this version.")
@pass_caller
def history(caller: Caller, /, *, diff: bool | None, **params: Any) -> None:
    """List the versions of the profile, or show what each changed."""
    compared = diff or params["against"] is not None
    caller.answer(caller.call("profile.history", **params), _compared if compared else _history)


@profile.command("rebuild")
@pass_caller
def rebuild(caller: Caller, /) -> None:
    """Write the profile anew, in the background, from all that you said of yourself."""
    caller.answer(caller.call("profile.rebuild"), _rebuilt)


@profile.command("set")
@click.argument("text", nargs=-1)
@option("--file", type=str, metavar="FILE", help="Take the text from this file.")
@option("--notes", metavar="NOTES", help="Your own notes.")
@option("--learned", metavar="TEXT", help="Correct what was learned from conversations.")
@pass_caller
def set_(
    caller: Caller,
    /,
    text: tuple[str, ...],
    file: str | None,
    notes: str | None,
    learned: str | None,
) -> None:
    """Write the profile's TEXT (- reads standard input), or your notes; "" clears one.

    What you write is never changed; what is learned from conversations is kept apart from it.
    """
    given: str | None = " ".join(text) if text else None
    if file is not None or text == ("-",):
        given = read_text(file or "-")
    caller.answer(caller.call("profile.set", text=given, notes=notes, learned=learned), _set)


def _shown(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import block, day, note, paint

    found = result["profile"]
    if found is None:
        note("Nothing is written yet.")
        return
    if found["text"]:
        click.echo(block(found["text"]))
    if found["learned"]:
        click.echo(f"{paint('Learned from conversations', bold=True)}\n{block(found['learned'])}")
    if found["notes"]:
        click.echo(f"{paint('Notes', bold=True)}\n{block(found['notes'])}")
    size = count(found["token_count"], "token")
    note(f"Version {found['version']} of {day(found['created_at'])}, {size}.")


def _history(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, day, note, table

    versions = result["versions"]
    if versions:
        table(
            [Column("VERSION", right=True), Column("WRITTEN"), Column("BY"), Column("TOKENS")],
            [
                (entry["version"], day(entry["created_at"]), entry["source"], entry["token_count"])
                for entry in versions
            ],
        )
    note(f"{count(len(versions), 'version')}; --diff shows what each changed.")


def _rebuilt(result: dict[str, Any]) -> None:
    click.echo(f"The profile is written anew in the background, job {result['job_id']}.")


def _compared(result: dict[str, Any]) -> None:
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
