"""`ashd install` and `ashd uninstall` without systemd: written files, and refusals.

A booted systemd is in tests/system/test_booted_install.py.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ashd.cli import install as command
from ashd.cli.ashd import main
from ashd.ops import install, locks
from ashd.ops.install import CannotInstall, UnitFile

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `ashd` for a person with a new home; a fake manager accepts every command."""
    booted = tmp_path / "booted"
    booted.mkdir()
    monkeypatch.setattr(command, "_BOOTED", booted)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "ASH_HOME", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)

    def manager(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, int("is-active" in words), "", "")

    monkeypatch.setattr(command.subprocess, "run", manager)
    return lambda *words: CliRunner().invoke(main, list(words))


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The folder of the person's units."""
    return tmp_path / ".config" / "systemd" / "user"


def test_install_writes_every_unit(run: Run, units: Path) -> None:
    """Each file is named in the output, and starts the programs of this installation."""
    done = run("install", "--user")

    assert done.exit_code == 0, done.output
    assert {path.name for path in units.iterdir()} == {
        path.name for path in (install.UNITS / "user").iterdir()
    }
    assert all(f"wrote     {path}\n" in done.output for path in units.iterdir())
    assert f"ExecStart={install.programs()}/ashd serve\n" in (units / "ashd.service").read_text()
    assert "uninstall --user" in done.output


def test_dry_run_writes_nothing(run: Run, units: Path) -> None:
    """A dry run shows the files and commands, for uninstall as well."""
    done = run("install", "--user", "--dry-run")

    assert f"would write {units / 'ashd.socket'}\n" in done.output
    assert "would run systemctl --user enable --now ashd.socket" in done.output
    assert not units.exists()

    run("install", "--user")
    before = sorted(units.iterdir())
    assert (
        f"would remove {units / 'ashd.socket'}\n" in run("uninstall", "--user", "--dry-run").output
    )
    assert sorted(units.iterdir()) == before


def test_second_install_changes_nothing(run: Run, units: Path) -> None:
    """Units in place stay, and nothing is restarted."""
    run("install", "--user")

    again = run("install", "--user")

    assert "wrote" not in again.output
    assert "restart" not in again.output
    assert f"the same  {units / 'ashd.service'}\n" in again.output


def test_unit_of_an_older_version_is_replaced(run: Run, units: Path) -> None:
    """The unit has not been edited; the daemon is restarted with the new one."""
    run("install", "--user")
    unit = units / "ashd.service"
    new = unit.read_text()
    unit.write_text(install.marked("[Service]\nExecStart=/of/an/older/version\n"))

    again = run("install", "--user")

    assert unit.read_text() == new
    assert "ran       systemctl --user try-restart ashd.service" in again.output


def test_edited_unit_is_kept_and_named(run: Run, units: Path) -> None:
    """A file changed by hand survives install and uninstall."""
    run("install", "--user")
    unit = units / "ashd-gc.timer"
    mine = unit.read_text() + "# mine\n"
    unit.write_text(mine)

    assert f"left      {unit}: it was changed by hand" in run("install", "--user").output
    assert f"left      {unit}: it was changed by hand" in run("uninstall", "--user").output
    assert unit.read_text() == mine
    assert [unit] == list(units.iterdir())


def test_uninstall_removes_what_install_wrote(run: Run, units: Path, tmp_path: Path) -> None:
    """The output says where the memories are."""
    run("install", "--user")

    done = run("uninstall", "--user")

    assert (done.exit_code, list(units.iterdir())) == (0, [])
    assert f"The memories are in {tmp_path / '.ash'} and were not touched." in done.output
    assert "disable" not in run("uninstall", "--user").output


def test_nothing_to_uninstall_is_no_failure(run: Run, tmp_path: Path) -> None:
    """Also on a machine without systemd, where no service can be."""
    (tmp_path / "booted").rmdir()

    done = run("uninstall", "--user")

    assert done.exit_code == 0
    assert "No service is installed" in done.output
    assert f"The memories are in {tmp_path / '.ash'} and were not touched." in done.output


def test_home_of_its_own_is_kept(run: Run, units: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with spaces and percent signs reaches the daemon as it is."""
    monkeypatch.setenv("ASH_HOME", "/srv/my memories/100%")

    run("install", "--user")

    line = 'Environment="ASH_HOME=/srv/my memories/100%%"\n'
    assert line in (units / "ashd.service").read_text()


def test_machine_without_systemd_is_refused(run: Run, units: Path, tmp_path: Path) -> None:
    """The refusal comes before any file is written, and names an alternative."""
    (tmp_path / "booted").rmdir()

    done = run("install", "--user")

    assert done.exit_code == 1
    assert "systemd does not run this machine" in done.output
    assert "ashd serve" in done.output
    assert not units.exists()


def test_daemon_that_runs_already_is_named(run: Run, units: Path, tmp_path: Path) -> None:
    """One that was started by hand keeps its database and its socket."""
    lock = tmp_path / ".ash" / "data" / "ash.db.lock"
    lock.parent.mkdir(parents=True)

    with locks.hold(lock, "database"):
        done = run("install", "--user")

    assert done.exit_code == 1
    assert f"Another ashd (pid {os.getpid()})" in done.output
    assert not units.exists()


def test_unusable_settings_are_refused(run: Run, units: Path, tmp_path: Path) -> None:
    """The refusal comes before any file is written, in the words of the daemon."""
    (tmp_path / ".ash").mkdir()
    (tmp_path / ".ash" / "config.toml").write_text("[log]\nlevel = 'loud'\n")

    done = run("install", "--user")

    assert done.exit_code == 1
    assert "log.level" in done.output
    assert not units.exists()


def test_only_root_installs_for_the_machine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user is told of sudo, and of the way that needs none."""
    monkeypatch.setattr(command.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(install, "check_readable", lambda _paths: None)

    done = run("install", "--system")

    assert done.exit_code == 1
    assert "Only root" in done.output
    assert "--user" in done.output


def test_kind_must_be_named(run: Run) -> None:
    """The kind is never guessed."""
    assert run("install").exit_code == 2


def test_programs_hidden_from_the_service_are_refused(tmp_path: Path) -> None:
    """Links to such programs are refused too; the message says how to install them elsewhere."""
    link = tmp_path / "link"
    link.symlink_to("/home/somebody/ashd")

    for path in (Path("/root/ashd"), Path("/home/x/.venv/bin/ashd"), link):
        with pytest.raises(CannotInstall, match=r"(?s)hidden from the service.*/opt/ashd"):
            install.check_readable([path])


def test_programs_that_others_cannot_read_are_refused() -> None:
    """The first closed directory is named."""
    with pytest.raises(CannotInstall, match="/lost can be read by its owner alone"):
        install.check_readable([Path("/lost/ashd")])


def test_failed_write_says_why(tmp_path: Path) -> None:
    """A file in the place of a directory is named."""
    (tmp_path / "file").write_text("")

    with pytest.raises(CannotInstall, match="cannot be written"):
        install.write(UnitFile(tmp_path / "file" / "ashd.service", "", "missing"))
