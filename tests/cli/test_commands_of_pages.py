"""Every command of ours in every page can be typed: its words and options exist.

Other tests run the commands of many pages; these also read inline code, and commands that need
systemd, a server or a network.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ash_sb import cli as sandbox
from ash_sb.errors import Failure
from ashd.cli.ash import cli as ash
from ashd.cli.ashd import main as ashd

REPOSITORY = Path(__file__).parents[2]
LEFT_OUT = {"reference.md", "CHANGELOG.md"}
"""The one is made from the commands, the other has those of former times."""
PAGES = [
    path
    for folder in (".", "docs", "sandbox", "container", "systemd", "benchmarks")
    for path in sorted((REPOSITORY / folder).glob("*.md"))
    if path.name not in LEFT_OUT
]
PROGRAMS = ("ash", "ashd", "ash-sb")
BLOCK = re.compile(r"^ *```(?:sh|console)\b[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`((?:[A-Z_]+=\S+ )*(?:\S*/)?(?:ash|ashd|ash-sb) [^`]+)`")
BETWEEN = re.compile(r"[|;&<>()]+")


def commands_of(text: str) -> Iterator[list[str]]:
    """Yield the commands of ours in a page, as words that begin with the program's name."""
    page = BLOCK.sub("", text)
    blocks = [found.replace("\\\n", " ") for found in BLOCK.findall(text)]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    inline = [" ".join(found.split()) for found in INLINE.findall(page)]
    for line in (*lines, *inline):
        if any(program in line for program in PROGRAMS):
            yield from _ours(line)


def _ours(line: str) -> Iterator[list[str]]:
    """Yield the commands of ours in a line of a shell, and those in a container or sandbox."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    command: list[str] = []
    for word in (*reader, ";"):
        if not BETWEEN.fullmatch(word):
            command.append(word)
            continue
        yield from _called(command)
        command = []


def _called(words: list[str]) -> Iterator[list[str]]:
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if not words:
        return
    name = words[0].rpartition("/")[2]
    if name in PROGRAMS:
        yield [name, *words[1:]]
    if "--" in words:
        yield from _called(words[words.index("--") + 1 :])
    elif "exec" in words:
        yield from _called(words[words.index("exec") + 2 :])


def check(program: str, *words: str) -> None:
    """Read the words of a command as it does, but for the values of options.

    Raises:
        click.UsageError, Failure: there is no such command or option, or an option lacks its value.
    """
    if program != "ash-sb":
        command = ash if program == "ash" else ashd
        _check(command, [*words], click.Context(command))
    elif words and words[0] not in ("help", "mcp", "version"):
        sandbox.parse(*sandbox.find_command([word for word in words if word != "--json"]))


def _check(command: click.Command, words: list[str], parent: click.Context) -> None:
    settings: Any = command.context_settings
    context = click.Context(command, parent=parent, info_name=command.name, **settings)
    _, left, _ = command.make_parser(context).parse_args(words)
    if isinstance(command, click.Group):
        if left and left[0] != "…":
            _, found, rest = command.resolve_command(context, left)
            assert found is not None
            _check(found, rest, context)
    elif left:
        raise click.UsageError(f"There is no place for {left}.", context)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_commands_of_a_page_exist(page: Path) -> None:
    """With their options; a value may be a placeholder."""
    for words in commands_of(page.read_text(encoding="utf-8")):
        try:
            check(*words)
        except click.BadOptionUsage as error:
            # "With `ash --project`" names an option; its value is not the matter.
            if words[-1] != error.option_name:
                pytest.fail(f"{shlex.join(words)}: {error}")
        except (click.UsageError, Failure) as error:
            pytest.fail(f"{shlex.join(words)}: {error}")


@pytest.mark.parametrize(
    "command",
    [
        "ash memory remove ID",
        "ash memory list --until",
        "ash sandbox run -- ash-sb memory remove ID",
        "ashd uninstal --user",
        "ash status now",
        "ash-sb memory add --subjekt X text",
    ],
)
def test_a_command_that_does_not_exist_is_noticed(command: str) -> None:
    """In inline code and in blocks."""
    for text in (f"Try `{command}`.", f"```sh\nx=1 && {command}   # so\n```\n"):
        *_, words = commands_of(text)
        with pytest.raises((click.UsageError, Failure)):
            check(*words)
