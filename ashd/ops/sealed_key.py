"""The database's key as a credential of systemd that `systemd-creds` seals to this machine.

The machine's service gets it in its folder of credentials; a person's own service, and commands on
the files, by `[storage] key_command`: before systemd 258 a person's manager cannot unseal one. The
key passes through pipes, never through arguments or the environment.
"""

import re
import shutil
import subprocess
from typing import Final

from ashd import atomic_file
from ashd.ops import database_key, install
from ashd.ops.install import CannotInstall, Kind, UnitFile
from ashd.pages import page
from ashd.store.encryption import Key

_PROGRAM: Final = "systemd-creds"
_OLDEST: Final[dict[Kind, int]] = {"system": 250, "user": 256}
"""The first systemd that seals a credential for a service of each kind."""
_ELSEWHERE: Final = (
    "Install without --encrypted, say in config.toml where the key is to be (key_file, key_command"
    f" or the keyring: {page('encryption.md')}), and run `ash db encrypt`."
)


class SealedKey:
    """The sealed key of the machine's daemon, or of a person's own."""

    def __init__(self, kind: Kind) -> None:
        self._kind: Kind = kind
        self._scope = ["--user"] if kind == "user" else []
        self.path = install.directory(kind).parents[1] / "credstore.encrypted" / "ashd.key"

    @property
    def command(self) -> list[str]:
        """The command that prints the key, for `[storage] key_command`."""
        return self._words("decrypt", str(self.path), "-")

    @property
    def sealing(self) -> list[str]:
        """The command that reads the key and prints the credential."""
        return self._words("encrypt", "-", "-")

    def _words(self, verb: str, *files: str) -> list[str]:
        return [_PROGRAM, verb, *self._scope, f"--name={database_key.CREDENTIAL}", *files]

    def drop_ins(self) -> list[UnitFile]:
        """Return the files that give the credential to the service."""
        if self._kind == "user":
            return []
        path = str(self.path).replace("%", "%%")
        text = (
            "# The key of the encrypted database, for `ashd install --encrypted`.\n\n[Service]\n"
            f"LoadCredentialEncrypted={database_key.CREDENTIAL}:{path}\n"
        )
        folder = install.directory(self._kind) / "ashd.service.d"
        return [install.unit_file(folder / "encryption.conf", install.marked(text))]

    def require_support(self) -> None:
        """Refuse where systemd gives this kind of service no sealed credential.

        Raises:
            CannotInstall
        """
        if shutil.which(_PROGRAM) is None:
            raise CannotInstall(f"There is no {_PROGRAM} here, which seals the key. {_ELSEWHERE}")
        try:
            version = subprocess.run(
                [_PROGRAM, "--version"], capture_output=True, text=True, check=False
            ).stdout
        except OSError as error:
            raise CannotInstall(f"{_PROGRAM} cannot be run ({error.strerror}).") from error
        found = re.match(r"systemd (\d+)", version)
        if found is None or int(found[1]) < _OLDEST[self._kind]:
            raise CannotInstall(
                f"systemd {found[1] if found else 'of an unknown version'} seals no key for a "
                f"{self._kind} service; {_OLDEST[self._kind]} does. {_ELSEWHERE}"
            )

    def is_there(self) -> bool:
        """Return whether there is a credential; False if only root may know."""
        try:
            return self.path.exists()
        except PermissionError:
            return False

    def load(self) -> Key | None:
        """Return the key; None if there is no credential.

        Raises:
            errors.StartError: it cannot be unsealed, as on another machine.
        """
        return database_key.Command(self.command).load() if self.is_there() else None

    def seal(self, key: Key) -> None:
        """Put the key in its place, and see that it can be had from there.

        Raises:
            CannotInstall: it cannot be sealed or written; then there is no credential.
            errors.StartError: it cannot be unsealed again; then there is no credential.
        """
        try:
            done = subprocess.run(
                self.sealing, input=key.secret.hex().encode(), capture_output=True, check=False
            )
            if done.returncode:
                said = done.stderr.decode(errors="replace").strip()
                raise CannotInstall(f"{_PROGRAM} cannot seal the key:\n{said}\n{_ELSEWHERE}")
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_file.write(self.path, done.stdout)
        except OSError as error:
            raise CannotInstall(
                f"{self.path} cannot be written ({error.strerror}). Check who owns its directory."
            ) from error
        is_sealed = False
        try:
            is_sealed = self.load() == key
        finally:
            if not is_sealed:
                self.path.unlink(missing_ok=True)
        if not is_sealed:
            raise CannotInstall(f"{_PROGRAM} gives another key than it sealed. {_ELSEWHERE}")
