"""A hostile agent in a real sandbox, behind a grant of the real daemon. Budget: 40 s.

It tries what an agent can try that read the wrong web page; then the operator looks what came of
it: nothing of anybody else's was seen or changed, the daemon is well, and the audit tells.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from containers import IMAGE_USER, Podman, documented
from daemons import Daemon
from sandboxed_host import contained, launched

from ashd import limits
from ashd.launcher.launch import Sandbox

HOSTILE = Path(__file__).with_name("hostile.py")
WORD = "Xylophonicon"
AS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def victim() -> Iterator[Daemon]:
    """A daemon with somebody's memories in it."""
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    yield daemon.start()
    unexpected = daemon.unexpected()
    daemon.remove()
    assert unexpected == []


Run = Callable[[dict[str, Any], Sequence[str]], "subprocess.CompletedProcess[str]"]


@pytest.fixture(params=["bubblewrap", "podman"])
def sandbox(request: pytest.FixtureRequest, client: Path) -> Run:
    """Runs an agent in a sandbox with a grant."""
    if request.param == "podman":
        podman: Podman = request.getfixturevalue("podman")
        if not AS_ROOT:
            pytest.skip("the containers' user is another one's, which only root can let in")

        def container(
            grant: dict[str, Any], argv: Sequence[str]
        ) -> "subprocess.CompletedProcess[str]":
            run = [w.replace("$GRANT_DIRECTORY", grant["directory"]) for w in documented("run")]
            return contained(lambda argv: podman.command([*run, *argv]))(argv)

        return container
    request.getfixturevalue("sandboxes")
    return lambda grant, argv: launched(
        Sandbox(directory=Path(grant["directory"]), client=client.read_bytes()), argv
    )


def test_a_hostile_agent_gets_nothing(
    victim: Daemon, sandbox: Run, scope: Callable[..., dict[str, Any]]
) -> None:
    somebody = scope()
    told = victim.call(
        "memory.add", scope=somebody, content=f"My {WORD} is in the safe", subjects=[f"Bo {WORD}"]
    )["memories"][0]
    other = victim.call("grant.create", scope=somebody)
    spare = victim.call("grant.create", scope=somebody, token=True)
    rights = ["read", "write", "forget"]
    quota = {"writes_per_minute": 100}
    grant = victim.call("grant.create", scope=scope(), rights=rights, quota=quota)
    before = victim.call("memory.get", scope=somebody, id=told["memory"]["id"])
    assert victim.process is not None
    knows = {
        "hidden": [
            *(str(victim.home / "data" / "ash.db"), str(victim.home / "data"), str(victim.socket)),
            *(other["directory"], other["socket"], spare["socket"], str(victim.run)),
            str(victim.run / "ashd.lock"),
        ],
        "pids": [victim.process.pid, os.getpid()],
        "memory": told["memory"]["id"],
        "person": told["people"][0]["id"],
        "scope": somebody,
        "token": spare["token"],
        "word": WORD,
    }

    argv = ["python3", "-I", "-S", "-c", HOSTILE.read_text(), json.dumps(knows)]
    done = sandbox(grant, argv)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)

    # Its own memory works; nothing of the host is there.
    assert report["own"] == report["after"] == "ok"
    assert set(report["files"].values()) == {"FileNotFoundError"}
    assert set(report["sockets"].values()) == {"FileNotFoundError"}
    for tried in ("unlink", "replace", "beside"):
        assert report[tried] != "done"
    assert WORD not in done.stdout
    assert grant["grant_id"] not in report["above"]
    assert set(report["signal"]) == {"ProcessLookupError"}
    assert set(report["trace"]) <= {"ProcessLookupError", "PermissionError"}

    # It is who its socket says, and has that socket's methods.
    assert set(report["forged"]) == set(report["forged_write"]) == {"scope_is_bound"}
    assert set(report["control"].values()) == {"method_not_found"}
    found = report["others"]
    assert found.pop("token") == "scope_is_bound"
    assert found.pop("seen") is False
    assert found.pop("same") is True
    assert set(found.values()) == {"not_found"}

    # What it can use up is bounded.
    used = report["exhaust"]
    assert used["served"] <= limits.SANDBOX.connections
    assert (used["large"], used["deep"], used["values"]) == ("too_large",) * 3
    assert "rate_limited" in used["writes"]
    assert used["written"] <= 10  # 100 writes, 20 a call, and what flows in meanwhile

    # Nothing of somebody else's has changed, and somebody else is served.
    after = victim.call("memory.get", scope=somebody, id=told["memory"]["id"])
    for told_now in (before, after):
        told_now["memory"].pop("last_accessed_at")
        told_now["memory"].pop("access_count")
    assert before == after
    assert victim.call("memory.list", at=other["socket"])["total"] == 1

    # The audit has it, each attempt under the grant and some of each kind; not one row too many.
    rows = audited(victim, grant["grant_id"])
    outcomes = Counter(row["outcome"] for row in rows)
    for attempt in ("scope_is_bound", "method_not_found", "denials_left_out", "ok"):
        assert outcomes[attempt] > 0, outcomes
    denials = outcomes.total() - outcomes["ok"] - outcomes["duplicate"]
    minutes = len({row["at"][:16] for row in rows})
    assert denials <= 31 * minutes
    assert {row["actor"] for row in rows} == {"sandbox"}


def audited(daemon: Daemon, grant_id: str) -> list[dict[str, Any]]:
    """All rows of a grant."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = daemon.call("audit.list", grant_id=grant_id, limit=100, **cursor)
        rows += page["entries"]
        if page["next_cursor"] is None:
            return rows
        cursor = {"cursor": page["next_cursor"]}


def test_the_image_has_another_user() -> None:
    """A different user shows that the mount stops the agent, not file permissions."""
    assert IMAGE_USER == 65534
