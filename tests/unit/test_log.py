"""The log: a line is one event, in each of its forms, whatever its values hold."""

import io
import json
import os
import re
import sys
from collections.abc import Iterator

import pytest

from ashd import log

HOSTILE = 'x" level="error\nerror: forged event\x1b[2J'
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z "


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
    """Values with blanks, quotes or control characters are quoted; its time comes first."""
    log.configure("info", "text")
    log.info("index_damaged", reason=HOSTILE)
    line = capsys.readouterr().err

    assert re.match(rf'{TIME}info: index_damaged reason="x\\"', line)
    assert line.count("\n") == 1
    assert "\x1b" not in line


@pytest.mark.parametrize(("form", "start"), [("auto", "<3>"), ("text", "error: ")])
def test_the_journal_gets_priorities_and_adds_the_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], form: log.Format, start: str
) -> None:
    """Standard error is the journal's if it is that stream: children inherit the variable."""
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    stream = os.fstat(2)
    log.configure("info", form)
    monkeypatch.setenv("JOURNAL_STREAM", f"{stream.st_dev}:{stream.st_ino}")
    log.error("to_the_journal")
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    log.error("to_a_file")

    expected = rf"{start}to_the_journal\n{TIME}error: to_a_file\n"
    assert re.fullmatch(expected, capfd.readouterr().err)


def test_events_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings pass a level of warning, events do not."""
    log.configure("warning", "text")
    log.info("left_out")
    log.warning("written")

    assert re.fullmatch(rf"{TIME}warning: written\n", capsys.readouterr().err)


class _Full(io.StringIO):
    """A stream on a disk that is full."""

    def write(self, _text: str) -> int:
        raise OSError(28, os.strerror(28))


@pytest.mark.parametrize("stream", [_Full(), None], ids=["full", "closed"])
def test_an_event_that_cannot_be_written_raises_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    """A full disk, or no standard error at all."""
    monkeypatch.setattr(sys, "stderr", stream)

    log.error("written_nowhere")
