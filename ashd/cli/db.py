"""`ash db`: back up the database, restore it, carry it to another machine."""

import datetime as dt
from pathlib import Path
from typing import Any, Final

import click

from ashd.cli import encryption, erasing, offline, progress
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, Group, call_command, flag, option, pass_caller
from ashd.cli.views import Line, Note, Table, View


class _AbsolutePath(click.Path):
    """A path for the daemon, whose folder is not this one."""

    def convert(self, value: Any, *_: Any) -> str:
        return str(Path(value).absolute())


_absolute: Final = _AbsolutePath()
_path: Final = click.argument("path", type=_absolute)

_GROWTH: Final = View(
    Table(
        "days",
        "DAY {date} | MEMORIES> {memories} | MESSAGES> {messages}",
    ),
    Note("Before: {before.memories:memories}, {before.messages:count message}."),
)
_EXPORTED: Final = View(
    Line("{path}"),
    Note("{rows:count record}, encrypted.", "encrypted"),
    Note(f"{{rows:count record}}. {offline.PLAIN}", "!encrypted"),
)


def _say_where(result: dict[str, Any]) -> None:
    errors = [one["error"] for one in result["refused"]]
    result["hints"] = list(dict.fromkeys(one["hint"] for one in errors if one["hint"]))
    result["is_empty"] = _is_empty(result) and not result["refused_count"]
    result["refused"] = [{**one, "where": _where(one)} for one in result["refused"]]


def _where(refused: dict[str, Any]) -> str:
    line = f"line {refused['line']}" if refused["line"] else ""
    return ", ".join(filter(None, (refused["file"], line)))


def _is_empty(result: dict[str, Any]) -> bool:
    return not (result["imported"] or result["duplicates"] or result["archived"])


_IMPORTED: Final = View(
    _say_where,
    Line("{imported} imported, {duplicates} known already.", "!is_dry"),
    Line("{imported} would be imported. Nothing was stored.", "is_dry"),
    Line("{duplicates} known already.", "is_dry_known"),
    Line(
        "{archived:memories} archived, gone from the notes; `ash memory restore` brings one back.",
        "archived",
    ),
    Note(
        "{to_be_read:count part} of conversations to be read by the language model, one after the"
        " other; `ash db import` again says how many are left.",
        "to_be_read",
    ),
    Note("{where}: {error.message}", each="refused"),
    Note("{refused_count:count record} refused.", "refused_count"),
    Note("{}", each="hints"),
    Note("Left out: {reason}: {count:,}.", each="left_out"),
    Note(
        "`ash memory withdraw --source import --since {started}` takes its new memories back.",
        "started",
    ),
    Note("Read as {format}, it has nothing to import: is it of another --format?", "is_empty"),
)
_FORMATS: Final = (
    *("notes", "agent-files", "lines", "chatgpt", "claude", "mem0", "mcp-memory", "letta"),
    *("zep", "osaurus", "ash"),
)
_LOOK_EVERY_SECONDS: Final = 2.0
_BACKED_UP: Final = View(
    Line("{path}"),
    Note("Verified: {memories:memories}, {bytes:,} bytes."),
    Note("Removed {removed:count older backup}.", "removed"),
)
_REINDEXED: Final = View(Note("Made anew: {rows:count row}."))


@click.group("db", cls=Group)
def db() -> None:
    """The database: backup, restore, encryption, export and import."""


backup = call_command(
    *("backup", "db.backup", _BACKED_UP),
    """Copy the database while the daemon runs, and verify the copy.

    PATH is a new file or a directory; without it the copy goes into the daemon's backup folder.
    """,
    click.argument("path", type=_absolute, required=False),
    option("--keep", type=int, metavar="N", help="Remove all but the N newest backups there."),
    label="Backing up",
)
db.add_call(
    *("growth", "db.growth", _GROWTH),
    "Show how many memories and messages of each day (UTC) are still stored.",
    option("--days", type=int, metavar="N", help="In the last N days [90]."),
)
export = call_command(
    *("export", "db.export", _EXPORTED),
    """Write everything to a new file, one JSON object per line.

    With --as (and --chat) only what that account sees there is written.
    """,
    _path,
    offline.encrypt_option,
    label="Exporting",
)


