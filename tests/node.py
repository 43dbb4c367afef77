"""Scripts on Node, for the tests of the TypeScript client."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "typescript"
_OLDEST = 20


def _newest_enough() -> str | None:
    node = shutil.which("node")
    if node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return node if int(version.lstrip("v").partition(".")[0]) >= _OLDEST else None


NODE = _newest_enough()
needs_node = pytest.mark.skipif(NODE is None, reason=f"no Node {_OLDEST} or newer")


def run(script: str, **environment: str) -> None:
    """Run a script to its end, without an error."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, SCRIPTS / script],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stdout + done.stderr
