"""docs/language-model.md: its tested block prints what the page says. Budget: 20 s.

Budget: 20 s.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "language-model.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```sh tested\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PORT = "8081"


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def likened(text: str) -> str:
    """Return the text without what differs between runs.

    A loaded machine may be too slow for a plan.
    """
    text = re.sub(
        r"^(?:\S+Z info: |Not available now: planner\.).*\n", "", text, flags=re.MULTILINE
    )
    text = re.sub(r"\[(Remembered|Memory) [0-9a-f]{6,} ", r"[\1 ID ", text)
    return re.sub(r"told by \w+", "told by you", re.sub(r"\d{4}-\d\d-\d\d", "DAY", text))


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty folder whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        yield Path(folder)


def test_the_dialogue_without_a_key_is_as_the_page_shows(home: Path) -> None:
    """In a checkout, on an empty home; only the port differs."""
    [(commands, printed)] = BLOCK.findall(PAGE)
    assert commands.count(PORT) == 2
    for name, target in (
        ("tests", REPOSITORY / "tests"),
        (".venv/bin", Path(sys.executable).parent),
    ):
        link = home / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(target)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        **{name: os.environ[name] for name in ("ASH_MODELS",) if name in os.environ},
    }
    output = home / "output"
    with output.open("w") as to:
        shell = subprocess.Popen(
            ["sh", "-e"],
            cwd=home,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=to,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            shell.stdin.write(commands.replace(PORT, free_port()))
            shell.stdin.close()
            assert shell.wait(120) == 0, output.read_text()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGTERM)  # the daemon and the endpoint

    assert likened(output.read_text()) == likened(printed)
