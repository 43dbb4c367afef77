"""`ashd install --encrypted`: the key sealed by systemd, and a home that is encrypted with it."""

import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from ashd.cli import recovery_phrase

if TYPE_CHECKING:
    from ashd.config import Places, Storage
    from ashd.ops.install import Kind
    from ashd.ops.sealed_key import SealedKey
    from ashd.store.encryption import Key


class Session(Protocol):
    """Changes to one service manager, as `ashd install` makes them."""

    kind: "Kind"
    is_dry: bool

    def systemctl(self, *words: str) -> None:
        """Run `systemctl` for the manager and say so."""


class EncryptedInstall:
    """The steps of one installation, each of which a repetition continues."""

    def __init__(self, session: Session, sealed: "SealedKey", home: Path) -> None:
        self._session = session
        self._sealed = sealed
        self._home = home
        self._config = home / "config.toml"
        self._key: Key | None = None

    def get_key(self, *, no_phrase: bool) -> None:
        """Seal a new key, unless there is one, before anything else is changed.

        Raises:
            CannotInstall: the key cannot be sealed here, or this home has another key.
            errors.StartError: the package that encrypts is missing, or the key cannot be unsealed.
        """
        from ashd.ops import database_key
        from ashd.store import cipher_package

        cipher_package.require()
        self._sealed.require_support()
        self._key = self._sealed.load()
        self._require_own_key()
        if self._key is not None:
            click.echo(f"the same  {self._sealed.path}")
        elif self._session.is_dry:
            click.echo(f"would make a key, show its recovery phrase, and write {self._sealed.path}")
        else:
            if not no_phrase:
                recovery_phrase.require_terminal(" --no-phrase leaves it out.")
            self._key = database_key.make()
            if not no_phrase:
                recovery_phrase.confirm(self._key)
            self._sealed.seal(self._key)
            click.echo(f"sealed    {self._sealed.path}")

    def _require_own_key(self) -> None:
        """Refuse a home whose key is elsewhere, or gone."""
        from ashd.ops.install import CannotInstall
        from ashd.store import encryption

        storage, places = self._settings()
        if storage.url:
            raise CannotInstall(
                "The database is on a server: encrypt its disk, and install without --encrypted."
            )
        if storage.encryption and storage.key_command != self._sealed.command:
            raise CannotInstall(
                f"{self._config} has encryption set, with a key that is elsewhere. Install without "
                "--encrypted; or run `ash db decrypt` first, and remove these settings."
            )
        if self._key is None and encryption.is_encrypted(places.database):
            raise CannotInstall(
                f"{places.database} is encrypted, and there is no {self._sealed.path}. Move it "
                "away, repeat this, and run `ash db restore FILE --phrase` on it."
            )

    def encrypt(self) -> None:
        """Set encryption in the configuration, and encrypt the database that is there.

        Raises:
            CannotInstall: the configuration is not to be changed by a program.
            errors.AshError: the database cannot be encrypted; it is as it was.
        """
        from ashd.store import encryption

        storage, places = self._settings()
        is_plain = encryption.is_plain(places.database)
        if storage.encryption and not is_plain:
            click.echo(f"the same  {self._config}")
            return
        text = None if storage.encryption else self._new_config()
        self._session.systemctl("stop", "ashd.socket", "ashd.service")
        if is_plain:
            self._encrypt_database(places)
        if text is not None:
            self._write_config(text)

    def _new_config(self) -> str:
        from ashd.ops import encryption_setting
        from ashd.ops.install import CannotInstall

        there = self._config.read_text(encoding="utf-8") if self._config.exists() else ""
        text = encryption_setting.added(there, self._sealed.command)
        if text is None:
            raise CannotInstall(
                f"Write this under [storage] in {self._config}, in the place of what it has about "
                "encryption, and run the command again:\n"
                f"{encryption_setting.lines(self._sealed.command)}"
            )
        return text

    def _write_config(self, text: str) -> None:
        from ashd import atomic_file
        from ashd.ops.install import CannotInstall

        if self._session.is_dry:
            click.echo(f"would set encryption in {self._config}")
            return
        try:
            self._make_home()
            atomic_file.write(self._config, text.encode())
            atomic_file.give_to_owner_of(self._home, self._config)
        except OSError as error:
            raise CannotInstall(f"{self._config} cannot be written ({error.strerror}).") from error
        click.echo(f"wrote     {self._config}")

    def _make_home(self) -> None:
        """Make the home, where no daemon has been yet, for the user of the service."""
        if self._home.exists():
            return
        self._home.mkdir(mode=0o700, parents=True)
        if self._session.kind == "system":
            user = pwd.getpwnam("ashd")
            os.chown(self._home, user.pw_uid, user.pw_gid)

    def _encrypt_database(self, places: "Places") -> None:
        from ashd import errors
        from ashd.cli import encryption
        from ashd.ops import locks

        if self._session.is_dry or self._key is None:
            click.echo(f"would encrypt {places.database}")
            return
        try:
            with locks.hold_database(places.database):
                done = encryption.encrypted(places, self._key)
        except errors.AshError:
            self._session.systemctl("start", "ashd.socket")  # it is plain, and works as before
            raise
        encryption.ENCRYPTED({**done, "key": str(self._sealed.path)})

    def say_what_to_keep(self) -> None:
        """Say what opens the memories, and what makes them plain again."""
        click.echo(f"Key:   {self._sealed.path}, sealed to this machine. If the machine is lost,")
        click.echo("       only the recovery phrase opens its backups: `ash db key show-phrase`.")
        click.echo("Plain: `ash db decrypt` while the daemon is stopped; then remove `encryption`")
        click.echo(f"       and `key_command` from {self._config}.")

    def _settings(self) -> "tuple[Storage, Places]":
        from ashd.cli import settings_file

        settings, places = settings_file.load(self._home, None, None)
        return settings.storage, places
