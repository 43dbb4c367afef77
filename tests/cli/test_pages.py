"""The tested blocks of a page run in one shell, on an empty home.

Every ```sh block whose first line says `tested` is run in order, against the daemon that the first
of the page's blocks starts; a ```text block right below is its expected output, but for ids, times
and scores. Budget: 60 s.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ashd.launcher import bubblewrap

REPOSITORY = Path(__file__).parents[2]
PAGES = ("README.md", "docs/first-week.md", "docs/when-it-does-not-work.md")
SLOWEST_S = 120
WIDTH = "100"
END = "@@ end of block"
LOGGED = re.compile(r"\S+Z info: ")

BLOCK = re.compile(
    r"^```sh tested( sandbox)?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """Commands to paste, and what they print."""

    sandbox: bool
    commands: str
    output: str


class Done(NamedTuple):
    """The result of a block."""

    status: int
    output: str


BLOCKS = {
    page: [
        Block(bool(found[1]), found[2], found[3] or "")
        for found in BLOCK.finditer((REPOSITORY / page).read_text(encoding="utf-8"))
    ]
    for page in PAGES
}


@pytest.fixture(scope="module")
def done() -> Callable[[str], list[Done]]:
    """Run the blocks of a page, once."""
    return functools.cache(run)


def run(page: str) -> list[Done]:
    """Run the blocks of a page; those that need bubblewrap only if it is installed."""
    sandboxes = bubblewrap.probe() is None
    assert sandboxes or os.environ.get("ASH_CI") != "1" or shutil.which("bwrap")
    script = "".join(
        f"{block.commands if sandboxes or not block.sandbox else ''}echo '{END}' $?\n"
        for block in BLOCKS[page]
    )
    script += f"ash grant list --json\necho '{END}' $?\n"  # what the page leaves behind
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        home, said = Path(folder, "home"), Path(folder, "said")
        home.mkdir()
        # As after `git clone` and `make demo`: the commands are in .venv/bin of the current folder.
        Path(home, ".venv").mkdir()
        Path(home, ".venv", "bin").symlink_to(Path(sys.executable).parent)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "COLUMNS": WIDTH}
        with said.open("w") as output:
            shell = subprocess.Popen(
                ["sh"],
                cwd=home,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        with shell:
            try:
                shell.stdin.write(script)
                shell.stdin.close()
                shell.wait(SLOWEST_S)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGTERM)  # the daemon in its background
        return list(blocks(said.read_text()))


def blocks(said: str) -> Iterator[Done]:
    """Return the output of each block, without the daemon's log."""
    text = "".join(line for line in said.splitlines(keepends=True) if not LOGGED.match(line))
    for found in re.finditer(rf"(.*?)^{END} (\d+)\n", text, re.MULTILINE | re.DOTALL):
        yield Done(int(found[2]), found[1])


def likened(text: str) -> str:
    """Return the text without what differs between runs."""
    text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f-]{27})?\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\dZ)?", "TIME", text)
    text = re.sub(r"\b0\.\d+", "SCORE", text)
    return re.sub(r"local:\w+", "local:you", text)


def test_the_pages_have_blocks() -> None:
    """The marks are found, so the tests below test something."""
    assert all(len(blocks) >= 3 for blocks in BLOCKS.values())
    assert any(block.output for block in BLOCKS["README.md"])


@pytest.mark.parametrize(
    ("page", "number"), [(page, number) for page in PAGES for number in range(len(BLOCKS[page]))]
)
def test_a_block_does_what_it_says(
    page: str, number: int, done: Callable[[str], list[Done]]
) -> None:
    """The last command succeeds, none fails, and the output is that of the block below."""
    block = BLOCKS[page][number]
    if block.sandbox and bubblewrap.probe() is not None:
        pytest.skip(bubblewrap.probe())
    came = done(page)[number]

    assert came.status == 0, came.output
    if block.output:
        assert likened(came.output) == likened(block.output)
    else:
        assert "error:" not in came.output
        assert not re.search(r"^(ash|sh): ", came.output, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_leaves_no_grant_open(page: str, done: Callable[[str], list[Done]]) -> None:
    """The grants of its sandboxes are closed by its end."""
    assert json.loads(done(page)[-1].output)["grants"] == []


def test_docker_lines_are_those_of_the_command() -> None:
    """The recipe in sandbox/README.md is what `ash grant create` prints, but for names."""
    from ashd.cli import grant

    recipe = (REPOSITORY / "sandbox" / "README.md").read_text()
    [line] = re.findall(r"^docker run .*$", recipe.replace("\\\n", ""), re.MULTILINE)

    assert line.split()[: len(grant._DOCKER)] == list(grant._DOCKER)
    assert ":/run/ash:ro" in line
    assert ":/usr/local/bin/ash-sb:ro" in line
