"""Starts of a daemon, and commands of `ash` on its home, as a person makes them."""

import subprocess

from daemons import Daemon


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
    done = daemon.ash(*arguments)
    assert done.returncode == fails, done.stderr
    return done
