"""`@ashd/client` on Node, against the real daemon's socket; and its types. Budget: 5 s."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import node
import pytest

REPOSITORY = Path(__file__).parents[3]
PACKAGE = REPOSITORY / "clients" / "typescript"


@node.needs_node
def test_the_client_calls_over_the_socket(daemon: Any, scope: Any) -> None:
    """Calls, errors, long texts, several calls at once, a new connection, no daemon."""
    node.run("over_socket.mjs", ASHD_SOCKET=str(daemon.socket), ASH_USER=scope()["user_id"])


def test_the_package_has_no_dependencies_and_the_version_of_the_daemon() -> None:
    """All of its files are published."""
    package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert package["version"] == project["version"]
    assert not [name for name in package if name.lower().endswith("dependencies")]
    assert package["files"] == ["*.js", "*.d.ts"]
    imported = {
        line.rpartition('"./')[2].removesuffix('";')
        for file in PACKAGE.glob("*.js")
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.startswith("import ") and '"./' in line
    }
    assert imported <= {file.name for file in PACKAGE.glob("*.js")}


@pytest.mark.skipif(shutil.which("tsc") is None, reason="no compiler of TypeScript")
def test_a_wrong_param_is_an_error_of_the_compiler() -> None:
    """`usage.ts` marks each line that must not compile."""
    compiler = ["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"]
    usage = REPOSITORY / "tests" / "typescript" / "usage.ts"
    done = subprocess.run([*compiler, usage], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
