"""The system service on a booted systemd: what it survives, and what it never loses. Budget: 40 s.

The machine is booted once for all; each test leaves the service running.
"""

import contextlib
import json
import subprocess
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from booted import ALICE, BIN, CONTROL, Machine
from daemons import CallFailed
from waiting import until

CONFIG = "/var/lib/ashd/config.toml"
_LISTED = 100


@pytest.fixture
def scope() -> dict[str, str]:
    """A user of this test alone."""
    return {"provider": "test", "user_id": f"user-{uuid.uuid4()}"}


def stored(service: Machine, scope: dict[str, str]) -> set[str]:
    """The contents of a user's memories."""
    page = service.call("memory.list", scope=scope, limit=_LISTED)
    return {memory["content"] for memory in page["memories"]}


def restarted(service: Machine, before: int) -> int:
    """Wait until systemd has started the daemon again; its process."""

    def other() -> int:
        running = service.show("ashd.service", "ActiveState") == "active"
        number = service.main_pid()
        return number if running and number not in {0, before} else 0

    number: int = until(other)
    return number


@pytest.fixture
def settings(service: Machine) -> Iterator[Path]:
    """The daemon's configuration, which is as before in the end."""
    file = service.path(CONFIG)
    yield file
    file.unlink(missing_ok=True)
    service.systemctl("reload", "ashd.service")


def test_first_call_starts_the_daemon(service: Machine) -> None:
    """The socket exists without the daemon, and the first call waits instead of failing."""
    service.systemctl("stop", "ashd.service")
    assert (service.main_pid(), service.show("ashd.socket", "ActiveState")) == (0, "active")

    assert service.call("memory.list")["memories"] == []

    assert service.main_pid() > 0


def test_control_socket_stays_over_a_restart(service: Machine, scope: dict[str, str]) -> None:
    """The same socket, for the daemon's user and its group alone; memories are there afterwards."""
    service.call("memory.add", scope=scope, content="I keep bees")
    before = service.path(CONTROL).stat()

    service.systemctl("restart", "ashd.service")

    after = service.path(CONTROL).stat()
    assert (after.st_ino, after.st_mode & 0o777) == (before.st_ino, 0o660)
    assert stored(service, scope) == {"I keep bees"}


def test_only_operators_reach_the_control_socket(service: Machine) -> None:
    """The error tells other users who may connect; a member of the group is served."""
    called = service.run("ash", "--socket", CONTROL, "status", user=ALICE, check=False)
    assert called.returncode == 6
    assert "ermission" in called.stderr

    service.run("usermod", "-aG", "ashd", "alice")
    group = service.run("getent", "group", "ashd").stdout.split(":")[2]
    with_group = ["setpriv", "--reuid", str(ALICE), "--regid", str(ALICE), "--groups", group]
    assert "Running since" in service.run(*with_group, "ash", "--socket", CONTROL, "status").stdout


