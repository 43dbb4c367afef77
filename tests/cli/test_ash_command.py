"""`ash` as a process: help, completion, pipes, terminals, a missing daemon."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ashd

PROGRAM = [sys.executable, "-c", "from ashd.cli.ash import main; main()"]


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_help_has_every_group_and_the_completion() -> None:
    """In sections, each command with a whole sentence; help needs no daemon."""
    done = run("--help", ASHD_SOCKET="/nowhere")
    assert done.returncode == 0
    for name in ("memory", "person", "grant", "sandbox", "stats"):
        assert f"\n  {name} " in done.stdout
    titles = ("Memory", "People", "Agents", "Care", "Advanced")
    places = [done.stdout.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
    assert "..." not in done.stdout.partition("\nMemory:")[2]
    assert "_ASH_COMPLETE=bash_source ash" in done.stdout


def test_help_says_where_to_begin_reading() -> None:
    """A page of this installation."""
    done = run("--help")
    path = done.stdout.split()[-1]

    assert Path(path).read_text(encoding="utf-8").startswith("# The first week")


@pytest.mark.parametrize("group", [[], ["person"]], ids=["ashd", "ash person"])
def test_help_cuts_no_sentence(group: list[str]) -> None:
    """The lines of a group's commands wrap."""
    program = PROGRAM if group else [str(Path(PROGRAM[0]).with_name("ashd"))]
    done = subprocess.run(
        [*program, *group, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    commands = done.stdout.partition("\nCommands:\n")[2]
    assert commands.count("\n") > 7
    assert "..." not in commands


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (["help"], "Usage: ash [OPTIONS] COMMAND"),
        (["help", "memory"], "Usage: ash memory [OPTIONS] COMMAND"),
        (["help", "memory", "delete"], "Usage: ash memory delete [OPTIONS] ID"),
        (["version"], ashd.__version__),
        (["--version"], ashd.__version__),
        (["-h"], "Usage: ash [OPTIONS] COMMAND"),
        (["memory", "delete", "-h"], "Usage: ash memory delete [OPTIONS] ID"),
    ],
)
def test_help_and_version_are_commands_too(arguments: list[str], usage: str) -> None:
    """Help and version need no daemon."""
    done = run(*arguments, ASHD_SOCKET="/nowhere")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(usage)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["memry"], "Did you mean `ash memory`?"),
        (["memory", "serch"], "Did you mean `ash memory search`?"),
        (["help", "memry"], "Did you mean `ash memory`?"),
        (["help", "status", "x"], "`ash status` has no commands."),
        (["add", "x"], "Did you mean `ash memory add`?"),
        (["resolve", "x"], "Did you mean `ash person resolve`?"),
        (["restore"], "Did you mean `ash memory restore` or `ash db restore`?"),
        (["restore", "--yes", "saved.db"], "Did you mean `ash db restore`?"),
        (["restore", "/mnt/usb/saved"], "Did you mean `ash db restore`?"),
        (["restore", "Makefile"], "Did you mean `ash db restore`?"),
        (["qqqq"], "There is no command 'qqqq'."),
    ],
)
def test_a_command_that_there_is_not_is_wrong_usage(arguments: list[str], meant: str) -> None:
    """Similar names are suggested."""
    done = run(*arguments)
    assert done.returncode == 2
    assert meant in done.stderr.splitlines()[0]


@pytest.mark.parametrize(("arguments", "title"), [([], "Memory:"), (["memory"], "Commands:")])
def test_a_group_alone_shows_its_help_and_is_wrong_usage(arguments: list[str], title: str) -> None:
    """The help goes to standard error, since standard output is for data."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert title in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell: str) -> None:
    """The completion is installed as the help says, and offers the commands."""
    assert "_ASH_COMPLETE" in run(_ASH_COMPLETE=f"{shell}_source").stdout
    done = run(_ASH_COMPLETE="bash_complete", COMP_WORDS="ash memory se", COMP_CWORD="2")
    assert done.stdout == "plain,search\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("mem", {"memory"}),
        ("memory se", {"search"}),
        ("memory search se", set()),
        ("memry se", set()),
        ("db ", {"backup", "restore", "key"}),
    ],
)
def test_help_completes_commands(words: str, offered: set[str]) -> None:
    """`ash help` offers the commands of the group that was typed so far."""
    typed = f"ash\nhelp\n{words.replace(' ', chr(10))}"
    done = run(_ASH_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(typed.count("\n")))
    found = {line.removeprefix("plain,") for line in done.stdout.split()}
    assert done.stderr == ""
    assert found >= offered
    assert bool(found) == bool(offered)


def test_no_daemon_is_one_cause_and_one_remedy(tmp_path: Path) -> None:
    """Exit status 6, in both forms."""
    missing = str(tmp_path / "ashd.sock")
    done = run("memory", "list", ASHD_SOCKET=missing)
    assert (done.returncode, done.stdout) == (6, "")
    assert len(done.stderr.splitlines()) == 2
    assert missing in done.stderr
    assert "ashd serve" in done.stderr

    done = run("memory", "list", "--json", ASHD_SOCKET=missing)
    assert json.loads(done.stderr)["error"]["data"]["kind"] == "unavailable"


def test_the_daemon_of_a_home_or_a_run_directory_is_found(daemon: Any, tmp_path: Path) -> None:
    """The options are --home, ASH_HOME, ASH_RUN_DIR and the session's run directory."""
    (tmp_path / "run").symlink_to(daemon.socket.parent)
    (tmp_path / "ash").symlink_to(daemon.socket.parent)
    here, nowhere = str(tmp_path), str(tmp_path / "none")
    env = {"ASHD_SOCKET": "", "ASH_RUN_DIR": "", "ASH_HOME": nowhere, "XDG_RUNTIME_DIR": nowhere}
    assert run("memory", "list", **env).returncode == 6
    assert run("--home", here, "memory", "list", **env).returncode == 0
    assert run("memory", "list", **env | {"ASH_HOME": here}).returncode == 0
    assert run("memory", "list", **env | {"ASH_RUN_DIR": f"{here}/run"}).returncode == 0
    assert run("memory", "list", **env | {"XDG_RUNTIME_DIR": here}).returncode == 0


