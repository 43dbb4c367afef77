"""`ashd install` and `ashd uninstall`: the systemd units of this installation."""

import os
import pwd
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import click

if TYPE_CHECKING:
    from ashd.ops.install import Kind, UnitFile

_BOOTED: Final = Path("/run/systemd/system")
"""This folder exists while systemd is the system's manager."""
_KIND: Final = (
    click.option("--user", "kind", flag_value="user", help="Your own daemon, in your session."),
    click.option("--system", "kind", flag_value="system", help="One for the machine; as root."),
    click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing."),
)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_KIND):
        command = option(command)
    return command


@click.command("install")
@_options
@click.option("--encrypted", is_flag=True, help="Encrypt the home; systemd seals its key.")
@click.option("--no-phrase", is_flag=True, help="Show no recovery phrase of a new key.")
def install(kind: "Kind | None", *, dry_run: bool, encrypted: bool, no_phrase: bool) -> None:
    """Put the systemd units in place and start the daemon; again after an upgrade."""
    from ashd import config, protected_paths
    from ashd.cli.install_encrypted import EncryptedInstall
    from ashd.ops import install as units
    from ashd.ops.sealed_key import SealedKey

    with Session(kind, dry_run=dry_run) as session:
        programs = units.programs()
        if session.kind == "system":
            ours = (*protected_paths.installation(), programs / "ashd", programs / "ash")
            units.check_readable(list(ours))
        session.require_manager()
        home = config.home(units.STATE_DIRECTORY if session.kind == "system" else None)
        session.require_startable(home)
        sealed = SealedKey(session.kind)
        encrypting = EncryptedInstall(session, sealed, home) if encrypted else None
        if encrypting:
            encrypting.get_key(no_phrase=no_phrase)
        files = units.files(session.kind, programs, home)
        if encrypting or sealed.is_there():
            files += sealed.drop_ins()
        changed = False
        for file in files:
            session.write(file)
            changed = changed or file.state == "older"
        if session.kind == "system":
            session.run(["systemd-sysusers", str(units.SYSUSERS)])
        session.systemctl("daemon-reload")
        if encrypting:
            encrypting.encrypt()
        session.systemctl("enable", "--now", *units.ENABLED)
        if changed:
            session.systemctl("try-restart", "ashd.service", "ashd-http.service")
    _how_to_go_on(session.kind, programs, dry_run=dry_run)
    if encrypting and not dry_run:
        encrypting.say_what_to_keep()


@click.command("uninstall")
@_options
def uninstall(kind: "Kind | None", *, dry_run: bool) -> None:
    """Stop the daemon and remove what `ashd install` put in place; the data stay."""
    from ashd import config
    from ashd.ops import install as units
    from ashd.ops.sealed_key import SealedKey

    with Session(kind, dry_run=dry_run) as session:
        home = config.home(units.STATE_DIRECTORY if session.kind == "system" else None)
        sealed = SealedKey(session.kind)
        files = [
            *units.files(session.kind, Path(sys.executable).parent, home),
            *sealed.drop_ins(),
        ]
        there = {file.path.name for file in files if file.state != "missing"}
        if there:
            session.require_manager()
            known = [unit for unit in units.ENABLED + units.ON_DEMAND if unit in there]
            if known:
                session.systemctl("disable", "--now", *known)
            for file in files:
                session.remove(file)
            session.systemctl("daemon-reload")
        else:
            click.echo("No service is installed here.")
    click.echo(f"The memories are in {home} and were not touched.")
    if sealed.is_there():
        click.echo(f"Their key is in {sealed.path} and was not touched: nothing else opens them,")
        click.echo("but the recovery phrase.")
    if session.kind == "system" and not dry_run and _has_user("ashd"):
        click.echo("They belong to the user ashd. Once they are gone: userdel ashd")


