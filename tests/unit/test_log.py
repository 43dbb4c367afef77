"""The log: a line is one event, in each of its forms, whatever its values hold."""

import json
import os
import sys
from collections.abc import Iterator

import pytest

from ashd import log

HOSTILE = 'x" level="error\nerror: forged event\x1b[2J'


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    log.configure("info")


def test_json_lines_are_objects_with_time_level_event_and_keys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A value can neither end its line nor add a key."""
    log.configure("info", "json")
    log.warning("index_damaged", reason=HOSTILE, count=3)
    line = capsys.readouterr().err

    assert line.count("\n") == 1
    found = json.loads(line)
    assert found.pop("time").endswith("Z")
    assert found == {"level": "warning", "event": "index_damaged", "reason": HOSTILE, "count": 3}


def test_a_text_line_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Values with blanks, quotes or control characters are quoted."""
    log.configure("info", "text")
    log.info("index_damaged", reason=HOSTILE)
    line = capsys.readouterr().err

    assert line.startswith('info: index_damaged reason="x\\"')
    assert line.count("\n") == 1
    assert "\x1b" not in line


def test_priorities_are_for_the_journal_only(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Priorities are used only if standard error is the journal's stream: children inherit the
    variable."""
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    stream = os.fstat(2)
    log.configure("info", "auto")
    monkeypatch.setenv("JOURNAL_STREAM", f"{stream.st_dev}:{stream.st_ino}")
    log.error("to_the_journal")
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    log.error("to_a_file")

    assert capfd.readouterr().err == "<3>to_the_journal\nerror: to_a_file\n"


def test_what_is_less_than_the_level_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings pass a level of warning, events do not."""
    log.configure("warning", "text")
    log.info("left_out")
    log.warning("written")

    assert capsys.readouterr().err == "warning: written\n"
