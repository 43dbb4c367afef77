"""Commands that erase: `ash memory erase|gc|compact`, `ash person forget`, `ash db clear`."""

import sys
from functools import partial
from typing import Any, Final

import click

from ashd.cli import lasting
from ashd.cli.caller import Caller, account_of
from ashd.cli.commands import Command, flag, option, pass_caller
from ashd.cli.inputs import days

_SHORT: Final = 8
"""Characters of an id that are shown: enough for every command."""
_dry_run = flag("--dry-run", "Count what would go; erase nothing.")
_yes = flag("--yes", "Do not ask.")


@click.command("erase", cls=Command)
@click.argument("memory_id", metavar="ID", required=False)
@option("--conversation", "conversation_id", metavar="ID", help="This conversation.")
@option("--grant", "grant_id", metavar="ID", help="What came through this grant.")
@option("--owner", metavar="[PROVIDER:]USER", help="All that this account owns or said.")
@_dry_run
@_yes
@pass_caller
def erase(
    caller: Caller,
    /,
    memory_id: str | None,
    owner: str | None,
    *,
    dry_run: bool | None,
    yes: bool | None,
    **params: Any,
) -> None:
    """Erase for good: the memory ID, a conversation, a grant's contributions or an owner."""
    if owner is not None:
        params["owner"] = account_of(owner)
    _ask("Erase this for good? Nothing brings it back.", no_need=dry_run or yes)
    result = lasting.call(
        caller, "memory.erase", label="Erasing", id=memory_id, dry_run=dry_run, **params
    )
    caller.answer(result, _would_go if dry_run else _gone)


@click.command("forget", cls=Command)
@click.argument("person_id", metavar="ID")
@flag("--erase", "Erase the memories and the record for good instead of archiving.")
@flag("--mentions", "With --erase: erase what names the person without being linked, too.")
@flag("--delete-record", "Delete the person's record too.")
@_dry_run
@_yes
@pass_caller
def forget(
    caller: Caller,
    /,
    person_id: str,
    *,
    dry_run: bool | None,
    yes: bool | None,
    delete_record: bool | None,
    **how: bool | None,
) -> None:
    """Archive all memories about the person ID; --erase erases them for good."""
    if how["mentions"] and not how["erase"]:
        raise click.UsageError("--mentions is for --erase.")

    def call(*, dry_run: bool | None) -> dict[str, Any]:
        return lasting.call(
            caller,
            "memory.forget_person",
            label="Forgetting",
            person_id=person_id,
            delete_person_record=delete_record,
            dry_run=dry_run,
            **how,
        )

    if how["mentions"] and not (dry_run or yes):
        _show_mentions(call(dry_run=True), names_taken="would be erased", to_stderr=True)
    question = (
        "Erase all about this person for good?" if how["erase"] else "Archive all about them?"
    )
    _ask(question, no_need=dry_run or yes)
    answered = partial(_answered, dry_run=bool(dry_run), mentions=bool(how["mentions"]))
    caller.answer(call(dry_run=dry_run), answered)


@click.command("clear", cls=Command)
@option("--confirm", metavar="everything", help="The word that says you mean it.")
@_dry_run
@pass_caller
def clear(caller: Caller, /, confirm: str | None, *, dry_run: bool | None) -> None:
    """Erase everything that is stored, for everybody, and revoke every grant."""
    if dry_run:
        confirm = "everything"
    elif confirm is None and sys.stdin.isatty():
        click.confirm("Erase everything, for everybody?", abort=True, err=True)
        confirm = click.prompt("Type `everything` to go on", err=True)
    if confirm != "everything":
        raise click.UsageError("Give --confirm everything.")
    result = lasting.call(caller, "db.clear", label="Erasing", confirm=confirm, dry_run=dry_run)
    caller.answer(result, _would_go if dry_run else _gone)


@click.command("gc", cls=Command)
@flag("--dry-run", "Say what would be done; change nothing.")
@pass_caller
def gc(caller: Caller, /, *, dry_run: bool | None) -> None:
    """Archive superseded, expired, faded and surplus memories, and remove expired records."""
    result = lasting.call(caller, "db.gc", label="Cleaning up", dry_run=dry_run)
    caller.answer(result, _cleaned)


