"""Run a command line: parse it, call the daemon, show the result, return the exit status.

Standard output is data, standard error is talk. Nothing here raises; every failure becomes one
line (or one JSON object) on standard error and an exit status.
"""

from __future__ import annotations

import sys

from ash_sb import client, project_of_call, render, wire
from ash_sb.commands import BY_WORDS, EVERYWHERE, GROUPS
from ash_sb.errors import (
    EXIT_BROKEN_PIPE,
    EXIT_INTERRUPTED,
    Failure,
    exit_of,
    usage,
)
from ash_sb.text import HIDDEN, an_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ash_sb.commands import Command, Option

    Ask = Callable[[str, dict[str, Any]], dict[str, Any]]

_REMEDIES = {
    "invalid_params": "See `ash-sb help {}`",
    "method_not_found": "`ash-sb status` lists as capabilities what may be done here",
}


def run(arguments: list[str]) -> int:
    """Do what the arguments say and return the exit status."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    as_json = "--json" in arguments[:end]  # known also when the rest cannot be understood
    words = [word for word in arguments[:end] if word != "--json"] + arguments[end:]
    try:
        return _run(words, as_json=as_json)
    except Failure as error:
        failure = error
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # whoever read us has enough, as after `| head`
        return EXIT_BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - a trace would tell an agent nothing
        what = f"ash-sb met what it does not know ({type(error).__name__})"
        failure = Failure("internal_error", what, "--json shows the answer as it came")
    return _write_error(failure, as_json=as_json)


def _run(arguments: list[str], *, as_json: bool) -> int:
    words = [_utf8(argument) for argument in arguments]
    if not words or words[0] in ("help", "version", "-h", "--help", "--version"):
        from ash_sb import usage_text

        return _write_help(usage_text.answer(words), as_json=as_json)
    if words == ["mcp"]:
        from ash_sb import mcp

        return mcp.serve()
    command, rest = find_command(words)
    try:
        options, operands = parse(command, rest)
        if options.pop("help", False):
            from ash_sb import usage_text

            return _write_help(usage_text.of_command(command), as_json=as_json)
        ask = _asking(command, options.pop("project", None))
        params = command.build(operands, options)
    except Failure as failure:
        failure.hint = failure.hint or f"See `ash-sb help {command.words}`"
        raise
    try:
        result = ask(command.method, params)
    except Failure as failure:
        if failure.data and not as_json:  # the daemon speaks of methods, the lines of commands
            failure.hint = _REMEDIES.get(failure.kind, failure.hint).format(command.words)
        raise
    if not as_json and command.method in ("memory.add", "memory.extract"):
        result["replaced"] = _replaced(result, ask)
    shown = _as_json(result) if as_json else _lines(render.lines(command.words, result, params))
    _write(shown)
    return _status_of(result)


def _asking(command: Command, named: str | None) -> Ask:
    """Return the function that calls a method in the project that the command is about."""
    if named is not None:
        scope = {"project": project_of_call.named(named)}
        return lambda method, params: client.call(method, {**params, "scope": scope})
    is_call = command.method != "session.hello"
    project = project_of_call.of_working_folder() if is_call else None
    return lambda method, params: client.call(method, params, project)


def _replaced(result: dict[str, Any], ask: Ask) -> dict[str, Any]:
    """The texts that new facts replaced, by id, as far as they can be read."""
    texts = {}
    entries = [an_object(entry) for entry in result.get("memories") or ()]
    try:
        for older in [one for entry in entries for one in entry.get("superseded") or ()]:
            texts[older] = ask("memory.get", {"id": older})["memory"]["content"]
    except (Failure, KeyError, TypeError):
        pass  # the facts are stored all the same
    return texts


def find_command(words: list[str]) -> tuple[Command, list[str]]:
    """The command that the arguments begin with, and the arguments after it."""
    length = 2 if words[0] in GROUPS else 1
    name = " ".join(words[:length])
    command = BY_WORDS.get(name)
    if command is None:
        from ash_sb import usage_text

        raise usage_text.unknown(name)
    return command, words[length:]


def parse(command: Command, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The options by the name of their parameter, and the operands; both as typed for `build`."""
    known: dict[str, Option] = {}
    for option in (*command.options, *EVERYWHERE):
        known[option.flag] = option
        if option.short:
            known[option.short] = option
    options: dict[str, Any] = {}
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands.extend(rest)
        elif not word.startswith("-") or word == "-":
            operands.append(word)
        else:
            flag, value = _split(word, known)
            found = known.get(flag)
            if found is None:
                raise _unknown_option(command, flag, known)
            _take(found, flag, value, rest, options)
    return options, operands


