"""The commands of docs/backup.md do what the page says. Budget: 40 s."""

import re
import shlex
from pathlib import Path

import pytest
from daemons import Daemon

PAGE = (Path(__file__).parents[2] / "docs" / "backup.md").read_text()
COMMANDS = [
    line.partition("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]


def test_the_page_has_every_command() -> None:
    """Every `ash db` command that the page is about is among its examples."""
    text = " ".join(COMMANDS)

    assert all(f"ash db {name}" in text for name in ("backup", "restore", "import"))
    assert "db export" in text


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory for the files that the page makes."""
    (tmp_path / "usb").mkdir()
    return tmp_path


def _newest_backup(daemon: Daemon) -> Path | None:
    backups = (daemon.home / "data" / "backups").glob("ash-*.db")
    return max(backups, key=lambda path: path.stat().st_mtime_ns, default=None)


def test_the_commands_run(new_daemon: type[Daemon], files: Path) -> None:
    """The commands run in the page's order, except `systemctl` and paths of other machines."""
    daemon = new_daemon().start()
    daemon.call("memory.add", content="The spare key hangs behind the clock")
    running = True
    for command in COMMANDS:
        newest = str(_newest_backup(daemon))
        typed = command.replace("data/backups/NEWEST.db", newest)
        words = shlex.split(typed.replace("/mnt/usb", str(files / "usb")))
        if words[0] == "systemctl":
            running = words[2] == "start"
            if running:
                daemon.start()
            else:
                daemon.stop()
            continue
        if "restore" in words:
            if running:
                daemon.stop()
            words.append("--yes")
        done = daemon.ash(*words[1:], cwd=files)
        assert done.returncode == 0, (command, done.stderr)
        if "restore" in words and running:
            daemon.start()

    contents = {one["content"] for one in daemon.call("memory.list", limit=100)["memories"]}
    assert {"The spare key hangs behind the clock"} == contents
