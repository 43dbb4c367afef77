"""`make demo`: it runs its commands, checks them, leaves nothing behind and says how to go on.

Budget: 30 s.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ashd.launcher import bubblewrap
from sandbox import demo, demo_stage

REPOSITORY = Path(__file__).parents[2]
DEMO = [sys.executable, "-m", "sandbox.demo"]
SLOWEST_S = 60
# Programs that the demo's commands need on a machine without bubblewrap.
PROGRAMS = ("sh", "python3", "readlink")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        yield Path(folder)


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Run:
    """Runs a command as a newcomer's shell would, and ends everything it started."""

    def run_(argv: list[str], *, path: str = os.environ["PATH"], stdin: str = "") -> object:
        said = tmp_path / "said"
        with said.open("w") as output:
            process = subprocess.Popen(
                argv,
                cwd=REPOSITORY,
                env={"PATH": path, "HOME": str(home), "TMPDIR": str(home)},
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        with process:
            process.stdin.write(stdin)
            process.stdin.close()
            try:
                status = process.wait(SLOWEST_S)
            finally:
                with contextlib.suppress(ProcessLookupError):  # nothing was left running
                    os.killpg(process.pid, signal.SIGTERM)
        return subprocess.CompletedProcess(argv, status, said.read_text())

    return run_


def last_lines(output: str) -> str:
    """The three lines to paste."""
    return "\n".join(output.splitlines()[-3:]) + "\n"


def test_the_whole_story_is_told_in_a_sandbox(run: Run, home: Path) -> None:
    """Every command runs with its output; nothing is left, and the last lines work."""
    reason = bubblewrap.probe()
    if reason is not None and not (os.environ.get("ASH_CI") == "1" and not shutil.which("bwrap")):
        pytest.skip(reason)

    told = run(DEMO)

    assert told.returncode == 0, told.stdout
    for shown in (
        "$ ashd serve &",
        "$ ash sandbox run -- sh",
        'sandbox$ ash-sb memory add "I\'m allergic to peanuts"',
        'sandbox$ ash-sb memory search "what does my wife like to eat"',
        "  > she likes Italian food",
        "$ ash --as bob sandbox run -- ash-sb memory search peanuts\ncount: 0 memories",
        "Network is unreachable",
    ):
        assert shown in told.stdout
    assert list(home.iterdir()) == []

    went_on = run(["sh"], stdin=last_lines(told.stdout))

    assert "count: 1 added" in went_on.stdout
    assert "I like green tea" in went_on.stdout


def test_without_bubblewrap_the_rest_is_told(run: Run, home: Path, tmp_path: Path) -> None:
    """The reason is shown, and the last lines need no bubblewrap."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for program in PROGRAMS:
        (programs / program).symlink_to(Path(shutil.which(program)).resolve())

    told = run(DEMO, path=str(programs))

    assert told.returncode == 0, told.stdout
    assert "bubblewrap is not installed" in told.stdout
    assert list(home.iterdir()) == []

    went_on = run(["sh"], stdin=last_lines(told.stdout))

    assert "count: 1 added" in went_on.stdout


def test_a_story_that_does_not_hold_is_not_told_as_true(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demonstration ends with the failed check, status 1 and no lines to paste."""
    monkeypatch.setattr(demo, "remember", lambda agent: agent.run("echo red", shows="blue"))

    status = demo.main()

    said = capsys.readouterr()
    assert status == 1
    assert "`echo red` did not show 'blue'" in said.err
    assert "paste" not in said.out


@pytest.mark.parametrize(
    ("status", "output", "expected"),
    [
        (1, "I like tea", {"shows": "tea", "hides": None, "fails": False}),
        (0, "I like tea", {"shows": "tea", "hides": None, "fails": True}),
        (0, "I like tea", {"shows": "coffee", "hides": None, "fails": False}),
        (0, "I like tea", {"shows": "tea", "hides": "like", "fails": False}),
    ],
)
def test_the_status_and_output_of_a_command_are_checked(
    status: int, output: str, expected: dict[str, object]
) -> None:
    """The end of the output, required parts, and forbidden parts."""
    with pytest.raises(demo_stage.NotAsTold):
        demo_stage.examine("a command", status, output, **expected)