def test_sandbox_keeps_its_grant_over_a_restart(
    service: Machine, need: Any, scope: dict[str, str]
) -> None:
    """An agent that was started before goes on afterwards, through the same mount."""
    need("bwrap")
    user = f"{scope['provider']}:{scope['user_id']}"
    agent = 'ash-sb memory add "I keep bees" && read line && ash-sb memory search bees'
    with subprocess.Popen(
        service.command("ash", "--as", user, "sandbox", "run", "--", "sh", "-c", agent),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as sandbox:
        try:
            until(lambda: stored(service, scope) or sandbox.poll() is not None)
            service.systemctl("restart", "ashd.service")
            out, err = sandbox.communicate("go on\n", timeout=120)
        finally:
            sandbox.kill()

    assert sandbox.returncode == 0, err
    assert out.count("> I keep bees") == 2, out
    # The grant ends with its command, which the daemon has to see.
    grants = service.call("grant.list", include_closed=False)["grants"]
    assert not [grant for grant in grants if grant["scope"]["user_id"] == scope["user_id"]]


def test_kill_loses_nothing_acknowledged(service: Machine, scope: dict[str, str]) -> None:
    """A kill -9 in the middle of a client's writes: all it got an answer for is stored."""
    before = service.main_pid()
    acknowledged: set[str] = set()
    half = threading.Event()

    def write() -> None:
        number = 0
        while len(acknowledged) < 40:
            with contextlib.suppress(OSError, AssertionError, CallFailed), service.client() as one:
                while len(acknowledged) < 40:
                    number += 1
                    content = f"Box {number} holds {uuid.uuid4()}"
                    one.call("memory.add", scope=scope, content=content)
                    acknowledged.add(content)
                    if len(acknowledged) == 20:
                        half.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert half.wait(120)
    service.run("kill", "-9", str(before))
    writer.join(120)

    assert not writer.is_alive()
    restarted(service, before)
    assert acknowledged <= stored(service, scope)


def test_hung_daemon_is_replaced(service: Machine, scope: dict[str, str]) -> None:
    """The watchdog ends a daemon that no longer answers; what it had acknowledged is there."""
    service.call("memory.add", scope=scope, content="I keep bees")
    service.drop_in("ashd.service", "watchdog", "[Service]", "WatchdogSec=2", "TimeoutAbortSec=1")
    try:
        service.systemctl("restart", "ashd.service")
        before = service.main_pid()
        service.run("kill", "-STOP", str(before))

        restarted(service, before)
    finally:
        service.remove_drop_in("ashd.service", "watchdog")
        service.systemctl("restart", "ashd.service")

    assert "Watchdog timeout" in service.journal("-u", "ashd.service")
    assert stored(service, scope) == {"I keep bees"}


def test_a_long_upgrade_is_not_ended(service: Machine) -> None:
    """Bringing a large database up to date may take longer than the time for a start."""
    slow = service.path("/opt/ashd/slow.py")
    slow.write_text(
        "import time\n"
        "from ashd.cli.ashd import main\n"
        "from ashd.ops import upgrade\n"
        "upgrade.back_up_before = lambda *_: time.sleep(20)\n"
        "main()\n"
    )
    start = f"ExecStart={BIN}/python /opt/ashd/slow.py serve"
    service.drop_in("ashd.service", "slow", "[Service]", "TimeoutStartSec=8", "ExecStart=", start)
    try:
        service.systemctl("restart", "ashd.service")
    finally:
        service.remove_drop_in("ashd.service", "slow")
        slow.unlink()
        service.systemctl("restart", "ashd.service")

    assert "start operation timed out" not in service.journal("-u", "ashd.service")


def test_reload_answers_once_it_is_done(service: Machine, settings: Path) -> None:
    """The same process reloads; an unusable file fails the reload and changes nothing."""
    before = service.main_pid()
    settings.write_text("[log]\nlevel = 'debug'\n")
    service.systemctl("reload", "ashd.service")

    settings.write_text("[log]\nlevel = 'loud'\n")
    refused = service.run("systemctl", "reload", "ashd.service", check=False)

    assert refused.returncode != 0
    assert service.main_pid() == before
    journal = service.journal("-u", "ashd.service")
    assert "settings_reloaded sections=log" in journal
    assert "loud" in journal


def test_memory_ceiling_is_enforced(service: Machine, scope: dict[str, str]) -> None:
    """The kernel kills the daemon, systemd restarts it, and nothing is lost."""
    groups = service.path("/sys/fs/cgroup")
    controllers = groups / "cgroup.controllers"
    version_2 = controllers.exists() and "memory" in controllers.read_text().split()
    if not version_2 and not (groups / "memory").is_dir():
        pytest.skip("the kernel gives this machine no memory controller")
    service.call("memory.add", scope=scope, content="I keep bees")
    before = service.main_pid()
    group = service.show("ashd.service", "ControlGroup")
    place = f"/sys/fs/cgroup{'' if version_2 else '/memory'}{group}/cgroup.procs"
    # Fills what is left of the ceiling; the kernel chooses the daemon.
    filler = (
        "import os\n"
        f"open('/proc/{before}/oom_score_adj', 'w').write('1000')\n"
        f"open('{place}', 'w').write(str(os.getpid()))\n"
        "kept = []\n"
        f"while os.path.exists('/proc/{before}/exe'): kept.append(b'x' * 2**21)\n"
    )
    service.systemctl("set-property", "--runtime", "ashd.service", "MemoryMax=400M")
    try:
        filling = service.run(f"{BIN}/python", "-c", filler, check=False)

        restarted(service, before)
    finally:
        service.systemctl("set-property", "--runtime", "ashd.service", "MemoryMax=2G")

    assert filling.returncode in {0, -9, 137}, filling.stderr
    assert "code=killed, status=9/KILL" in service.journal("-u", "ashd.service")
    assert stored(service, scope) == {"I keep bees"}


def test_stop_ends_in_its_time(service: Machine) -> None:
    """The daemon stops by itself with clients that hang: systemd has to kill nothing."""
    with service.client() as idle, service.client() as unfinished:
        idle.call("system.status")
        unfinished.send(b'{"jsonrpc": "2.0", "id": 1, "method": "memo')

        service.systemctl("stop", "ashd.socket", "ashd.service")

    assert service.show("ashd.service", "Result") == "success"
    assert "daemon_stopped" in service.journal("-u", "ashd.service")
    assert not service.path(CONTROL).exists()


def test_root_restores_for_the_service(service: Machine, scope: dict[str, str]) -> None:
    """A file that root puts in place belongs to the daemon's user, who can read it."""
    service.call("memory.add", scope=scope, content="I keep bees")
    backup = service.call("db.backup")["path"]
    service.call("memory.add", scope=scope, content="I keep goats")
    service.systemctl("stop", "ashd.socket", "ashd.service")

    service.run("ash", "--home", "/var/lib/ashd", "db", "restore", backup, "--yes")

    service.systemctl("start", "ashd.socket", "ashd.service")
    assert stored(service, scope) == {"I keep bees"}


def test_journal_holds_no_contents(service: Machine, scope: dict[str, str], settings: Path) -> None:
    """No stored, asked or refused text is in the journal, at any log level."""
    marks = {name: f"{name}{uuid.uuid4().hex}" for name in ("fact", "question", "wrong", "secret")}
    settings.write_text("[log]\nlevel = 'debug'\n")
    service.systemctl("reload", "ashd.service")
    service.call("memory.add", scope=scope, content=f"The code word is {marks['fact']}")
    service.call("memory.search", scope=scope, query=marks["question"])
    with pytest.raises(CallFailed):
        service.call("memory.list", scope=scope, tags=marks["wrong"])
    with pytest.raises(CallFailed):
        service.call("memory.add", scope=scope, content=f"password: {marks['secret']}")
    service.systemctl("start", "ashd-backup.service", "ashd-gc.service")

    journal = service.journal()
    assert "embedder_ready" in journal
    assert [name for name, mark in marks.items() if mark in journal] == []


@pytest.mark.parametrize("name", ["ashd-backup", "ashd-gc"])
def test_timer_fires(service: Machine, name: str) -> None:
    """The timer starts its unit, which does its work through the daemon."""
    before = service.show(f"{name}.service", "InvocationID")
    now = ["[Timer]", "OnCalendar=", "OnCalendar=*:*:*", "RandomizedDelaySec=0"]
    service.drop_in(f"{name}.timer", "now", *now)
    try:
        service.systemctl("restart", f"{name}.timer")
        until(lambda: service.show(f"{name}.service", "InvocationID") != before)
    finally:
        service.remove_drop_in(f"{name}.timer", "now")
        service.systemctl("restart", f"{name}.timer")

    until(lambda: service.show(f"{name}.service", "ActiveState") != "activating")
    assert service.show(f"{name}.service", "Result") == "success"
    if name == "ashd-backup":
        assert list(service.path("/var/lib/ashd/data/backups").glob("ash-*.db"))


def test_key_reaches_the_daemon_alone(service: Machine) -> None:
    """The example unit hides the key from other users and from every environment."""
    service.path("/etc/ashd").mkdir()
    key = service.path("/etc/ashd/key")
    key.write_text("key-of-the-endpoint")
    key.chmod(0o600)
    example = Path("/etc/systemd/system/ashd.service.d/key.conf.example")
    in_use = service.path(str(example.with_suffix("")))
    in_use.write_text(service.path(str(example)).read_text())
    given = "/run/credentials/ashd.service/key"
    reading = ["setpriv", "--clear-groups", "--reuid"]
    try:
        service.systemctl("daemon-reload")
        service.systemctl("restart", "ashd.service")
        as_ashd = service.run(*reading, "ashd", "--regid", "ashd", "cat", given)
        as_alice = service.run(*reading, "alice", "--regid", "alice", "cat", given, check=False)
        environment = service.path(f"/proc/{service.main_pid()}/environ").read_bytes()
    finally:
        in_use.unlink()
        service.systemctl("daemon-reload")
        service.systemctl("restart", "ashd.service")

    assert as_ashd.stdout == "key-of-the-endpoint"
    assert as_alice.returncode != 0
    assert b"key-of-the-endpoint" not in environment


@contextlib.contextmanager
def gateway_ready(service: Machine) -> Iterator[None]:
    """Wait until the gateway that is started here listens; an earlier one has said so, too."""

    def starts() -> int:
        return service.journal("-u", "ashd-http.service").count("http_ready")

    before = starts()
    yield
    until(lambda: starts() > before)


def test_gateway_serves_as_a_unit_of_its_own(service: Machine) -> None:
    """The gateway takes a key made by root, and outlives a stop of the daemon and its socket."""
    made = service.run(
        *("ash", "--home", "/var/lib/ashd", "key", "create", "--agent", "notes", "--json"),
    )
    key = json.loads(made.stdout)["key"]
    asking = (
        "import sys, urllib.request\n"
        f"headers = {{'Authorization': 'Bearer {key}'}}\n"
        "request = urllib.request.Request('http://127.0.0.1:1337/agents', headers=headers)\n"
        "print(urllib.request.urlopen(request, timeout=120).read().decode())\n"
    )
    try:
        with gateway_ready(service):
            service.systemctl("start", "ashd-http.service")
        answer = service.run(f"{BIN}/python", "-c", asking).stdout
        assert service.show("ashd-http.service", "User") == "ashd"
        service.systemctl("stop", "ashd.socket", "ashd.service")
        service.systemctl("start", "ashd.socket", "ashd.service")
        again = service.run(f"{BIN}/python", "-c", asking).stdout
    finally:
        service.systemctl("stop", "ashd-http.service")

    assert json.loads(answer) == json.loads(again) == {"agents": []}


def test_gateway_reads_the_key_that_is_given_to_both_units(
    service: Machine, settings: Path
) -> None:
    """With copies of the daemon's drop-ins the same `api_key_file` serves the gateway too."""
    service.path("/etc/ashd").mkdir(exist_ok=True)
    key = service.path("/etc/ashd/key")
    key.write_text("key-of-the-endpoint")
    key.chmod(0o600)
    settings.write_text(
        '[llm]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
        'api_key_file = "/run/credentials/ashd.service/key"\n'
    )
    settings.chmod(0o644)
    units = service.path("/etc/systemd/system")
    copies = units / "ashd-http.service.d"
    made = [units / "ashd.service.d" / "key.conf", copies / "key.conf", copies / "network.conf"]
    copies.mkdir()
    made_key = service.run(
        *("ash", "--home", "/var/lib/ashd", "key", "create", "--agent", "notes", "--json"),
    )
    asking = (
        "import json, urllib.error, urllib.request\n"
        f"headers = {{'Authorization': 'Bearer {json.loads(made_key.stdout)['key']}'}}\n"
        "request = urllib.request.Request('http://127.0.0.1:1337/v1/models', headers=headers)\n"
        "try:\n"
        "    urllib.request.urlopen(request, timeout=120)\n"
        "except urllib.error.HTTPError as error:\n"
        "    print(json.load(error)['error']['code'])\n"
    )
    try:
        for one in made:
            one.write_text((units / "ashd.service.d" / f"{one.name}.example").read_text())
        service.systemctl("daemon-reload")
        with gateway_ready(service):
            service.systemctl("restart", "ashd.service", "ashd-http.service")
        answered = service.run(f"{BIN}/python", "-c", asking).stdout
    finally:
        service.systemctl("stop", "ashd-http.service")
        for one in made:
            one.unlink()
        copies.rmdir()
        service.systemctl("daemon-reload")
        service.systemctl("restart", "ashd.service")

    assert answered == "upstream_unreachable\n"
