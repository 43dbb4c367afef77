"""`ash doctor`, `ash db reindex` and `ash reload`: find what is wrong, and put it right."""

import sys
from typing import Any, Final

import click

from ashd.cli import lasting
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, option, pass_caller

_FOUND_STATUS: Final = 1
"""The exit status if a problem is left, for scripts."""


@click.command("doctor", cls=Command)
@option("--fix", is_flag=True, help="Put right what can be.")
@option("--dry-run", is_flag=True, help="With --fix: only say what would be put right.")
@option("--offline", is_flag=True, help="Look at the files, while no daemon runs.")
@pass_caller
def doctor(caller: Caller, /, *, fix: bool, dry_run: bool, offline: bool) -> None:
    """Check integrity, indexes, leftovers, disk space and permissions.

    The exit status is 1 if a problem was found and not fixed.
    """
    if offline:
        result = _offline(caller, fix=fix, dry_run=dry_run)
    else:
        result = lasting.call(caller, "db.check", label="Checking", fix=fix, dry_run=dry_run)
    caller.answer(result, _show)
    if any(one["severity"] != "note" and not _is_over(one) for one in result["findings"]):
        sys.exit(_FOUND_STATUS)


@click.command("reindex", cls=Command)
@pass_caller
def reindex(caller: Caller, /) -> None:
    """Rebuild the full-text index and the queue of vectors from what is stored."""
    result = lasting.call(caller, "db.reindex", label="Indexing")
    caller.answer(result, _reindexed)


@click.command("reload", cls=Command)
@pass_caller
def reload(caller: Caller, /) -> None:
    """Let the daemon read its configuration again: [log], [limits] and budgets of [llm]."""
    caller.answer(caller.call("system.reload"), _reloaded)


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


def _show(result: dict[str, Any]) -> None:
    from ashd.cli.output import note, shown

    for one in result["findings"]:
        click.echo(f"{_state(one)}: {one['name']}: {shown(one['detail'])}")
        if not _is_over(one):
            click.echo(f"    {shown(one['remedy'])}")
    if not result["findings"]:
        note("Nothing is wrong.")


def _is_over(finding: dict[str, Any]) -> bool:
    return bool(finding["fixed"] or finding["acknowledged"])


def _state(finding: dict[str, Any]) -> str:
    if _is_over(finding):
        return "fixed" if finding["fixed"] else "acknowledged"
    severity: str = finding["severity"]
    if finding["acknowledgeable"]:
        return f"{severity} (--fix acknowledges it)"
    return severity + (" (fixable)" if finding["fixable"] else "")


def _reindexed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note

    note(f"Made anew: {count(result['rows'], 'row')}.")


def _reloaded(result: dict[str, Any]) -> None:
    from ashd.cli.output import note

    note(f"In force: {', '.join(result['reloaded']) or 'nothing changed'}.")
    if result["needs_restart"]:
        note(f"Restart the daemon for: {', '.join(result['needs_restart'])}.")
