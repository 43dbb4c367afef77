"""Work on the database's files themselves, while no daemon runs: `ash db rescue` and `restore`."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli.asking import ask
from ashd.cli.caller import Caller
from ashd.cli.commands import FILE, Command, option, pass_caller
from ashd.cli.views import Each, Line, Note, View

if TYPE_CHECKING:
    from ashd.config import Places, Settings
    from ashd.ops.restore import Restore

PLAIN: Final = "The file is plain: whoever has it reads it. --encrypt KEY encrypts it."
_RESCUED: Final = View(
    Line("{path}"),
    Note("{rows:count record} saved."),
    Each(
        "lost",
        View(Note("{rows:|Some} of the kind {kind} cannot be read."), Note("  {}", each="ids")),
    ),
    Note("Everything could be read.", "!lost"),
    Note(PLAIN, "!encrypted"),
)
_DIFFERENCE: Final = View(
    Note("{name:<18}{before:>10} -> {after}", each="tables"),
    Note("{lost:memories} that you have now will be gone from it."),
    Note("{returning:memories} that you do not have now will be back."),
)
_RESTORED: Final = View(
    Line("{path}"),
    Note("The replaced database is {kept}.", "kept"),
    Note("`ash db restore {kept:quoted}` brings it back.", "kept"),
    Note(
        "Grants that were in force in the backup and are closed: {grants_closed}.", "grants_closed"
    ),
)
_MIGRATED: Final = View(
    Note(
        "The backup has schema {earlier_schema}, and is brought to that of this ash. To go back to"
        " an older ashd, install that one first, and repeat this command with its `ash`."
    )
)
_KEY_RESTORED: Final = View(Line("{path}"), Note("Its key is in its place again."))


@contextmanager
def places(caller: Caller, backup: Path | None = None) -> Iterator["Places"]:
    """Yield the daemon's places, with the lock of its database and its key held.

    With a backup that the key opens, the database itself may be unreadable.

    Raises:
        AshCallError: a daemon runs, or the block failed.
    """
    from ashd.ops import encrypting

    with held(caller) as (settings, found):
        encrypting.unlock(settings, found, backup=backup)
        yield found


@contextmanager
def held(caller: Caller) -> Iterator[tuple["Settings", "Places"]]:
    """Yield the daemon's settings and places, with the lock of its database held.

    Raises:
        AshCallError: a daemon runs, or the block failed.
    """
    from ashd import atomic_file
    from ashd.cli import settings_file
    from ashd.ops import locks

    with own_errors():
        named = os.environ.get("ASH_CONFIG")
        config_file = Path(named) if named else None
        settings, found = settings_file.load(caller.home, config_file, None)
        atomic_file.make_folder(found.database.parent, 0o700)
        with locks.hold_database(found.database):
            yield settings, found


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise the daemon's errors as those that `ash` prints.

    Raises:
        AshCallError
    """
    from ashd import errors
    from ashd_client.protocol import AshCallError

    try:
        yield
    except errors.StartError as error:
        raise AshCallError(str(error), kind="conflict", code=errors.Conflict.code) from error
    except errors.AshError as error:
        raise AshCallError(
            error.message, kind=error.kind, code=error.code, hint=error.hint
        ) from error


def recipient(context: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """Return the public key of a key file, which is made if it is missing."""
    if value is None or value.startswith("age1") or context.resilient_parsing:
        return value
    from ashd.ops.transfer import encrypted_file

    with own_errors():
        return encrypted_file.recipient_of(Path(value).absolute())


encrypt_option: Final = option(
    *("--encrypt", "recipient"),
    type=FILE,
    metavar="KEY",
    callback=recipient,
    help="Encrypt it: KEY is a key file of age, made if it is missing, or a recipient.",
)


def into(bar: Any) -> Callable[[int, int], None]:
    """Return a function that shows `done` of `total` in a progress bar."""

    def show(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    return show


@click.command("rescue", cls=Command)
@click.argument("path", type=click.Path(path_type=Path))
@encrypt_option
@pass_caller
def rescue(caller: Caller, /, path: Path, *, recipient: str | None) -> None:
    """Export the readable part of a damaged database, while no daemon runs.

    What cannot be read is listed. Restore a backup, and import PATH into it.
    """
    import msgspec

    from ashd.clock import SystemClock
    from ashd.ops.transfer import rescue as rescuing

    with (
        places(caller) as found,
        click.progressbar(length=0, label="Reading", file=sys.stderr) as bar,
    ):
        done = rescuing.rescue(found.database, path.absolute(), SystemClock(), into(bar), recipient)
    caller.answer(msgspec.to_builtins(done), _RESCUED)


@contextmanager
def _places_by_phrase(caller: Caller, file: Path | None) -> Iterator["Places"]:
    """Yield the daemon's places, with the key of a recovery phrase for a backup.

    Without a file, or without a key in its place, the key of the phrase is put there.
    """
    from ashd import errors
    from ashd.ops import database_key, encrypting
    from ashd.store import encryption
    from ashd.store.connection import opens

    database_key.leave_no_dump()
    if sys.stdin.isatty():
        text = click.prompt("Recovery phrase", hide_input=True, err=True)
    else:
        text = sys.stdin.readline()
    key = database_key.of_phrase(text)
    with held(caller) as (settings, found):
        encrypting.require_setting(settings)
        if key is None:
            raise errors.StartError("This is no recovery phrase: 24 words, each as it was shown.")
        source = database_key.source(settings, found)
        own = source.load()
        if file is None or own is None:
            encryption.use(key)
            if file is None and not opens(found.database, key):
                raise errors.StartError(f"This phrase is not of the key of {found.database}.")
            source.store(key)
            own = key
        encryption.use(own)
        with encryption.keyed(file or found.database, key):
            yield found


@click.command("restore", cls=Command)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@option("--phrase", is_flag=True, help="Ask for the recovery phrase of the key of FILE.")
@option("--yes", is_flag=True, help="Do it without asking.")
@pass_caller
def restore(caller: Caller, /, file: Path | None, *, phrase: bool, yes: bool) -> None:
    """Replace the database by a backup, while no daemon runs; the old files are kept.

    FILE is verified first, and the difference is shown before anything changes. --phrase alone puts
    a lost key of the database back in its place.
    """
    import msgspec

    from ashd.clock import SystemClock
    from ashd.ops.restore import prepare

    if file is None:
        if not phrase:
            raise click.UsageError("Name a backup.")
        with _places_by_phrase(caller, None) as found:
            caller.answer({"path": str(found.database)}, _KEY_RESTORED)
        return
    file = file.absolute()
    with (
        _places_by_phrase(caller, file) if phrase else places(caller, file) as found,
        click.progressbar(length=0, label="Verifying", file=sys.stderr) as bar,
        prepare(found.database, file, SystemClock(), into(bar)) as ready,
    ):
        bar.finish()
        bar.render_finish()
        if ready.earlier_schema:
            _MIGRATED({"earlier_schema": ready.earlier_schema})
        if not yes:
            _show_difference(ready)
            ask("Restore?")
        done = ready.do()
    caller.answer(msgspec.to_builtins(done), _RESTORED)


def _show_difference(ready: "Restore") -> None:
    """Show the difference on standard error: standard output has the result alone."""
    from ashd.ops.restore import SHOWN

    tables = [
        {
            "name": table.replace("_", " "),
            "before": str(ready.before[table]) if ready.before else "unknown",
            "after": ready.after[table],
        }
        for table in SHOWN
    ]
    _DIFFERENCE({"tables": tables, "lost": ready.lost, "returning": ready.returning})
