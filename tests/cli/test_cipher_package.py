"""The command that replaces apsw, as `ash` names it, run with pip, uv and pipx. Budget: 90 s.

`make test-encrypted` fetches the two packages as wheels and names their folder: nothing else is
installed from outside, the other libraries are linked.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_installed_wheels import built, link_libraries, sources

WHEELS = os.environ.get("ASH_TEST_WHEELS")
pytestmark = pytest.mark.skipif(
    WHEELS is None, reason="needs wheels of both packages: make test-encrypted"
)
__all__ = ["sources"]
Installed = tuple[Path, Callable[[], object]]
"""The programs of an environment, and a function that installs apsw there."""


class Shell:
    """Commands in a home of their own, with the wheels as the only index."""

    def __init__(self, home: Path) -> None:
        self.home = home
        own = Path(sys.executable).parent
        self.environment = {
            "PATH": f"{own}:/usr/bin:/bin",
            "HOME": str(home),
            "ASH_HOME": str(home / "ash"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(WHEELS),
            "UV_OFFLINE": "1",
            "UV_FIND_LINKS": str(WHEELS),
            "UV_CACHE_DIR": str(home / "cache"),
            "UV_LINK_MODE": "copy",
            "PIPX_HOME": str(home / "pipx"),
            "PIPX_BIN_DIR": str(home / "bin"),
        }

    def run(self, *words: str | Path, fails: int = 0) -> str:
        """Both outputs of a command that ends with that status."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == fails, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr


@pytest.fixture
def shell() -> Iterator[Shell]:
    """A home that is to be encrypted, near the top: the path of a socket has a limit."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        home = Path(folder)
        (home / "ash").mkdir()
        (home / "ash" / "config.toml").write_text(
            f'[storage]\nencryption = true\nkey_file = "{home / "key"}"\n'
        )
        yield Shell(home)


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of ashd, which requires apsw alone: the other libraries are linked."""
    whole = built(sources, tmp_path_factory.mktemp("whole"))
    slim = tmp_path_factory.mktemp("slim") / whole.name
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(slim, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith((".dist-info/METADATA", ".dist-info/RECORD")):
                # The record has the digest of what is changed here.
                dropped = rb"(?m)^(Requires-Dist: (?!apsw)|.*/METADATA,).*\n"
                content = re.sub(dropped, b"", content)
            target.writestr(source.getinfo(name), content)
    return slim


def with_pip(shell: Shell, wheel: Path) -> Installed:
    """An environment of venv and pip."""
    shell.run(sys.executable, "-m", "venv", shell.home / "env")
    python = shell.home / "env" / "bin" / "python"
    shell.run(python, "-m", "pip", "install", wheel)
    again = ("--force-reinstall", "--no-deps", "apsw")
    return python.parent, lambda: shell.run(python, "-m", "pip", "install", *again)


def with_uv(shell: Shell, wheel: Path) -> Installed:
    """An environment of uv, which has no pip."""
    shell.run("uv", "venv", "--python", sys.executable, shell.home / "env")
    at = ("--python", shell.home / "env" / "bin" / "python")
    shell.run("uv", "pip", "install", *at, wheel)
    again = ("--reinstall", "--no-deps", "apsw")
    return shell.home / "env" / "bin", lambda: shell.run("uv", "pip", "install", *at, *again)


def with_pipx(shell: Shell, wheel: Path) -> Installed:
    """An application of pipx."""
    shell.run("pipx", "install", "--python", sys.executable, wheel)
    programs = shell.home / "pipx" / "venvs" / "ashd" / "bin"
    again = ("--force-reinstall", "--no-deps", "apsw")
    return programs, lambda: shell.run("pipx", "runpip", "ashd", "install", *again)


@pytest.mark.parametrize("install", [with_pip, with_uv, with_pipx])
def test_the_command_that_is_named_replaces_the_package(
    shell: Shell, wheel: Path, install: Callable[[Shell, Path], Installed]
) -> None:
    """Also where a later installation brought apsw back, which is refused."""
    assert shutil.which("uv", path=shell.environment["PATH"])
    programs, install_apsw = install(shell, wheel)
    link_libraries(programs)

    for _ in range(2):
        install_apsw()
        refused = shell.run(programs / "ash", "db", "encrypt", "--no-phrase", fails=1)
        [command] = re.findall(r"^ash: [^:]+: (.*)$", refused, re.MULTILINE)
        shell.run("sh", "-c", command)
        assert "The key is in" in shell.run(programs / "ash", "db", "encrypt", "--no-phrase")
