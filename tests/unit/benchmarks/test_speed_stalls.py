"""The measurement of how long others wait beside hostile texts. Budget: 15 s."""

import json
import subprocess
import sys
from pathlib import Path

import benchmarks


def test_a_watched_daemon_answers_beside_hostile_texts() -> None:
    """The daemon is watched through functions of its own, which may be renamed or changed."""
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.speed.stalls"),
            *("--embedder", "none", "--kind", "prose", "--seconds", "0.5"),
        ],
        cwd=Path(benchmarks.__path__[0]).parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    cell = json.loads(next(one for one in (ran.stdout + ran.stderr).splitlines() if one[:1] == "{"))
    assert cell["outcomes"]["memory.add"] == ["ok"]
    assert cell["beside_daemon_p95_ms"] > 0
    assert not cell["faults"]
