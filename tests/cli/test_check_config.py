"""`ashd check-config` finds what the start would stumble over."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from ashd.cli.ashd import main; main()"]


def check(home: Path, settings: str) -> subprocess.CompletedProcess[str]:
    (home / "config.toml").write_text(settings)
    return subprocess.run(
        [*PROGRAM, "check-config", "--home", str(home)],
        env={**os.environ, "ASH_MODELS": str(home / "models")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_group_that_the_system_lacks_is_named(tmp_path: Path) -> None:
    """The error is that of the start."""
    done = check(tmp_path, '[storage]\ngroup = "no-such-group"\n')

    assert (1, "") == (done.returncode, done.stdout)
    assert "'no-such-group' is no group of this system" in done.stderr


def test_a_model_that_is_not_installed_is_named(tmp_path: Path) -> None:
    """A missing model stops no start, so it is a remark with the install command."""
    done = check(tmp_path, '[embedding]\nprovider = "minilm"\n')

    assert 0 == done.returncode
    assert "ash model install minilm" in done.stderr
