"""A peer as a process of its own in the peers' environment: its result, or why there is none."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.recall import report_data

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
_MINUTES = 15


def measure(name: str, data: str, *, python: Path, embeddings: str) -> dict[str, Any]:
    """Return what `peers.py` measured of a peer, or `{"reason": …}`; end its process."""
    if not python.exists():
        return {"reason": "not installed: make peers"}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "peer.json"
        command = [str(python), "-m", "benchmarks.recall.peers", name]
        if data != report_data.ASSISTANT:
            data = str(Path(data).absolute())
        try:
            done = subprocess.run(
                [*command, data, "--embeddings", embeddings, "--out", str(out)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=_MINUTES * 60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"reason": f"did not end in {_MINUTES} minutes"}
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return {"reason": reason(done.returncode, done.stderr)}
        result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return result


def reason(status: int, stderr: str) -> str:
    """Return the error that ended a process early, without this machine's folders.

    Only the last traceback counts, not what a library prints before it.
    """
    if status < 0:
        return f"its process was ended by signal {-status}"
    _, raised, rest = stderr.rpartition("Traceback (most recent call last):\n")
    errors = [line for line in rest.splitlines() if line.strip() and not line[0].isspace()]
    if not raised or not errors:
        return f"its process ended with status {status} and no error"
    return re.sub(r"/\S+/", "", errors[0])[:160]
