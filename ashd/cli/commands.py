"""click as `ash` uses it: groups that load late, and --json on every command.

A command of `ash` is a function with the `Caller` as its first argument; its group adds --json.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

from ashd.cli import deferred  # noqa: F401  before click

# isort: split
import click

from ashd.cli import TYPED
from ashd.cli.caller import Caller
from ashd.cli.views import View

_EXIT_PIPE_CLOSED: Final = 141
_WHOLE_SENTENCE: Final = 1_000

pass_caller: Final = click.make_pass_decorator(Caller)


class Option(click.Option):
    """An option whose help is one line as it is: click would load `inspect` to trim it."""

    def __init__(self, *args: Any, help: str | None = None, **kwargs: Any) -> None:  # noqa: A002  click's name
        super().__init__(*args, **kwargs)
        self.help = help


option: Final = partial(click.option, cls=Option)


def flag(name: str, text: str) -> Callable[[Any], Any]:
    """Declare a switch that is sent to the daemon only if it is given."""
    return option(name, is_flag=True, default=None, help=text)


def limit(text: str = "At most so many.") -> Callable[[Any], Any]:
    """Declare ``-n``, the most entries to show."""
    return option("-n", "--limit", type=int, metavar="N", help=text)


def completed(kind: str) -> Callable[[click.Context, click.Parameter, str], Any]:
    """Return the completion of an argument by the daemon's entries of a kind; see `completing`."""

    def complete(context: click.Context, _param: click.Parameter, typed: str) -> Any:
        from ashd.cli import completing

        return completing.offered(context, typed, kind)

    return complete


FILE: Final = click.Path(readable=False, allow_dash=True)
"""A file, which the shell completes; whoever reads it says what is wrong with it."""


def folders(_context: click.Context, _param: click.Parameter, typed: str) -> Any:
    """Let the shell complete folders."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="dir")]


def id_(kind: str | None = None) -> Callable[[Any], Any]:
    """Declare an id, of a kind that can be completed."""
    complete = completed(kind) if kind else None
    return click.argument("id", metavar="ID", shell_complete=complete)


_IDS: Final = ("id", "grant_id")


def ids(kind: str | None = None, param: str = "id") -> Callable[[Any], Any]:
    """Declare one id or more, as one of the params `_IDS`; the command makes a call for each."""
    complete = completed(kind) if kind else None
    return click.argument(param, metavar="ID…", nargs=-1, required=True, shell_complete=complete)


cursor: Final = option("--cursor", metavar="CURSOR", help="Go on where a page ended.")


def silence() -> int:
    """Write nothing more, since the reader of a pipe has left; return the exit status for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _EXIT_PIPE_CLOSED


class ProgramCommand(click.Command):
    """A command that programs start, without --json."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "add_help_option": False})
        self.params.append(_help_option())


class Command(click.Command):
    """A command with --json, which ends quietly when the reader of its output leaves."""

    method: str | None = None
    """The method that the command calls, if it does nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "add_help_option": False})
        self.params += [_json_option(), _help_option()]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            ctx.exit(silence())


def call_command(
    name: str,
    method: str,
    view: View,
    text: str,
    *params: Callable[[Any], Any],
    label: str = "",
) -> Command:
    """Return a command that calls a method with its options, and prints the result.

    Args:
        name: the command's.
        method: the method's, whose params the options and arguments are named after.
        view: the form of the result.
        text: the command's help.
        params: options and arguments.
        label: for a call that may take minutes, the words beside its progress bar.
    """

    def run(caller: Caller, /, **given: Any) -> None:
        if label:
            from ashd.cli import progress

            caller.answer(progress.call(caller, method, label=label, **given), view)
        elif several := [name for name in _IDS if isinstance(given.get(name), tuple)]:
            [name] = several
            caller.answer_each(
                given[name], lambda one: caller.call(method, **{**given, name: one}), view
            )
        else:
            caller.answer(caller.call(method, **given), view)

    callback = pass_caller(run)
    for param in reversed(params):
        callback = param(callback)
    command: Command = click.command(name, cls=Command, help=text)(callback)
    command.method = method
    return command


