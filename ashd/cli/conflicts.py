"""`ash memory conflicts`: the pairs of which the newer perhaps replaces the older, to settle."""

import sys
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, cursor, limit, pass_caller
from ashd.cli.views import MORE, Each, Line, Note, View

_VERDICTS: Final = {"r": "replaces", "b": "both"}
_REPLACED: Final = "ash memory supersede {newer.id:short} {older.id:short}"
_PAIR: Final = View(
    Line("older  {older.observed_at or older.created_at:day}  {older:echo}"),
    Line("newer  {newer.observed_at or newer.created_at:day}  {newer:echo}"),
    Line("       likelihood {likelihood:.2f}"),
)
_SETTLED: Final = View(Note(f"Settled. {_REPLACED} --verdict unsure undoes it."))
_COUNT: Final = View(Note("{conflicts:count} of {total:count conflict}."), MORE)
_CONFLICTS: Final = View(
    Each(
        "conflicts",
        View(
            _PAIR,
            Note(f"If it is replaced: {_REPLACED}; if both are true: {_REPLACED} --verdict both"),
        ),
    ),
    _COUNT,
)


@click.command("conflicts", cls=Command)
@limit("At most so many [20].")
@cursor
@pass_caller
def conflicts(caller: Caller, /, **params: Any) -> None:
    """List the memories that newer ones perhaps replace; on a terminal, settle them one by one."""
    result = caller.call("memory.conflicts", **params)
    if not caller.as_json and sys.stdin.isatty() and sys.stdout.isatty():
        _settle(caller, result)
    else:
        caller.answer(result, _CONFLICTS)


def _settle(caller: Caller, result: dict[str, Any]) -> None:
    """Ask about each pair; Enter leaves it open, q ends."""
    for pair in result["conflicts"]:
        _PAIR(pair)
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
            _SETTLED(pair)
    _COUNT(result)
