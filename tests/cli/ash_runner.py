"""Run `ash` in this process, against a socket, and return its output."""

import contextlib
import io
import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from ashd.cli.ash import run


@dataclass(frozen=True)
class Done:
    """The result of a command line."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error document on standard error."""
        return json.loads(self.err)["error"]


class _Input(io.TextIOWrapper):
    """Standard input that holds what was typed."""

    def __init__(self, typed: str, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(typed.encode()))
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return whether this passes for a terminal."""
        return self._is_terminal


class _Output(io.StringIO):
    """Standard output, or standard error, that is kept."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return whether this passes for a terminal."""
        return self._is_terminal


@dataclass(frozen=True)
class Ash:
    """`ash --socket SOCKET --as ACCOUNT`; a later --as of the command line wins."""

    socket: Path
    account: str
    columns: int | None = None
    """The width of the terminal; None for a pipe."""

    @property
    def options(self) -> list[str]:
        """The options before every command."""
        return ["--socket", str(self.socket), "--as", self.account]

    @property
    def command(self) -> str:
        """`ash` with these options, as it is typed."""
        return shlex.join(["ash", *self.options])

    def __call__(
        self, *arguments: str, stdin: str = "", fails: int = 0, on_terminal: bool = False
    ) -> Done:
        """Run a command line and check that its exit status is ``fails``."""
        out, err = _Output(on_terminal), _Output(on_terminal)
        given = _Input(stdin, on_terminal)
        with (
            mock.patch.object(sys, "stdin", given),
            mock.patch.dict(os.environ),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            os.environ.pop("COLUMNS", None)  # the width of whoever runs the tests
            if self.columns is not None:
                os.environ["COLUMNS"] = str(self.columns)
            status = run([*self.options, *arguments])
        done = Done(status, out.getvalue(), err.getvalue())
        assert done.status == fails, done
        return done