class PlainGroup(click.Group):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their title."""
        self.write_commands(ctx, formatter, "Commands", self.list_commands(ctx))

    def write_commands(
        self,
        ctx: click.Context,
        formatter: click.HelpFormatter,
        title: str,
        names: Iterable[str],
    ) -> None:
        """Write some of the commands under a title, if there are any."""
        found = [(name, self.get_command(ctx, name)) for name in names]
        rows = [
            (name, command.get_short_help_str(_WHOLE_SENTENCE))
            for name, command in found
            if command is not None
        ]
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


class Group(PlainGroup):
    """A group with --json, whose commands are `Command`; alone it shows its help."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "add_help_option": False})
        self.no_args_is_help = False
        self.params += [_json_option(), _help_option()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; a group without a command shows its help, and ends like a usage error."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def add_call(self, *row: Any, label: str = "") -> None:
        """Add the command of a method; see `call_command`."""
        self.add_command(call_command(*row, label=label))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an unknown one suggests similar names."""
        # A word with a leading dash is an option: click handles it.
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing:  # a shell completes the line, and has no place for an error
            return None, None, args
        from difflib import get_close_matches

        near = get_close_matches(name, self.list_commands(ctx), 1) or self.elsewhere(ctx, args)
        named = " or ".join(f"`{ctx.command_path} {one}`" for one in near)
        meant = f" Did you mean {named}?" if near else ""
        raise click.UsageError(f"There is no command {name!r}.{meant}", ctx)

    def elsewhere(self, _ctx: click.Context, _args: list[str]) -> list[str]:
        """Return the same command in groups of this one, as typed; empty if there is none."""
        return []


Group.group_class = Group


class LazyGroup(Group):
    """A group whose commands are imported when they are used, and stand under titles in its help.

    `sections` maps a title to commands, and a command's name to ``module:attribute``, in the order
    to show them; the group's own commands come first under `title`.
    """

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, str]], title: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._title = title
        self._sections = sections
        self._modules = {name: place for part in sections.values() for name, place in part.items()}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and keep the command line for messages that repeat it."""
        ctx.meta.setdefault(TYPED, list(args))
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands: the group's own, then those that load late."""
        return [*super().list_commands(ctx), *self._modules]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their titles."""
        own = dict.fromkeys(super().list_commands(ctx), "")
        for title, names in {self._title: own, **self._sections}.items():
            self.write_commands(ctx, formatter, title, names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name; import it if needed."""
        if cmd_name not in self._modules:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._modules[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def elsewhere(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the same command in the first group that has it: "memory add" for "add".

        A command that takes a file is another thing than one that takes an id, so it is named too;
        it alone if a file was typed.
        """
        name, *typed = args
        found: list[str] = []
        of_files: list[str] = []
        for group_name in self._modules:
            group = self.get_command(ctx, group_name)
            command = group.get_command(ctx, name) if isinstance(group, click.Group) else None
            if command is not None:
                found.append(f"{group_name} {name}")
                arguments = [one for one in command.params if isinstance(one, click.Argument)]
                if any(isinstance(one.type, click.Path) for one in arguments):
                    of_files.append(found[-1])
        if any(map(_names_a_file, typed)):
            return of_files or found[:1]
        return [*found[:1], *(one for one in of_files if one != found[0])]


def _names_a_file(word: str) -> bool:
    """Return whether a word has the form of a path, or names a file that exists."""
    if word.startswith("-"):
        return False
    # Without pathlib, which takes long to import.
    return os.sep in word or bool(os.path.splitext(word)[1]) or os.path.lexists(word)  # noqa: PTH122  see above


def _json_option() -> click.Option:
    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if not value:
            return
        ctx.meta["json"] = True
        if isinstance(ctx.obj, Caller):
            ctx.obj.as_json = True

    return Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Print the result as one JSON document.",
    )


def _help_option() -> click.Option:
    def show(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return Option(
        ["-h", "--help", "asks_for_help"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show this message and exit.",
    )