def _split(word: str, known: dict[str, Option]) -> tuple[str, str | None]:
    """`--flag=value` and `-nVALUE` in two; any other word is a flag by itself."""
    if word.startswith("--"):
        flag, equals, value = word.partition("=")
        return flag, value if equals else None
    short = known.get(word[:2])
    if short is not None and short.metavar and len(word) > 2:
        return word[:2], word[2:]
    return word, None


def _take(option: Option, flag: str, value: str | None, rest: Any, options: dict[str, Any]) -> None:
    if not option.metavar:
        if value is not None:
            raise usage(f"{flag} takes no value")
        options[option.param] = option.constant
        return
    if value is None:
        value = next(rest, None)
    if value is None:
        raise usage(f"{flag} wants a value ({option.metavar})")
    read = option.read(value, flag)
    if option.many:
        options.setdefault(option.param, []).append(read)
    else:
        options[option.param] = read


def _unknown_option(command: Command, flag: str, known: dict[str, Option]) -> Failure:
    from ash_sb import usage_text

    near = usage_text.nearest(flag, list(known))
    hint = f"Did you mean {near}?" if near else "A text that begins with - goes behind --"
    return usage(f"{command.words} has no option {flag!r}", hint)


def _utf8(argument: str) -> str:
    """An argument as the UTF-8 that was typed, whatever the locale is."""
    if argument.isascii():
        return argument
    try:
        raw = argument.encode(sys.getfilesystemencoding(), "surrogateescape")
        return raw.decode()
    except UnicodeError:
        raise usage("an argument is not UTF-8", "Give it as UTF-8, or by --file") from None


def _status_of(result: dict[str, Any]) -> int:
    """0, or for a batch with a refused fact the status of the first refusal."""
    for entry in result.get("memories") or ():
        if isinstance(entry, dict) and entry.get("outcome") == "refused":
            error = entry.get("error") or {}
            data = error.get("data") or error
            return exit_of(data.get("kind", "content_refused"))
    return 0


def _as_json(value: dict[str, Any]) -> str:
    """Return one line with control and invisible characters escaped."""
    plain = wire.encode(value)
    harmless = plain.translate(HIDDEN) == plain and not any(
        "\ud800" <= c <= "\udfff" for c in plain
    )
    return (plain if harmless else wire.encode_ascii(value)) + "\n"


def _lines(shown: list[str]) -> str:
    return "\n".join(shown) + "\n"


def _write(shown: str) -> None:
    if sys.stdout is None:  # closed by the caller: nobody reads
        return
    try:
        sys.stdout.buffer.write(shown.encode(errors="replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"the output could not be written: {error.strerror}"
        raise Failure("internal_error", what, "Write it where there is space") from error


def _write_help(shown: str, *, as_json: bool) -> int:
    _write(_as_json({"text": shown}) if as_json else shown)
    return 0


def _write_error(failure: Failure, *, as_json: bool) -> int:
    """Write an error to standard error, if that is open, and return the exit status for it."""
    wire_error = {"error": failure.to_wire()}
    shown = _as_json(wire_error) if as_json else _lines(render.failure(failure))
    if sys.stderr is None:  # closed by the caller
        return failure.exit_status
    try:
        sys.stderr.buffer.write(shown.encode(errors="replace"))
        sys.stderr.buffer.flush()
    except OSError:
        return EXIT_BROKEN_PIPE
    return failure.exit_status
