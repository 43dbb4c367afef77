"""`ash stats --watch`: the load between two looks, line by line, until Ctrl-C. Budget: 5 s."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from daemons import Daemon

from ashd.cli.watch import Reading, figures
from ashd.prometheus_text import Requests

ASH = [str(Path(sys.executable).parent / "ash")]
STATUS = {"embedder": "ready", "warnings": [{"name": "disk_full"}]}


def reading(requests: Requests) -> Reading:
    return Reading(requests.text())


def test_figures_are_those_between_two_readings() -> None:
    """Earlier calls do not count; the method that took most time is first."""
    requests = Requests()
    requests.observe("memory.add", "ok", 9.0)
    before = reading(requests)
    for _ in range(99):
        requests.observe("memory.search", "ok", 0.004)
    requests.observe("memory.search", "denied", 4.0)
    requests.observe("memory.get", "not_found", 0.0001)
    found = figures(STATUS, before, reading(requests))

    search, get = found["methods"]
    assert (search["name"], search["calls"], search["failed"]) == ("memory.search", 100, 1)
    assert search["p95_ms"] == pytest.approx(5.0)
    assert (get["name"], get["failed"]) == ("memory.get", 1)
    assert found["warnings"] == ["disk_full"]


def test_calls_beyond_the_last_bucket_have_no_bound() -> None:
    """Rather than a wrong one."""
    before = reading(Requests())
    requests = Requests()
    requests.observe("db.backup", "ok", 3_600.0)

    assert figures(STATUS, before, reading(requests))["methods"][0]["p95_ms"] is None


def test_it_watches_until_it_is_interrupted(daemon: Daemon) -> None:
    """One JSON document a line where nobody reads a terminal; Ctrl-C is its ordinary end."""
    command = [*ASH, "--socket", str(daemon.socket), "stats", "--watch", "--interval", "0.1"]
    watching = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    try:
        lines = [json.loads(watching.stdout.readline()) for _ in range(2)]
    finally:
        watching.send_signal(signal.SIGINT)
        watching.stdout.close()

    assert watching.wait(120) == 0
    assert all(line["calls_per_second"] > 0 for line in lines)
    assert all({"writes", "reads"} == line["waiting"].keys() for line in lines)


def test_a_daemon_that_is_away_is_waited_for(tmp_path: Path) -> None:
    """A line says so; what does not stop being wrong would end it."""
    command = [*ASH, "--home", str(tmp_path), "stats", "--watch", "--interval", "0.1"]
    environment = {name: os.environ[name] for name in ("PATH", "HOME")}
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert watching.stdout is not None
    try:
        line = watching.stdout.readline()
        is_running = watching.poll() is None
    finally:
        watching.send_signal(signal.SIGINT)
        watching.stdout.close()

    assert watching.wait(120) == 0
    assert "No daemon runs here" in line
    assert is_running
