"""`ash db`: back up the database, restore it, carry it to another machine."""

from pathlib import Path
from typing import Any

import click

from ashd.cli import erasing, lasting
from ashd.cli.caller import Caller
from ashd.cli.commands import Group, option, pass_caller
from ashd.cli.doctor import reindex
from ashd.cli.rescue import rescue
from ashd.cli.restore import restore


@click.group("db", cls=Group)
def db() -> None:
    """The database: backup, restore, export and import."""


db.add_command(erasing.clear)


@db.command("backup")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@option("--keep", type=int, metavar="N", help="Remove all but the N newest backups there.")
@pass_caller
def backup(caller: Caller, /, path: Path | None, keep: int | None) -> None:
    """Copy the database while the daemon runs, and verify the copy.

    PATH is a new file or a directory; without it the copy goes into the daemon's backup folder.
    """
    given = str(path.absolute()) if path else None
    result = lasting.call(caller, "db.backup", label="Backing up", path=given, keep=keep)
    caller.answer(result, _backed_up)


@db.command("growth")
@option("--days", type=int, metavar="N", help="In the last N days [90].")
@pass_caller
def growth(caller: Caller, /, days: int | None) -> None:
    """Show how much was stored on each day (UTC) and still is."""
    caller.answer(caller.call("db.growth", days=days), _grown)


@db.command("export")
@click.argument("path", type=click.Path(path_type=Path))
@pass_caller
def export(caller: Caller, /, path: Path) -> None:
    """Write everything to a new file, one JSON object per line.

    With --as (and --chat) only what that account sees there is written.
    """
    file = str(path.absolute())
    result = lasting.call(caller, "db.export", label="Exporting", path=file)
    caller.answer(result, _exported)


@db.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@option(
    "--format",
    "written_by",
    type=click.Choice(["ash", "osaurus", "mem0", "mcp-memory", "chatgpt", "claude"]),
    default="ash",
    show_default=True,
    help="What wrote the file.",
)
@option("--dry-run", is_flag=True, default=None, help="Change nothing; say what would be.")
@pass_caller
def import_(caller: Caller, /, path: Path, *, written_by: str, dry_run: bool | None) -> None:
    """Add what is in a file; entries that exist already stay unchanged.

    Entries of another system become memories and conversations of yours, or of the user named by
    --as. After an interruption, the same command continues.
    """
    params = {"path": str(path.absolute()), "format": written_by, "dry_run": dry_run}
    result = lasting.call(caller, "db.import", label="Importing", **params)
    caller.answer(result, _imported)


def _grown(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, memories
    from ashd.cli.output import Column, note, table

    if result["days"]:
        table(
            [Column("DAY"), Column("MEMORIES", right=True), Column("MESSAGES", right=True)],
            [(day["date"], day["memories"], day["messages"]) for day in result["days"]],
        )
    before = result["before"]
    note(f"Before: {memories(before['memories'])}, {count(before['messages'], 'message')}.")


def _exported(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note, shown

    click.echo(shown(result["path"]))
    note(f"{count(result['rows'], 'record')}.")


def _imported(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note, shown

    click.echo(f"{result['imported']} imported, {result['duplicates']} known already.")
    for one in result["refused"]:
        note(f"line {one['line']}: {shown(one['error']['message'])} {shown(one['error']['hint'])}")
    if result["refused_count"]:
        note(f"{count(result['refused_count'], 'record')} refused.")


def _backed_up(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, memories
    from ashd.cli.output import note, shown

    click.echo(shown(result["path"]))
    note(f"Verified: {memories(result['memories'])}, {result['bytes']:,} bytes.")
    if result["removed"]:
        note(f"Removed {count(len(result['removed']), 'older backup')}.")


db.add_command(rescue)
db.add_command(restore)
db.add_command(reindex)
