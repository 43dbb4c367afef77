"""`ash doctor` on a terminal, while a slow language model is tried. Budget: 20 s."""

import contextlib
import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Endpoint, Hang
from waiting import until


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    server.always("extract_facts", Hang())
    yield server
    server.release()
    server.end()


def rest(screen: int) -> bytes:
    """All that is shown until nobody has the terminal open."""
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(screen, 4_096):
            shown += piece
    return shown


def running(daemon: Daemon) -> list[Any]:
    """The daemon's long work in progress, by its names."""
    return [one["name"] for one in daemon.call("system.status")["running"]]


def test_trial_of_a_slow_model_shows_its_time_and_ends_with_ctrl_c(
    new_daemon: Callable[..., Daemon], endpoint: Endpoint
) -> None:
    """The daemon asks no longer for an answer that nobody waits for, and repairs nothing."""
    daemon = new_daemon()
    daemon.config(endpoint.llm_config)
    daemon.start()
    screen, terminal = pty.openpty()
    doctor = subprocess.Popen(
        daemon.ash_command("doctor", "--fix"),
        stdout=terminal,
        stderr=terminal,
        env=daemon._environment,
    )
    os.close(terminal)
    try:
        shown = b""
        while not re.search(rb"Trying the language model \(Ctrl-C ends it\), [1-9]", shown):
            shown += os.read(screen, 4_096)
        endpoint.wait_for_request("extract_facts")
        assert ["trial"] == running(daemon)

        doctor.send_signal(signal.SIGINT)
        shown += rest(screen)
        assert 130 == doctor.wait(60)
    finally:
        doctor.kill()
        doctor.wait()
        os.close(screen)

    assert b"a repair that has begun goes on" in shown
    assert b"Traceback" not in shown
    until(lambda: not running(daemon))
    audited = [one["method"] for one in daemon.call("audit.list", limit=20)["entries"]]
    assert "db.check" not in audited
    assert 1 == len(endpoint.asked_for("extract_facts"))


def test_trial_has_the_time_of_a_jobs_question(
    new_daemon: Callable[..., Daemon], endpoint: Endpoint
) -> None:
    """The endpoint is asked once, and the finding says that it was too slow."""
    daemon = new_daemon()
    daemon.config(endpoint.llm_config + "timeout_s = 1\n")
    daemon.start()

    findings = daemon.call("db.check")["findings"]

    [detail] = [one["detail"] for one in findings if one["name"] == "language_model"]
    assert "did not answer in time" in detail
    assert 1 == len(endpoint.asked_for("extract_facts"))
