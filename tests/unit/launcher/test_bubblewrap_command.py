"""The sandbox's command line, and what is said when there can be no sandbox."""

from pathlib import Path

import pytest

from ashd.launcher.bubblewrap import command, probe

GRANT = Path("/run/user/1000/ash/sandbox/g123456789")
CLIENT = Path("/opt/ashd/ash-sb.pyz")


def after(arguments: list[str], *wanted: str) -> bool:
    """Return whether ``wanted`` occurs in the arguments as one run."""
    size = len(wanted)
    return any(tuple(arguments[i : i + size]) == wanted for i in range(len(arguments)))


def test_grant_directory_is_mounted_read_only() -> None:
    """The directory is mounted, not the socket file, and nothing is mounted to be written."""
    arguments = command(directory=GRANT, client=CLIENT, argv=["sh"])

    assert after(arguments, "--ro-bind", str(GRANT), "/run/ash")
    assert after(arguments, "--ro-bind", str(CLIENT), "/opt/ash/bin/ash-sb")
    assert "--bind" not in arguments


def test_command_is_passed_on_as_it_is() -> None:
    """Options of the command are the command's, not bubblewrap's."""
    arguments = command(directory=GRANT, client=CLIENT, argv=["sh", "-c", "--share-net", "a b"])

    assert arguments[-5:] == ["--", "sh", "-c", "--share-net", "a b"]
    assert arguments.index("--remount-ro") < arguments.index("--")


def test_probe_names_the_package_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing bubblewrap gives its package to install as the reason."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "install the package bubblewrap" in str(probe())