@click.command("import", cls=Command)
@_path
@option(
    "--format",
    type=click.Choice(_FORMATS),
    help="What wrote the file, if it is not recognised.",
)
@option(
    *("--key", "key_file"),
    type=_absolute,
    metavar="FILE",
    help="The key file of an encrypted export.",
)
@flag("--dry-run", "Change nothing; say what would be.")
@flag("--skip-extraction", "Only store its conversations; look for no facts.")
@flag("--watch", "Go on, and import again whenever a file changes, until Ctrl-C.")
@pass_caller
def import_(caller: Caller, /, *, watch: bool, **params: Any) -> None:
    """Add what is in a file, or in a folder of notes; entries that exist already stay unchanged.

    Entries of another system become memories and conversations of yours, or of the user named by
    --as. After an interruption, the same command continues. If notes are imported again, changed
    notes replace their memories, and memories of notes that are gone are archived. The exit status
    is 1 if there is nothing to import.
    """
    if watch:
        _watch(caller, params)
        return
    try:
        result = _import(caller, params)
    except KeyboardInterrupt:
        click.echo("\nWhat was stored stays; the same command goes on from there.", err=True)
        raise click.Abort from None
    if _is_empty(result):
        click.get_current_context().exit(1)


def _import(
    caller: Caller, params: dict[str, Any], before: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Import, and print the result; for a person without the remarks of the import before."""
    folder = Path(params["path"])
    params["project"] = caller.project_at(folder if folder.is_dir() else folder.parent)
    started = dt.datetime.now(dt.UTC).isoformat()
    result = progress.call(caller, "db.import", label="Importing", **params)
    # An export of ash brings memories with their own sources and times.
    is_new = result["imported"] and result["format"] != "ash" and not params["dry_run"]

    def render(shown: dict[str, Any]) -> None:
        shown["started"] = started if is_new else None
        shown["is_dry"] = params["dry_run"]
        shown["is_dry_known"] = params["dry_run"] and shown["duplicates"]
        if before is not None:
            for name in ("left_out", "refused"):
                shown[name] = [one for one in shown[name] if one not in before[name]]
        _IMPORTED(shown)

    caller.answer(result, render)
    return result


def _watch(caller: Caller, params: dict[str, Any]) -> None:
    """Import now, and again after each change, once files were left alone for a moment.

    A later import that fails is reported, and done again after the next change; one that may be
    repeated, as while the daemon restarts, is repeated until it succeeds.
    """
    import time

    from ashd.cli import output, watching
    from ashd_client.protocol import AshCallError

    seen = watching.state(Path(params["path"]))
    imported: object = seen
    result = _import(caller, params)
    click.echo("Watching for changes; Ctrl-C ends it.", err=True)
    while True:
        time.sleep(_LOOK_EVERY_SECONDS)
        now = watching.state(Path(params["path"]))
        if now == seen != imported:
            was_there, imported = imported is not None, now
            try:
                result = _import(caller, params, result)
            except AshCallError as error:
                imported = None if error.retryable else now
                if was_there or imported is not None:
                    output.error(error)
        seen = now


import_.method = "db.import"


db.add_call(
    *("reindex", "db.reindex", _REINDEXED),
    "Rebuild the full-text index and the queue of vectors from what is stored.",
    label="Indexing",
)
for command in (backup, export, import_):
    db.add_command(command)
db.add_command(erasing.clear)
db.add_command(encryption.encrypt)
db.add_command(encryption.decrypt)
db.add_command(encryption.rekey)
db.add_command(encryption.key)
db.add_command(offline.rescue)
db.add_command(offline.restore)
