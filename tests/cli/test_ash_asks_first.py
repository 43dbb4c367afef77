"""Commands that take something away ask before they call, and do nothing without a yes."""

import io
import sys
from typing import Any
from unittest import mock

import pytest

from ashd.cli.ash import run
from ashd.cli.caller import Caller

ID = "01234567-89ab-4def-8123-456789abcdef"
COMMANDS = [
    ("memory", "erase", ID),
    ("memory", "erase", "--owner", "ann"),
    ("person", "forget", ID),
    ("person", "delete", ID),
    ("conversation", "delete", ID),
]


_FOUND = {
    "erased": 1,
    "archived": 1,
    "deleted": 1,
    "removed": 1,
    "record_kept": None,
    **{name: {"counts": {}, "ids": {}} for name in ("mentions", "left")},
    "receipt": {"rows": {"memories": 1}, "backups": []},
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods that would have been called: none of them but a dry run is answered."""
    made: list[str] = []

    def noted(_caller: Caller, method: str, /, **params: Any) -> Any:
        if method in {"memory.get", "person.get"}:
            return {"memory": {"id": ID, "content": "tea"}, "person": {"name": "Ann"}}
        if params.get("dry_run"):
            made.append(f"{method} dry")
            return _FOUND
        made.append(method)
        raise KeyboardInterrupt

    monkeypatch.setattr(Caller, "call", noted)
    monkeypatch.setattr(Caller, "call_lasting", noted)
    return made


def ash(*words: str, stdin: str = "", encoding: str = "utf-8") -> int:
    """The exit status of a command line; who types is no terminal."""
    given = io.TextIOWrapper(io.BytesIO(stdin.encode(encoding)), "utf-8")
    with mock.patch.object(sys, "stdin", given):
        return run(["--socket", "/nowhere/ash.sock", "--as", "ann", *words])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_taken_away_without_a_yes(calls: list[str], command: tuple[str, ...]) -> None:
    """The texts that would go are counted before the question; no answer and a no end it there."""
    counts = command[:2] != ("person", "delete")
    for answer in ("", "\n", "n\n"):
        assert ash(*command, stdin=answer) != 0
        assert [method.endswith(" dry") for method in calls] == [True] * counts
        calls.clear()
    ash(*command, stdin="y\n")
    assert [method.endswith(" dry") for method in calls] == [*([True] * counts), False]
    calls.clear()
    ash(*command, "--yes")
    [method] = calls
    assert not method.endswith(" dry")
    calls.clear()
    if counts:
        ash(*command, "--dry-run")
        [method] = calls
        assert method.endswith(" dry")


def test_an_answer_in_another_encoding_is_no_yes(calls: list[str]) -> None:
    """Nor does it end the command with a stack trace."""
    assert ash("person", "delete", ID, stdin="é\n", encoding="latin-1") != 0
    assert calls == []


@pytest.mark.parametrize(
    ("words", "called"),
    [
        (("db", "clear"), []),
        (("db", "clear", "--confirm", "yes"), []),
        (("db", "clear", "--confirm", "everything"), ["db.clear"]),
        (("db", "clear", "--dry-run"), ["db.clear dry"]),
        (("memory", "compact"), []),
        (("memory", "compact", "--dry-run"), ["db.compact dry"]),
        (("memory", "compact", "--force"), ["db.compact"]),
    ],
)
def test_erasing_for_everybody_asks_for_a_word(
    calls: list[str], words: tuple[str, ...], called: list[str]
) -> None:
    """A program that has no terminal has to say it, too."""
    ash(*words)

    assert calls == called
