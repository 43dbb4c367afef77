"""`ash connect` and `ash disconnect`: our entry in the configuration of an agent host."""

import contextlib
import difflib
import glob
import itertools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd import atomic_file
from ashd.cli import hook_files, hook_sessions
from ashd.cli.asking import ask
from ashd.cli.caller import Caller
from ashd.cli.commands import Command, folders, option, pass_caller
from ashd.cli.hosts import HOSTS
from ashd.clock import SystemClock, to_text
from ashd.pages import page
from ashd_client.protocol import AshCallError

if TYPE_CHECKING:
    from ashd.cli.host_entries import File


_BYTE_ORDER_MARK: Final = "\ufeff"
"""Some editors begin a file with it."""
_COPY: Final = ".before-ash"
"""The end of the name of a file's previous version."""


class _Host(click.Choice[str]):
    """A host by its name; the error for another one suggests similar names."""

    def convert(self, value: Any, *_: Any) -> str:
        if value in self.choices:
            return str(value)
        near = [name for name in self.choices if name.startswith(value)]
        near = near or difflib.get_close_matches(value, self.choices, 1)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise click.UsageError(
            f"There is no host {value!r}.{meant} Hosts: {', '.join(self.choices)}."
            f" {page('connect.md')} has how to connect any other."
        )


@click.command("connect", cls=Command)
@click.argument("host", metavar="HOST", type=_Host(list(HOSTS)))
@option("--hooks", is_flag=True, help="Recall before each turn and keep it afterwards, too.")
@option(
    "--project",
    metavar="DIR|ID|none",
    shell_complete=folders,
    help="Always in this project, not in the one that the host works on.",
)
@option("--print", "only_print", is_flag=True, help="Print the change and make none.")
@option("--yes", is_flag=True, help="Make the change without asking.")
@pass_caller
def connect(
    caller: Caller,
    /,
    host: str,
    *,
    hooks: bool,
    project: str | None,
    only_print: bool,
    yes: bool,
) -> None:
    """Give the agents of a host their memory: add `ash mcp` to its configuration."""
    if project is not None:
        caller.work_on(project)
    chosen = HOSTS[host]
    command = [*_ash(caller), "mcp"]
    files = [chosen.servers]
    if hooks and chosen.hooks is None:
        raise click.UsageError(
            f"{chosen.title} has no hooks that a command can be put into;"
            " connect it without --hooks."
        )
    # Hooks that are there already have to ask the daemon that the server asks.
    if chosen.hooks is not None and (hooks or (not chosen.hooks_of and _has_ours(chosen.hooks))):
        files.append(chosen.hooks)
    done = _change(
        files, lambda file, text: file.add(text, command), only_print=only_print, yes=yes
    )
    result: dict[str, Any] = {"host": host, "files": done}
    if only_print:
        caller.answer(result, lambda _: _shown(done, only_print, []))
        return
    if hooks:
        hook_sessions.connected(
            _hooks_folder(caller), chosen.hooks_of or host, to_text(SystemClock().now()) or ""
        )
    from ashd.cli.connect_check import check

    with contextlib.suppress(AshCallError):  # the check says what is wrong
        caller.call("system.status")  # waits as long as --wait allows
    problem = check(command)
    result["check"] = {"works": problem is None, "problem": problem}
    said = "A trial call of recall was answered." if problem is None else f"Not yet: {problem}"
    advice = [said, f"Start {chosen.title} again to use it.", chosen.advice]
    advice += [chosen.of_hooks] if hooks else []
    advice += [f"`ash disconnect {host}` takes it out again."] if done else []
    caller.answer(result, lambda _: _shown(done, only_print, advice))


@click.command("disconnect", cls=Command)
@click.argument("host", metavar="HOST", type=_Host(list(HOSTS)))
@option("--print", "only_print", is_flag=True, help="Print the change and make none.")
@option("--yes", is_flag=True, help="Make the change without asking.")
@pass_caller
def disconnect(caller: Caller, /, host: str, *, only_print: bool, yes: bool) -> None:
    """Remove from a host's configuration what `ash connect` put there, and nothing else."""
    chosen = HOSTS[host]
    other = HOSTS[chosen.hooks_of] if chosen.hooks_of else None
    shared = other if other is not None and _has_ours(other.servers) else None
    files = [chosen.servers]
    if chosen.hooks is not None and shared is None:
        files.append(chosen.hooks)
    done = _change(files, lambda file, text: file.remove(text), only_print=only_print, yes=yes)
    if not only_print and shared is None:
        hook_sessions.disconnected(_hooks_folder(caller), chosen.hooks_of or host)
    stay = [f"The hooks stay, if there are any: {shared.title} has the same."] if shared else []
    caller.answer({"host": host, "files": done}, lambda _: _shown(done, only_print, stay))


def _hooks_folder(caller: Caller) -> str:
    return str(Path(caller.home_folder) / hook_files.FOLDER)


