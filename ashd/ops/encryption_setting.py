"""Set encryption in the text of a `config.toml`, and leave the rest of it as it is."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Final

_HEADER: Final = re.compile(r"^[ \t]*\[[ \t]*storage[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE)


def lines(command: Sequence[str]) -> str:
    """Return the settings of `[storage]` for a key that a command prints."""
    words = ", ".join(json.dumps(word, ensure_ascii=False) for word in command)
    return f"encryption = true\nkey_command = [{words}]\n"


def added(text: str, command: Sequence[str]) -> str | None:
    """Return a configuration with these settings; None if a person has to write them in.

    The text is valid TOML; nothing else in it changes, comments neither.
    """
    header = _HEADER.search(text)
    before, after = (text, "") if header is None else (text[: header.end()], text[header.end() :])
    if before and not before.endswith("\n"):
        before += "\n"
    if header is None:
        before += "\n[storage]\n" if before else "[storage]\n"
    new = before + lines(command) + after
    wanted = tomllib.loads(text)
    wanted["storage"] = wanted.get("storage", {}) | tomllib.loads(lines(command))
    try:
        return new if tomllib.loads(new) == wanted else None
    except tomllib.TOMLDecodeError:  # a setting is there already, or the table in another form
        return None