class Session:
    """Changes to one service manager, each printed as a line; a dry run prints them only."""

    def __init__(self, kind: "Kind | None", *, dry_run: bool) -> None:
        if kind is None:
            raise click.UsageError("Say which: --user (your own daemon) or --system (as root).")
        self.kind = kind
        self.is_dry = dry_run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        from ashd import errors
        from ashd.ops.install import CannotInstall

        if isinstance(error, CannotInstall | errors.StartError):
            click.echo(f"ashd: {error}", err=True)
            sys.exit(1)
        if isinstance(error, errors.AshError):
            click.echo(f"ashd: {error.message} {error.hint}", err=True)
            sys.exit(1)

    def require_manager(self) -> None:
        """Refuse where the units could not be used, before anything is changed.

        Raises:
            CannotInstall
        """
        from ashd.ops.install import CannotInstall

        if self.is_dry:
            return
        if not _BOOTED.is_dir():
            raise CannotInstall(
                "systemd does not run this machine. Start the daemon from what does:\n"
                "    ashd serve    (in the foreground; SIGTERM stops it, SIGHUP reloads)"
            )
        if self.kind == "system" and os.geteuid() != 0:
            raise CannotInstall(
                "Only root may install for the machine: repeat it with sudo. "
                "`ashd install --user` needs no root."
            )
        if self.kind == "user" and not _answers(["systemctl", "--user", "show-environment"]):
            user = pwd.getpwuid(os.geteuid()).pw_name
            raise CannotInstall(
                f"The session of {user} has no systemd of its own. Log in as {user} (by ssh, or "
                f"`machinectl shell {user}@`); su and sudo make no session. For one that runs "
                f"without a login: loginctl enable-linger {user}"
            )

    def require_startable(self, home: Path) -> None:
        """Refuse if the daemon could not start: its settings are wrong, or another one runs.

        Raises:
            CannotInstall
        """
        from ashd import errors
        from ashd.cli import settings_file
        from ashd.ops import locks
        from ashd.ops.install import CannotInstall

        own = ["systemctl", *self._of_user(), "is-active", "--quiet", "ashd.service"]
        if self.is_dry or _answers(own):
            return
        try:
            _, places = settings_file.load(home, None, None)
            lock = locks.of_database(places.database)
            if lock.exists():
                with locks.hold(lock, "database"):
                    pass
        except errors.StartError as error:
            raise CannotInstall(str(error)) from error

    def write(self, file: "UnitFile") -> None:
        """Put a file in place and say so."""
        from ashd.ops import install as units

        if not self.is_dry:
            units.write(file)
        if file.state == "edited":
            click.echo(f"left      {file.path}: it was changed by hand. To have ours, remove it")
            click.echo("          and run this again; `systemctl edit` keeps changes apart.")
        elif file.state == "same":
            click.echo(f"the same  {file.path}")
        else:
            click.echo(f"{self._done('wrote')} {file.path}")

    def remove(self, file: "UnitFile") -> None:
        """Remove a file and say so."""
        from ashd.ops import install as units

        if not self.is_dry:
            units.remove(file)
        if file.state == "edited":
            click.echo(f"left      {file.path}: it was changed by hand. Remove it yourself.")
        elif file.state != "missing":
            click.echo(f"{self._done('removed')} {file.path}")

    def systemctl(self, *words: str) -> None:
        """Run `systemctl` for the manager and say so."""
        self.run(["systemctl", *self._of_user(), *words])

    def _of_user(self) -> list[str]:
        return ["--user"] if self.kind == "user" else []

    def run(self, command: Sequence[str]) -> None:
        """Run a command and say so.

        Raises:
            CannotInstall: it failed; the message has what it said.
        """
        from ashd.ops.install import CannotInstall

        click.echo(f"{self._done('ran')} {shlex.join(command)}")
        if self.is_dry:
            return
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CannotInstall(f"{command[0]} cannot be run ({error.strerror}).") from error
        if done.returncode:
            raise CannotInstall(
                f"`{shlex.join(command)}` failed:\n{done.stderr.strip()}\n"
                f"`ashd uninstall --{self.kind}` takes back what was done."
            )

    def _done(self, word: str) -> str:
        plain = {"wrote": "write", "removed": "remove", "ran": "run"}[word]
        return f"would {plain}" if self.is_dry else f"{word:<9}"


def _answers(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _how_to_go_on(kind: "Kind", programs: Path, *, dry_run: bool) -> None:
    if dry_run:
        return
    manager = "systemctl --user" if kind == "user" else "systemctl"
    ash = shlex.quote(str(programs / "ash"))
    click.echo(f"\nLook:  {manager} status ashd; {ash} status")
    click.echo(
        f"Undo:  {shlex.quote(str(programs / 'ashd'))} uninstall --{kind}    (the data stay)"
    )
    if kind == "system":
        click.echo("Let a user of this machine call it, as an operator: usermod -aG ashd USER")
    else:
        click.echo("Keep it running without a login: loginctl enable-linger")
