"""`ash memory conflicts`: the pairs of which the newer perhaps replaces the older, to settle."""

import sys
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, option, pass_caller

_VERDICTS: Final = {"r": "replaces", "b": "both"}


@click.command("conflicts", cls=Command)
@option("-n", "--limit", type=int, metavar="N", help="At most so many [20].")
@option("--cursor", metavar="CURSOR", help="Go on where a list ended.")
@pass_caller
def conflicts(caller: Caller, /, **params: Any) -> None:
    """List the memories that newer ones perhaps replace; on a terminal, settle them one by one."""
    result = caller.call("memory.conflicts", **params)
    if not caller.as_json and sys.stdin.isatty() and sys.stdout.isatty():
        _settle(caller, result)
    else:
        caller.answer(result, _listed)


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import supersede
    from ashd.cli.output import note

    for pair in result["conflicts"]:
        _print(pair)
        command = supersede(pair["newer"]["id"], pair["older"]["id"])
        note(f"If it is replaced: {command}; if both are true: {command} --verdict both")
    _count(result)


def _print(pair: dict[str, Any]) -> None:
    from ashd.cli.memory_view import echo_of
    from ashd.cli.output import day

    for which in ("older", "newer"):
        memory = pair[which]
        at = day(memory["observed_at"] or memory["created_at"])
        click.echo(f"{which}  {at}  {echo_of(memory)}")
    click.echo(f"       likelihood {pair['likelihood']:.2f}")


def _count(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import more, note

    note(f"{len(result['conflicts'])} of {count(result['total'], 'conflict')}.")
    if result["next_cursor"]:
        more(result["next_cursor"])


def _settle(caller: Caller, result: dict[str, Any]) -> None:
    """Ask about each pair; Enter leaves it open, q ends."""
    from ashd.cli.memory_view import supersede
    from ashd.cli.output import note

    for pair in result["conflicts"]:
        _print(pair)
        said = click.prompt(
            "[r] the newer replaces it, [b] both are true, [Enter] later, [q] stop",
            type=click.Choice(["r", "b", "", "q"]),
            default="",
            show_choices=False,
            show_default=False,
            err=True,
        )
        if said == "q":
            break
        if said:
            ids = {"id": pair["newer"]["id"], "superseded_id": pair["older"]["id"]}
            caller.call("memory.supersede", **ids, verdict=_VERDICTS[said])
            undo = supersede(ids["id"], ids["superseded_id"])
            note(f"Settled. {undo} --verdict unsure undoes it.")
    _count(result)
