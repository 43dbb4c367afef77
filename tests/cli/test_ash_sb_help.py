"""Help without a daemon: every command has usage and an example that works; the model's page."""

import shlex

import pytest
from scripted_daemon import ash_sb

from ash_sb import cli
from ash_sb.commands import COMMANDS, Command

WORDS = [command.words for command in COMMANDS]


@pytest.mark.parametrize("words", WORDS)
def test_each_command_has_usage_options_and_an_example(words: str) -> None:
    """`help COMMAND` and `COMMAND --help` show the same usage, every option and an example."""
    by_help = ash_sb("help", *words.split())
    by_flag = ash_sb(*words.split(), "--help")
    lines = by_help.stdout.splitlines()
    (command,) = [command for command in COMMANDS if command.words == words]

    assert (by_help.returncode, by_help.stderr) == (0, "")
    assert by_flag.stdout == by_help.stdout
    assert lines[0].startswith(f"usage: ash-sb {words}")
    assert lines[-1].startswith(f"example: ash-sb {words}")
    for option in (*command.options, cli.EVERYWHERE[0]):
        assert f"{option.flag} {option.metavar}".rstrip() in by_help.stdout
        assert option.summary in " ".join(by_help.stdout.split())
    assert max(map(len, lines)) <= 110


@pytest.mark.parametrize("command", COMMANDS, ids=WORDS)
def test_each_example_is_understood(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples in the help are valid command lines."""
    monkeypatch.setattr("ash_sb.inputs._read", lambda _path: "a text from standard input")
    words = shlex.split(command.example)[1:]
    found, rest = cli.find_command(words)
    options, operands = cli.parse(found, rest)

    assert found is command
    assert command.build(operands, options) is not None


def test_the_overview_names_every_command() -> None:
    """`ash-sb`, `ash-sb help` and `ash-sb --help` list all commands with a line each."""
    shown = [ash_sb(*typed).stdout for typed in ([], ["help"], ["--help"], ["-h"])]

    assert len(set(shown)) == 1
    for command in COMMANDS:
        assert f"  {command.words}" in shown[0]
        assert command.summary in shown[0]


@pytest.mark.parametrize("group", ["memory", "person", "conversation"])
def test_a_group_lists_its_commands(group: str) -> None:
    """`help memory` lists the commands of the group."""
    shown = ash_sb("help", group).stdout

    assert shown.startswith(f"usage: ash-sb {group} COMMAND")
    for words in WORDS:
        assert (f"  {words}  " in shown) == words.startswith(f"{group} ")


def test_the_page_for_a_model_is_short_and_whole() -> None:
    """`help agent` stays under 400 tokens (1,600 characters) and leaves no group out."""
    page = ash_sb("help", "agent").stdout

    assert len(page) < 1600
    for words in ("memory add", "memory search", "context", "recall", "conversation search"):
        assert f"ash-sb {words}" in page
    for word in ("person resolve", "--supersedes", "--expires", "--shared", "passwords", "Exit:"):
        assert word in page
    # A usual grant has no right to forget: the page promises no more than there is.
    assert "delete ID needs the right forget" in page


def test_examples_on_the_page_for_a_model_are_understood() -> None:
    """Every command line on the page is one that the client takes."""
    page = ash_sb("help", "agent").stdout
    lines = [line.strip().split("   ")[0] for line in page.splitlines()]
    shown = [line for line in lines if line.startswith("ash-sb ") and '"' in line]

    assert len(shown) == 5
    for line in shown:
        command, rest = cli.find_command(shlex.split(line)[1:])
        options, operands = cli.parse(command, rest)
        assert command.build(operands, options)


def test_help_on_nothing_is_an_error() -> None:
    """Help for a command there is not: exit 2 with the nearest one."""
    done = ash_sb("help", "memory", "serach")

    assert done.returncode == 2
    assert "Did you mean `ash-sb memory search`?" in done.stderr


def test_the_version_is_the_packages() -> None:
    """`--version` says the version that stands in the package, the same as the daemon's."""
    from ash_sb import __version__
    from ashd import __version__ as daemon_version

    assert ash_sb("--version").stdout == f"ash-sb {__version__}\n"
    assert __version__ == daemon_version
