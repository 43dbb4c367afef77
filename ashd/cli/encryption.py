"""`ash db encrypt`, `decrypt`, `rekey` and `key`, while no daemon runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli import offline, recovery_phrase
from ashd.cli.asking import ask
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, Group, option, pass_caller
from ashd.cli.views import Line, Note, View

if TYPE_CHECKING:
    from ashd.config import Places
    from ashd.store.encryption import Key

ENCRYPTED: Final = View(
    Line("{path}"),
    Note("Encrypted: {memories:memories}. The key is in {key}.", "memories"),
    Note("The key is in {key}.", "!memories"),
    Note("Still plain: {}. Remove it, or encrypt it elsewhere.", each="plain_copies"),
    Note("A solid-state disk may keep old bytes that no program can overwrite.", "memories"),
)
_DECRYPTED: Final = View(
    Line("{path}"),
    Note("Plain: {memories:memories}. Remove `encryption = true` before you start the daemon."),
)
_REKEYED: Final = View(
    Line("{path}"),
    Note("Encrypted anew: {memories:memories}. The key is in {key}."),
    Note("Earlier backups still need the old key, or its recovery phrase."),
)

_no_phrase: Final = option(
    "--no-phrase", is_flag=True, help="Show no recovery phrase; `ash db key show-phrase` does."
)


@click.command("encrypt", cls=Command)
@_no_phrase
@pass_caller
def encrypt(caller: Caller, /, *, no_phrase: bool) -> None:
    """Encrypt the database, while no daemon runs; make the key if there is none.

    Set `encryption = true` under [storage] first, and where the key is. The recovery phrase is
    shown once: two of its words have to be typed.
    """
    from ashd.ops import database_key, encrypting
    from ashd.store import cipher_package, encryption

    with offline.held(caller) as (settings, places):
        encrypting.require_setting(settings)
        cipher_package.require()
        if encryption.is_encrypted(places.database):
            # With another key, what a kill left beside it may be all that can be read.
            encrypting.unlock(settings, places)
        source = database_key.source(settings, places)
        key = source.load()
        if key is None:
            key = database_key.make()
            _show_phrase(key, no_phrase=no_phrase)
            source.store(key)
        elif not encryption.is_encrypted(places.database):
            _show_phrase(key, no_phrase=no_phrase)
        done = encrypted(places, key)
    caller.answer(done | {"key": str(source)}, ENCRYPTED)


@click.command("decrypt", cls=Command)
@option("--yes", is_flag=True, help="Do it without asking.")
@pass_caller
def decrypt(caller: Caller, /, *, yes: bool) -> None:
    """Make the database a plain file again, while no daemon runs."""
    from ashd.clock import SystemClock
    from ashd.ops import encrypting

    with offline.places(caller) as places:
        _require_encrypted(places.database)
        if not yes:
            ask("Decrypt?")
        with click.progressbar(length=0, label="Decrypting", file=sys.stderr) as bar:
            memories = encrypting.decrypt(places.database, SystemClock(), offline.into(bar))
    caller.answer({"path": str(places.database), "memories": memories}, _DECRYPTED)


@click.command("rekey", cls=Command)
@option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A new file for the new key, where a command or a credential gives the key.",
)
@_no_phrase
@pass_caller
def rekey(caller: Caller, /, *, key_file: Path | None, no_phrase: bool) -> None:
    """Encrypt the database with a new key, while no daemon runs; backups keep theirs."""
    from ashd.clock import SystemClock
    from ashd.ops import database_key, encrypting

    with offline.held(caller) as (settings, places):
        encrypting.unlock(settings, places)
        _require_encrypted(places.database)
        source = database_key.source(settings, places)
        if (source.following() is None) != (key_file is not None):
            raise click.UsageError(
                f"Give --key-file: a new key cannot be put into {source}."
                if key_file is None
                else f"Leave --key-file out: the new key goes into {source}."
            )
        given = database_key.File(key_file.absolute()) if key_file else None
        key = (given.load() if given else None) or database_key.make()
        _show_phrase(key, no_phrase=no_phrase)
        if given is not None:
            given.store(key)
        with click.progressbar(length=0, label="Encrypting", file=sys.stderr) as bar:
            into = offline.into(bar)
            memories = encrypting.rekey(source, places.database, key, SystemClock(), into)
    place = f"{given}; put it into {source}" if given else str(source)
    result = {"path": str(places.database), "memories": memories, "key": place}
    caller.answer(result, _REKEYED)


@click.group("key", cls=Group)
def key() -> None:
    """The key of an encrypted database."""


@key.command("show-phrase")
@pass_caller
def show_phrase(caller: Caller, /) -> None:
    """Show the recovery phrase on this terminal, while no daemon runs; the audit records it."""
    from ashd.clock import SystemClock
    from ashd.ops import database_key, encrypting
    from ashd.store import restoring

    recovery_phrase.require_terminal()
    with offline.held(caller) as (settings, places):
        encrypting.require_setting(settings)
        encrypting.unlock(settings, places)
        found = database_key.source(settings, places).load()
        if found is not None:
            if places.database.exists():
                restoring.note(places.database, SystemClock(), "db.key.show_phrase")
            recovery_phrase.show(found)
    caller.answer({}, View())


def encrypted(places: "Places", key: "Key") -> dict[str, Any]:
    """Encrypt a database whose lock is held; return what was done.

    Raises:
        errors.AshError: it cannot be encrypted; it is as it was.
    """
    import msgspec

    from ashd.clock import SystemClock
    from ashd.ops import encrypting
    from ashd.store import encryption

    encryption.use(key)
    with click.progressbar(length=0, label="Encrypting", file=sys.stderr) as bar:
        done = encrypting.encrypt(places, SystemClock(), offline.into(bar))
    made: dict[str, Any] = msgspec.to_builtins(done)
    return made


def _show_phrase(new: "Key", *, no_phrase: bool) -> None:
    if not no_phrase:
        recovery_phrase.require_terminal(" --no-phrase leaves it out.")
        recovery_phrase.confirm(new)


def _require_encrypted(database: Path) -> None:
    from ashd import errors
    from ashd.store import encryption

    if not encryption.is_encrypted(database):
        raise errors.StartError(f"{database} is not encrypted.")
