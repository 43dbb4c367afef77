"""Starts of a daemon in the foreground, as a person or a service manager makes them."""

import subprocess

from daemons import Daemon


def failed_start(daemon: Daemon) -> subprocess.CompletedProcess[str]:
    """Start a daemon that is expected to refuse; its exit status and output."""
    return subprocess.run(
        daemon.command(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=daemon._environment,
    )