def _change(files: list["File"], edit: Any, *, only_print: bool, yes: bool) -> list[dict[str, Any]]:
    """Show the change to each file, and make it after a yes, with a copy of the old file."""
    from ashd.cli.host_entries import CannotEdit

    texts: dict[Path, tuple[str, str]] = {}
    for file in files:
        path = _place(file)
        before = _text(path)
        first, current = texts.get(path, (before, before))
        mark = _BYTE_ORDER_MARK if current.startswith(_BYTE_ORDER_MARK) else ""
        try:
            after = edit(file, current.removeprefix(mark))
        except CannotEdit as error:
            example = _example(edit, file) if before else ""
            if example:
                click.echo(example, err=True)
            by_hand = " Put the entry above there yourself." if example else ""
            raise _left_alone(path, f"{error}{by_hand}") from None
        if current != mark + after and file.is_bare(after) and _is_made_here(file, path):
            after = ""
        texts[path] = (first, mark + after if after else "")
    changed = {path: pair for path, pair in texts.items() if pair[0] != pair[1]}
    for path, (before, after) in changed.items():
        _show(path, before, after)
    if not changed or only_print:
        return [{"path": str(path), "backup": None, "removed": False} for path in changed]
    if not yes:
        ask("Make this change?")
    done = []
    for path, (before, after) in changed.items():
        try:
            kept = _replace(path, before, after)
            done.append({"path": str(path), "backup": kept, "removed": not after})
        except OSError as error:
            raise _left_alone(path, f"It cannot be written ({error.strerror}).") from None
    return done


def _place(file: "File") -> Path:
    """Return the file to change: the first one, unless another one alone is there."""
    from ashd.cli.hosts import place

    paths = [Path.home() / place(one, os.environ) for one in (file.path, *file.others)]
    try:
        found = next((path for path in paths if path.exists()), paths[0])
        found.resolve()
    except (OSError, RuntimeError) as error:  # links that lead in a circle
        raise _left_alone(paths[0], f"It cannot be read ({type(error).__name__}).") from None
    return found


def _has_ours(file: "File") -> bool:
    """Return whether a file can be read and has an entry of ours."""
    from ashd.cli.host_entries import CannotEdit

    try:
        text = _text(_place(file)).removeprefix(_BYTE_ORDER_MARK)
        return file.remove(text) != text
    except (AshCallError, CannotEdit):
        return False


def _is_made_here(file: "File", path: Path) -> bool:
    """Return whether `ash connect` made a file: no copy of it is one without an entry of ours."""
    from ashd.cli.host_entries import CannotEdit

    path = path.resolve()
    try:
        copies = [_text(copy) for copy in path.parent.glob(f"{glob.escape(path.name)}{_COPY}*")]
        return all(file.remove(text) != text for text in copies)
    except (AshCallError, CannotEdit):
        return False


def _left_alone(path: Path, why: str) -> AshCallError:
    return AshCallError(
        f"{path} is left alone. {why}",
        kind="conflict",
        code=203,
        hint=f"{page('connect.md')} has what the host needs.",
    )


def _example(edit: Any, file: "File") -> str:
    from ashd.cli.host_entries import CannotEdit

    try:
        return str(edit(file, ""))
    except CannotEdit:
        return ""


def _show(path: Path, before: str, after: str) -> None:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2
    )
    for line in lines:
        click.echo(line, err=True)


def _replace(path: Path, before: str, after: str) -> str | None:
    """Replace the whole file, and return the path of the copy of the previous one.

    It stays with its owner, and a new one is that of the folder's, if root changes it.
    """
    path = path.resolve()
    atomic_file.make_folder(path.parent)
    if _text(path) != before:
        raise _left_alone(path, "It was changed meanwhile. Run the command again.")
    backup = None
    mode, owner = 0o600, path.parent.stat()
    if path.exists():
        owner = path.stat()
        mode = owner.st_mode & 0o777
        backup = _copy(path, before.encode(), mode)
        atomic_file.give(backup, owner)
    if after:
        atomic_file.write(path, after.encode(), mode=mode, owner=owner)
    else:
        path.unlink()
    return str(backup) if backup else None


def _text(path: Path) -> str:
    """Return the text of a file, empty if there is none; a device or a pipe is left alone."""
    try:
        if not path.exists():
            return ""
        if path.is_file():
            return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise _left_alone(path, f"It cannot be read as text ({type(error).__name__}).") from None
    raise _left_alone(path, "It is no file.")


def _copy(path: Path, data: bytes, mode: int) -> Path:
    """Write a copy beside a file, under a name that is free; return its path.

    Nobody else can read it while it is written: the file may hold keys.
    """
    for number in itertools.count(1):
        copy = path.with_name(f"{path.name}{_COPY}{f'-{number}' if number > 1 else ''}")
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                os.fchmod(descriptor, mode)
            return copy
    raise AssertionError


def _ash(caller: Caller) -> list[str]:
    """Return the command that starts this `ash` with the same options, by absolute paths."""
    # The one that runs may lie in another folder than Python, where ash may be a shell.
    own, beside = Path(sys.argv[0]).absolute(), Path(sys.executable).absolute().with_name("ash")
    found = next((path for path in (own, beside) if path.name == "ash" and path.is_file()), None)
    words = [str(found)] if found else [sys.executable, "-m", "ashd.cli.ash"]
    return words + caller.same_options()


def _shown(done: list[dict[str, Any]], only_print: bool, hints: list[str]) -> None:
    from ashd.cli.output import note

    if not done:
        click.echo("Nothing is to be changed.")
    for one in done:
        word = "Would change" if only_print else "Removed" if one["removed"] else "Changed"
        kept = f"; the previous version is in {one['backup']}" if one["backup"] else ""
        click.echo(f"{word} {one['path']}{kept}")
    for hint in filter(None, hints):
        note(hint)
