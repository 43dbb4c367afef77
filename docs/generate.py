"""Write what the documentation says of the code: the reference and the table of settings.

`python docs/generate.py` writes both; tests/test_docs.py fails while one is stale. Every sentence
comes from where the thing is defined: a handler's docstring, an error's, a setting's, an option's
help.
"""

import ast
import inspect
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import click
import markdown
import msgspec
import schemas

from ash_sb import commands as sandbox_commands
from ashd import config, errors, limits
from ashd.cli.ash import cli as ash
from ashd.cli.ashd import main as ashd
from ashd.mcp import methods as mcp
from ashd.rpc import discover
from ashd.rpc.methods import TABLE

REPOSITORY: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = REPOSITORY / "docs" / "reference.md"
CONFIGURATION: Final = REPOSITORY / "docs" / "configuration.md"
OFFLINE_ANSWERS: Final = REPOSITORY / "ash_sb" / "mcp_answers.py"
_SETTINGS_MARKS: Final = re.compile(
    r"(?<=<!-- settings: made by `make docs` -->\n).*?(?=<!-- end of settings -->)", re.DOTALL
)
_CALL: Final = re.compile(r'(?:caller\.call\(|progress\.call\(\s*caller,)\s*"([a-z_.]+)"')
_EVERYWHERE: Final = {"--json", "--help"}
"""Options that all commands have; the text above them says so."""

_HEAD: Final = """\
# Reference

Made from the code by `make docs`; change the code, not this page.

- [Methods](#methods): what the daemon does for its callers
- [Types](#types): what the methods take and give
- [Errors](#errors): all errors, with their codes and exit statuses
- [Limits](#limits)
- [Settings](configuration.md#settings) are on a page of their own
- [`ashd`](#ashd), [`ash`](#ash), [`ash-sb`](#ash-sb): the commands
"""

_OFFLINE_HEAD: Final = '''\
# ruff: noqa: E501  JSON breaks no string over lines
"""The answers of MCP that need no daemon, by method, as JSON; `make docs` writes them."""

'''

_METHODS: Final = """\
## Methods

The daemon speaks JSON-RPC 2.0 over a Unix socket: each message is one line of compact JSON, in
UTF-8. Params have names. A result is always an object, to which later versions may add fields.
`rpc.discover` returns the methods that its caller may use, as an OpenRPC document.

On the control socket each call may also have `scope` (a [Scope](#scope): the user and chat that the
call is for; the local user if it is left out) and `all_scopes` (if true, the call reads everybody's
memories, and this is audited). A sandbox socket has the scope of its grant and refuses both.

The first 6 or more characters of an id are enough to name it. A time is RFC 3339 with a zone
(`2026-11-20T15:00:00Z`) or a day (`2026-11-20`, in UTC); times in results are in UTC.

A star marks a required param. A question mark marks a field that an answer may lack.
"""

_ERRORS: Final = """\
## Errors

An error is `{"code", "message", "data": {"kind", "hint", "retryable", …}}`. A program decides by
`kind`; the message and the hint are for people. *Exit* is the exit status of `ash` and `ash-sb`;
both also end with 6 if no daemon answers. *HTTP* is the status of `ashd http` and `ash web`, 503 if
no daemon answers. `POST /rpc` and `POST /mcp` answer an error of the daemon with status 200, and an
error of MCP itself with another status.
"""

_LIMITS: Final = """\
## Limits

`session.hello` returns the limits of the caller's own socket. Chars are Unicode characters.
"""

_ASH: Final = """\
## `ash`

Every command also takes `--json` (the result as one JSON document; an error as one on standard
error) and `--help`.
"""


def main() -> None:
    """Write the files."""
    OFFLINE_ANSWERS.write_text(offline_answers(), encoding="utf-8")
    REFERENCE.write_text(reference(), encoding="utf-8")
    text = CONFIGURATION.read_text(encoding="utf-8")
    CONFIGURATION.write_text(configuration(text), encoding="utf-8")


def offline_answers() -> str:
    """Return the module of `ash-sb` with the answers of MCP that need no daemon."""
    return f'{_OFFLINE_HEAD}ANSWERS = r"""{_json_lines(mcp.offline(), depth=4)}"""\n'


