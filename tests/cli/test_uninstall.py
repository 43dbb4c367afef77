"""The commands of the page for uninstalling leave nothing but what it names. Budget: 15 s."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "when-it-does-not-work.md").read_text()
[COMMANDS] = re.findall(r"## Uninstall\n\n```sh\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def home() -> Iterator[Path]:
    """The folder of a person who has a host for agents; the path of a socket has to be short."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        Path(folder, ".claude.json").write_text('{"theme": "dark"}')
        yield Path(folder)


def test_nothing_is_left_but_what_the_page_names(home: Path) -> None:
    """The exported memories, and the former settings of a host that was connected."""
    before_the_last = "kill $!; wait\nrm "
    script = "\n".join(
        (
            "set -e; ashd serve 2>/dev/null &",
            "ash --wait 20 memory add 'The spare key hangs behind the clock'",
            "ash connect claude-code --yes",
            re.sub("(ash disconnect .*?) #", r"\1 --yes #", COMMANDS).replace(
                "rm ", before_the_last
            ),
        )
    )
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    said = home / "said"
    with (
        said.open("w") as output,
        subprocess.Popen(
            ["sh", "-c", script],
            env={"PATH": path, "HOME": str(home)},
            cwd=home,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as shell,
    ):
        try:
            shell.wait(60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)  # a daemon that a failure left behind

    assert shell.returncode == 0, said.read_text()
    said.unlink()
    left = {path.name.removesuffix("-2") for path in home.iterdir()}
    assert left == {"memories.jsonl", ".claude.json", ".claude.json.before-ash"}
    assert "spare key" in (home / "memories.jsonl").read_text()
    assert "ash" not in (home / ".claude.json").read_text()