@click.command("compact", cls=Command)
@option("--older-than", type=days, metavar="DAYS", help="Only what was archived longer ago [90d].")
@flag("--force", "Erase it for good; without this nothing happens.")
@_dry_run
@pass_caller
def compact(
    caller: Caller, /, older_than: float | None, *, force: bool | None, dry_run: bool | None
) -> None:
    """Erase archived memories for good."""
    if not (force or dry_run):
        raise click.UsageError("Give --force to erase it for good, or --dry-run.")
    result = lasting.call(
        caller,
        "db.compact",
        label="Compacting",
        older_than_days=older_than,
        force=force,
        dry_run=dry_run,
    )
    caller.answer(result, _would_be_compacted if dry_run else _compacted)


def _compacted(result: dict[str, Any]) -> None:
    _receipt("Erased", {**result, "erased": result["removed"]})


def _would_be_compacted(result: dict[str, Any]) -> None:
    _receipt("Would erase", {**result, "erased": result["removed"]})


def _cleaned(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, note, shown, table

    reasons = ", ".join(f"{shown(why)} {n}" for why, n in result["archived"].items())
    click.echo(f"Archived: {reasons or 'nothing'}.")
    if result["memories"]:
        table(
            [Column("ID"), Column("WHY")],
            [(short(one["id"]), one["reason"]) for one in result["memories"]],
        )
    removed = sum(result["removed"].values())
    note(f"{count(removed, 'row')} removed that nobody needs any more.")


def _ask(question: str, *, no_need: bool | None) -> None:
    if not no_need:
        click.confirm(question, abort=True, err=True)


def _gone(result: dict[str, Any]) -> None:
    _receipt("Erased", result)


def _would_go(result: dict[str, Any]) -> None:
    _receipt("Would erase", result)


def _answered(result: dict[str, Any], *, dry_run: bool, mentions: bool) -> None:
    verbs = ("Would archive", "Would erase") if dry_run else ("Archived", "Erased")
    _about_person(*verbs, result)
    taken = "would be erased" if dry_run else "erased"
    _show_mentions(result, names_taken=taken if mentions else None)


def _about_person(archived: str, erased: str, result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import memories
    from ashd.cli.output import note

    if result["archived"]:
        click.echo(f"{archived} {memories(result['archived'])}.")
        note("`ash memory list --include-archived` shows them, `ash memory restore` undoes it.")
    why = {
        "account": "The record stays: the person has an account (`ash memory erase --owner`).",
        "others": "The record stays: others told of the person too (--all-scopes).",
    }
    if result["record_kept"]:
        note(why[result["record_kept"]])
    if result["receipt"]["rows"] or not result["archived"]:
        _receipt(erased, result)


def _show_mentions(
    result: dict[str, Any], *, names_taken: str | None, to_stderr: bool = False
) -> None:
    """List what names the person: what is taken, or stays, and what may be about somebody else."""
    mentions = "Texts that name the person without being linked to it"
    stay = f"{mentions} stay (--mentions erases them):"
    lists = [
        (f"{mentions}, {names_taken}:" if names_taken else stay, result["mentions"]),
        (
            "These have a word of the name, but may be about somebody else; they stay:",
            result["left"],
        ),
    ]
    for title, found in lists:
        if found["counts"]:
            click.echo(title, err=to_stderr)
        for kind, count in found["counts"].items():
            ids = [one[:_SHORT] for one in found["ids"][kind]]
            more = f" and {count - len(ids)} more" if count > len(ids) else ""
            click.echo(f"  {kind.replace('_', ' ')}: {', '.join(ids)}{more}", err=to_stderr)


def _receipt(verb: str, result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import Column, note, shown, table

    receipt = result["receipt"]
    click.echo(f"{verb} {count(result['erased'], 'memory or message', 'memories and messages')}.")
    if receipt["rows"]:
        table([Column("TABLE"), Column("ROWS", right=True)], list(receipt["rows"].items()))
    if receipt["backups"]:
        note("These files were made before and still hold it; delete them if you must:")
        for copy in receipt["backups"]:
            note(f"  {shown(copy['path'])}  ({shown(copy['kind'])}, {shown(copy['made_at'])})")
