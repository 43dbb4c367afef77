"""Starts of a daemon, and commands of `ash` on its home, as a person makes them."""

import subprocess
import sys

from daemons import Daemon

ASH = [sys.executable, "-c", "from ashd.cli.ash import main; main()"]


def failed_start(daemon: Daemon) -> subprocess.CompletedProcess[str]:
    """Start a daemon that is expected to refuse; its exit status and output."""
    return subprocess.run(
        daemon.command(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=daemon._environment,
    )


def ash(daemon: Daemon, *arguments: str, fails: int = 0) -> subprocess.CompletedProcess[str]:
    """`ash` on the daemon's home, which ends with that status."""
    done = subprocess.run(
        [*ASH, "--home", str(daemon.home), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
        env=daemon._environment,
    )
    assert done.returncode == fails, done.stderr
    return done
