"""`ash doctor` and `ash reload`: find what is wrong, and put it right."""

import sys
from typing import Any, Final

import click

from ashd.cli import progress
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, call_command, option, pass_caller
from ashd.cli.output import as_addressed
from ashd.cli.views import Each, Line, Note, View

_FOUND_STATUS: Final = 1
"""The exit status if a problem is left, for scripts."""


def _name_states(result: dict[str, Any]) -> None:
    for one in result["findings"]:
        remedy = as_addressed(one["remedy"])
        one |= {"state": _state(one), "over": _is_over(one), "remedy": remedy}


_FOUND: Final = View(
    _name_states,
    Each(
        "findings",
        View(
            Line("{state}: {name}: {detail}"),
            Line("    {remedy}", "!over"),
        ),
    ),
    Note("Nothing is wrong.", "!findings"),
)
_RELOADED: Final = View(
    Note("In force: {reloaded:|nothing changed}."),
    Note("Restart the daemon for: {needs_restart}.", "needs_restart"),
)


@click.command("doctor", cls=Command)
@option("--fix", is_flag=True, help="Repair what can be repaired.")
@option("--dry-run", is_flag=True, help="With --fix: only say what would be repaired.")
@option("--offline", is_flag=True, help="Look at the files, while no daemon runs.")
@pass_caller
def doctor(caller: Caller, /, *, fix: bool, dry_run: bool, offline: bool) -> None:
    """Check integrity, indexes, leftovers, disk space and permissions.

    The exit status is 1 if a problem was found and not fixed.
    """
    if offline:
        result = _offline(caller, fix=fix, dry_run=dry_run)
    else:
        result = progress.call(caller, "db.check", label="Checking", fix=fix, dry_run=dry_run)
    caller.answer(result, _FOUND)
    if any(one["severity"] != "note" and not _is_over(one) for one in result["findings"]):
        sys.exit(_FOUND_STATUS)


reload = call_command(
    *("reload", "system.reload", _RELOADED),
    "Let the daemon read its configuration again: [log], [limits] and budgets of [llm].",
)


def _offline(caller: Caller, *, fix: bool, dry_run: bool) -> dict[str, Any]:
    import msgspec

    from ashd.cli import offline
    from ashd.clock import SystemClock
    from ashd.ops import doctor_offline
    from ashd.ops.doctor import CheckParams

    with offline.places(caller) as places:
        result = doctor_offline.check(places, SystemClock(), CheckParams(fix=fix, dry_run=dry_run))
    found: dict[str, Any] = msgspec.to_builtins(result)
    return found


def _is_over(finding: dict[str, Any]) -> bool:
    return bool(finding["fixed"] or finding["acknowledged"])


def _state(finding: dict[str, Any]) -> str:
    if _is_over(finding):
        return "fixed" if finding["fixed"] else "acknowledged"
    severity: str = finding["severity"]
    if finding["acknowledgeable"]:
        return f"{severity} (--fix acknowledges it)"
    return severity + (" (fixable)" if finding["fixable"] else "")
