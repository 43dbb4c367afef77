"""`ashd install` and `ashd uninstall` on a booted systemd, for a machine and for a person.

Budget: 15 s.
"""

from pathlib import Path

import pytest
from booted import ALICE, Machine

from ashd.ops import install

UNITS = "/etc/systemd/system"
USER_MANAGER = f"""
[Service]
Type=notify
User=alice
Delegate=yes
RuntimeDirectory=user/{ALICE}
Environment=XDG_RUNTIME_DIR=/run/user/{ALICE} HOME=/home/alice
ExecStart=/lib/systemd/systemd --user
"""


def test_install_says_what_it_did_and_how_to_undo_it(machine: Machine) -> None:
    """A second time nothing changes, and the daemon is not disturbed."""
    machine.run("ashd", "install", "--system")
    before = machine.main_pid()

    again = machine.run("ashd", "install", "--system").stdout

    assert f"the same  {UNITS}/ashd.service\n" in again
    assert "wrote" not in again
    assert "ashd uninstall --system" in again
    assert (before, before != 0) == (machine.main_pid(), True)


def test_only_root_installs_for_the_machine(machine: Machine) -> None:
    """The error tells another user what to do, and nothing is changed."""
    refused = machine.run("ashd", "install", "--system", user=ALICE, check=False)

    assert refused.returncode == 1
    assert "sudo" in refused.stderr


def test_upgrade_brings_units_up_to_date(service: Machine) -> None:
    """The unit of an older version is replaced, and the daemon runs by the new one."""
    unit = service.path(f"{UNITS}/ashd.service")
    new = unit.read_text()
    older = new.partition("\n")[2].replace("WatchdogSec=30", "WatchdogSec=60")
    unit.write_text(install.marked(older))
    before = service.main_pid()

    service.run("ashd", "install", "--system")

    assert unit.read_text() == new
    assert service.main_pid() not in {0, before}
    assert service.show("ashd.service", "WatchdogUSec") == "30s"


def test_uninstall_leaves_the_memories(service: Machine) -> None:
    """Uninstalling reports the folder of the memories; a new install finds them there."""
    scope = {"provider": "test", "user_id": "of-before"}
    service.call("memory.add", scope=scope, content="I keep bees")
    edited = service.path(f"{UNITS}/ashd-gc.timer")
    edited.write_text(edited.read_text() + "# mine\n")

    gone = service.run("ashd", "uninstall", "--system").stdout
    left = [path.name for path in service.path(UNITS).glob("ashd*")]
    loaded = service.systemctl("list-units", "--all", "--plain", "--no-legend", "ashd*")
    edited.unlink()
    service.run("ashd", "install", "--system")

    assert "The memories are in /var/lib/ashd and were not touched." in gone
    assert f"left      {UNITS}/ashd-gc.timer: it was changed by hand" in gone
    assert left == ["ashd-gc.timer"]
    assert "running" not in loaded
    memories = service.call("memory.list", scope=scope)["memories"]
    assert ["I keep bees"] == [memory["content"] for memory in memories]


def test_daemon_that_cannot_start_is_not_installed(service: Machine) -> None:
    """Unusable settings or another daemon stop the install, with the reason and no change."""
    settings = service.path("/var/lib/ashd/config.toml")
    service.systemctl("stop", "ashd.socket", "ashd.service")
    settings.write_text("[log]\nlevel = 'loud'\n")
    try:
        wrong = service.run("ashd", "install", "--system", check=False)
    finally:
        settings.unlink()
    lock = ["flock", "/var/lib/ashd/data/ash.db.lock", "ashd", "install", "--system"]
    beside = service.run(*lock, check=False)

    assert (wrong.returncode, beside.returncode) == (1, 1)
    assert "loud" in wrong.stderr
    assert "Another ashd" in beside.stderr
    assert service.main_pid() == 0


@pytest.fixture
def alice(machine: Machine) -> Machine:
    """The machine, on which alice has a systemd of her own."""
    path: Path = machine.path("/run/systemd/system/manager-of-alice.service")
    path.write_text(USER_MANAGER)
    machine.systemctl("daemon-reload")
    machine.systemctl("start", path.name)
    return machine


def test_person_without_a_session_is_told(machine: Machine) -> None:
    """A command that makes one, with the person's name in it."""
    machine.systemctl("stop", "manager-of-alice.service", check=False)

    refused = machine.run("ashd", "install", "--user", user=ALICE, check=False)

    assert refused.returncode == 1
    assert "loginctl enable-linger alice" in refused.stderr
    assert not machine.path("/home/alice/.config").exists()


def test_person_installs_restarts_and_uninstalls(alice: Machine) -> None:
    """A daemon of her own: started by its socket, kept over a restart, removed without the data."""

    def run(*words: str) -> str:
        return alice.run(*words, user=ALICE).stdout

    installed = run("ashd", "install", "--user")
    assert "loginctl enable-linger" in installed
    run("ash", "memory", "add", "I keep bees")
    socket = alice.path(f"/run/user/{ALICE}/ash/ashd.sock")
    before = socket.stat().st_ino

    run("systemctl", "--user", "restart", "ashd.service")
    assert "I keep bees" in run("ash", "memory", "list")
    run("systemctl", "--user", "stop", "ashd.service")
    assert "I keep bees" in run("ash", "memory", "list")
    assert before == socket.stat().st_ino
    run("systemctl", "--user", "reload", "ashd.service")
    run("systemctl", "--user", "start", "ashd-backup.service", "ashd-gc.service")

    gone = run("ashd", "uninstall", "--user")
    assert "The memories are in /home/alice/.ash and were not touched." in gone
    assert alice.path("/home/alice/.ash/data/ash.db").is_file()
    assert not list(alice.path("/home/alice/.config/systemd/user").glob("ashd*"))
    assert run("systemctl", "--user", "show", "-P", "MainPID", "ashd.service") == "0\n"
