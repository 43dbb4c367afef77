"""Failed calls in the log: a line for each, within a rate that no caller can exceed."""

import anyio
import pytest

from ashd import log
from ashd.prometheus_text import Requests
from ashd.rpc import outcomes
from ashd.rpc.outcomes import LINES_A_MINUTE, OK, Caller, Outcomes

HOSTILE = Caller("sandbox", "g1")


@pytest.fixture(autouse=True)
def _text() -> None:
    log.configure("info", "text")


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of the log without their times."""
    return [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]


async def test_a_failed_call_is_a_line_with_its_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """A call that succeeds, or whose connection was closed, is none."""
    found = Outcomes(Requests())
    found.answered(HOSTILE, "memory.add", "denied", 0.1)
    found.answered(HOSTILE, "memory.add", OK, 0.1)
    found.answered(HOSTILE, "memory.add", outcomes.CANCELLED, 0.1)

    assert lines(capsys) == [
        "info: call_failed method=memory.add kind=denied listener=sandbox grant=g1"
    ]


async def test_a_flood_is_some_lines_and_a_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Other callers and other kinds of error still have lines of their own."""
    found = Outcomes(Requests())
    for _ in range(1_000):
        found.answered(HOSTILE, "memory.add", "invalid_params", 0.1)
    found.answered(HOSTILE, "memory.add", "storage_error", 0.1)
    found.refused(Caller("control", ""), "(unknown)", "parse_error")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(found.run)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()  # what is left is logged at the daemon's end too
    written = lines(capsys)

    of_kind = [line for line in written if "invalid_params" in line]
    assert len(of_kind) == LINES_A_MINUTE + 1
    assert of_kind[-1].startswith(f"info: more_calls_failed count={1_000 - LINES_A_MINUTE} ")
    assert len(written) == LINES_A_MINUTE + 3
    assert any(line.startswith("warning: call_failed") for line in written)


async def test_a_fault_is_logged_by_type_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    """The text of a fault may hold what a user wrote."""
    with pytest.raises(ValueError, match="my secret") as fault:
        int("my secret")
    Outcomes(Requests()).faulted(HOSTILE, "memory.add", fault.value)
    (line,) = lines(capsys)

    assert line.startswith("error: call_failed method=memory.add kind=internal_error")
    assert "error=ValueError at=" in line
    assert "secret" not in line