def test_a_reader_that_leaves_is_no_error(daemon: Any) -> None:
    """A closed pipe, as in `ash memory list | head -1`, gives its own status and no traceback."""
    daemon.call("memory.add", content="tea")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*PROGRAM, "--socket", str(daemon.socket), "memory", "list"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
    )
    os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_unless_it_wants_none(
    daemon: Any, env: dict[str, str], coloured: bool
) -> None:
    """The escapes inside a memory are never printed."""
    daemon.call("memory.add", content="tea \x1b[31mred")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "--socket", str(daemon.socket), "memory", "list"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **env},
    ) as running:
        assert running.wait(120) == 0
    os.close(theirs)
    text = os.read(ours, 65_536).decode()
    os.close(ours)
    assert ("\x1b[1m" in text) is coloured
    assert "\x1b[31m" not in text


def test_an_odd_locale_still_shows_what_it_can(daemon: Any) -> None:
    """Characters that the locale lacks are escaped."""
    daemon.call("memory.add", content="花生 peanuts")
    done = run("--socket", str(daemon.socket), "memory", "list", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert "\\u82b1" in done.stdout


def test_text_that_is_no_unicode_is_refused(daemon: Any) -> None:
    """A command line in another encoding is refused."""
    done = subprocess.run(
        [*PROGRAM, "--socket", str(daemon.socket), "memory", "add", b"caf\xe9"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "UTF-8" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("program", "path", "status"),
    [("ashd.cli.ash", "/dev/full", 74), ("ash_sb.__main__", "/dev/full", 7)],
)
def test_output_that_cannot_be_written_is_one_line(program: str, path: str, status: int) -> None:
    """The line has the system's reason, and no traceback."""
    code = f"from {program} import main; main()"
    with Path(path).open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    assert status == done.returncode
    assert "could not be written: No space left on device" in done.stderr
    assert 1 == len(done.stderr.splitlines())


@pytest.mark.parametrize("program", ["ashd.cli.ash", "ash_sb.__main__"])
def test_a_closed_output_is_no_error(program: str) -> None:
    """The command takes effect although nobody reads its output."""
    command = f"{sys.executable} -c 'from {program} import main; main()' --help >&-"
    done = subprocess.run(
        ["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize("json", ["", "--json "])
@pytest.mark.parametrize("program", ["ashd.cli.ash", "ash_sb.__main__"])
def test_a_closed_standard_error_changes_no_status(program: str, json: str) -> None:
    """A script that closes it still learns by the status that there is no daemon."""
    command = f"{sys.executable} -c 'from {program} import main; main()' {json}memory list 2>&- <&-"
    nowhere = {"ASHD_SOCKET": "/nowhere", "ASH_RPC_SOCKET": "/nowhere"}
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, **nowhere},
        stdout=subprocess.PIPE,
        check=False,
        timeout=120,
    )
    assert (6, b"") == (done.returncode, done.stdout)


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_a_file_that_cannot_be_made_is_named(tmp_path: Path, folder: str) -> None:
    """As wrong usage, in two lines."""
    (tmp_path / "file").write_text("no folder")
    target = tmp_path / folder / "ash-sb"
    done = run("sandbox", "client", str(target))

    assert done.returncode == 2
    problem, remedy = done.stderr.splitlines()
    assert problem.startswith(f"ash: {target} cannot be used: ")
    assert remedy


def test_a_daemon_that_is_starting_is_waited_for(new_daemon: Any) -> None:
    """The option --wait sets the time; without it the call fails at once."""
    daemon = new_daemon()
    socket = str(daemon.socket)
    assert 6 == run("--socket", socket, "stats").returncode
    waiting = subprocess.Popen(
        [*PROGRAM, "--wait", "60", "--socket", socket, "stats"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    daemon.start()
    said, _ = waiting.communicate(timeout=90)
    assert 0 == waiting.returncode, said


@pytest.mark.parametrize("command", [["key", "list"], ["model", "list"], ["doctor", "--offline"]])
def test_a_user_without_a_home_directory_is_told_so(command: list[str]) -> None:
    """A folder named ~ in the working directory would be made otherwise."""
    done = subprocess.run(
        [*PROGRAM, *command],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "ASH_HOME": "~nobody-of-this-name/ash"},
    )

    assert "no home directory" in done.stderr
    assert "Traceback" not in done.stderr