def _json_lines(value: Any, depth: int, indent: str = "") -> str:
    """Return JSON with a line for each entry, down to a depth; deeper entries share a line."""
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value)
    inner = indent + " "
    if isinstance(value, dict):
        lines = [
            f"{inner}{json.dumps(key)}: {_json_lines(one, depth - 1, inner)}"
            for key, one in value.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    lines = [inner + _json_lines(one, depth - 1, inner) for one in value]
    return "[\n" + ",\n".join(lines) + f"\n{indent}]"


def reference() -> str:
    """The whole of docs/reference.md."""
    document = discover.describe([TABLE[name] for name in sorted(TABLE)])
    parts = [
        _HEAD,
        _METHODS,
        *schemas.methods(document),
        "## Types\n",
        *schemas.types(document),
        _ERRORS,
        markdown.table(
            ["kind", "code", "exit", "HTTP", "try again", "meaning", "hint"],
            [
                [
                    *(f"`{kind.kind}`", str(kind.code)),
                    *(str(kind.exit_status), str(kind.http_status)),
                    *("yes" if kind.retryable else "no", _doc(kind), kind.default_hint),
                ]
                for kind in errors.all_kinds()
            ],
        ),
        _LIMITS,
        *_limits(),
        "## `ashd`\n",
        *_click(ashd, "ashd"),
        _ASH,
        *_click(ash, "ash"),
        "## `ash-sb`\n",
        *_ash_sb(),
    ]
    return "\n".join(parts)


def configuration(text: str) -> str:
    """configuration.md with a fresh table of settings."""
    assert _SETTINGS_MARKS.search(text), "configuration.md has lost the marks of its settings"
    return _SETTINGS_MARKS.sub(lambda _: f"\n{settings_table()}\n", text)


def settings_table() -> str:
    """Every setting: default, what is allowed, what it does."""
    rows = []
    for section in msgspec.structs.fields(config.Settings):
        texts = attribute_docs(section.type)
        schema = msgspec.json.schema(section.type)["$defs"][section.type.__name__]
        for field in msgspec.structs.fields(section.type):
            has_none = field.default in {None, msgspec.NODEFAULT}
            default = "" if has_none else f"`{markdown.json(field.default)}`"
            allowed = schemas.allowed(schema["properties"][field.name])
            name = f"`{section.name}.{field.name}`"
            rows.append([name, default, allowed, texts.get(field.name, "")])
    return markdown.table(["setting", "default", "allowed", "what it is"], rows)


def attribute_docs(owner: type | ModuleType) -> dict[str, str]:
    """The docstrings under the fields of a class or the constants of a module, by name."""
    tree = ast.parse(inspect.getsource(owner))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else tree.body
    return {
        assigned.target.id: markdown.one_line(text)
        for assigned, below in itertools.pairwise(body)
        if isinstance(assigned, ast.AnnAssign)
        and isinstance(assigned.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(text := below.value.value, str)
    }


def click_commands(
    command: click.Command, words: str
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """A command and all below it, as they are typed."""
    context = click.Context(command, info_name=words)
    yield words, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from click_commands(below, f"{words} {name}")


def _limits() -> Iterator[str]:
    texts = attribute_docs(limits)
    constants = [
        [f"`{name}`", f"{value:,}", texts.get(name, "")]
        for name, value in vars(limits).items()
        if isinstance(value, int | float) and name.isupper()
    ]
    yield markdown.table(["limit", "value", "remark"], constants)
    rows = [
        [f"`{name}`", f"{getattr(limits.CONTROL, name):,}", f"{getattr(limits.SANDBOX, name):,}"]
        for name in limits.SocketLimits.__struct_fields__
    ]
    yield markdown.table(["limit of a socket", "control", "sandbox"], rows)


def _click(command: click.Command, name: str) -> Iterator[str]:
    for words, one, context in click_commands(command, name):
        if words != name:
            pieces = [piece for piece in one.collect_usage_pieces(context) if piece != "[OPTIONS]"]
            level = "#" * (len(words.split()) + 1)
            typed = words if isinstance(one, click.Group) else " ".join([words, *pieces])
            yield f"{level} `{typed}`\n"
        yield f"{markdown.one_line(inspect.cleandoc(one.help or ''))}{_calls(called_by(one))}\n"
        rows = [
            [f"`{record[0]}`", markdown.one_line(record[1])]
            for option in one.get_params(context)
            if isinstance(option, click.Option) and not _EVERYWHERE & {*option.opts}
            if (record := option.get_help_record(context))
        ]
        if rows:
            yield markdown.table(["option", "what it does"], rows)


def called_by(command: click.Command) -> list[str]:
    """The methods that a command of `ash` calls, as its row or its source says."""
    if method := getattr(command, "method", None):
        return [method]
    if command.callback is None:
        return []
    return list(dict.fromkeys(_CALL.findall(inspect.getsource(command.callback))))


def _calls(names: list[str]) -> str:
    """The last sentence on a command: which methods it needs, and whether they are there."""
    if not names:
        return ""
    there = [f"[{name}]({markdown.anchor(name)})" for name in names if name in TABLE]
    missing = [f"`{name}`" for name in names if name not in TABLE]
    said = f" Calls {', '.join(there)}." if there else ""
    if missing:
        said += f" Needs {', '.join(missing)}, which this version of the daemon does not have."
    return said


def _ash_sb() -> Iterator[str]:
    yield "Every command also takes these.\n"
    yield _ash_sb_options(sandbox_commands.EVERYWHERE)
    for command in sandbox_commands.COMMANDS:
        typed = f"ash-sb {command.words} {command.operand}".rstrip()
        yield f"### `{typed}`\n"
        yield f"{_capital(command.summary)}.{_calls([command.method])}\n"
        yield f"    {command.example}\n"
        if command.options:
            yield _ash_sb_options(command.options)


def _ash_sb_options(options: tuple[sandbox_commands.Option, ...]) -> str:
    rows = []
    for option in options:
        spelled = f"{option.short}, {option.flag}" if option.short else option.flag
        typed = f"{spelled} {option.metavar}".rstrip()
        rows.append([f"`{typed}`", option.summary])
    return markdown.table(["option", "what it does"], rows)


def _doc(owner: type) -> str:
    return markdown.one_line(inspect.getdoc(owner) or "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    main()
