"""The systemd units as `ashd install` writes them, by systemd's own tools. Budget: 10 s."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ashd.ops import install
from ashd.ops.install import Kind

HIGHEST_EXPOSURE = {
    # In tenths. The gateway has the network; the row of the feature list allows 1.5.
    "ashd.service": 5,
    "ashd-http.service": 15,
    "ashd-backup.service": 5,
    "ashd-gc.service": 5,
}
WITH_NETWORK = 15


@pytest.fixture(autouse=True)
def systemd(need: Callable[..., None]) -> None:
    need("systemd-analyze")


@pytest.fixture
def installed(tmp_path: Path) -> Callable[[Kind], Path]:
    """Lays the units out as installed, for programs that exist."""

    def lay_out(kind: Kind) -> Path:
        programs, units = tmp_path / "bin", tmp_path / "units"
        programs.mkdir()
        for name in ("ashd", "ash"):
            (programs / name).symlink_to("/bin/true")
        for file in install.files(kind, programs, tmp_path / "home"):
            if file.path == install.SYSUSERS:
                continue
            path = units / file.path.relative_to(install.directory(kind))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
        return units

    return lay_out


def analyze(*arguments: str, units: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "--no-pager", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(units),
            "SYSTEMD_UNIT_PATH": f"{units}:",  # with those of the machine behind them
        },
    )


def rate(unit: Path, highest: int) -> subprocess.CompletedProcess[str]:
    return analyze(
        "security", "--offline=true", f"--threshold={highest}", str(unit), units=unit.parent
    )


@pytest.mark.parametrize("kind", ["system", "user"])
def test_units_are_clean(kind: Kind, installed: Callable[[Kind], Path]) -> None:
    """systemd finds nothing to remark in any of them."""
    units = installed(kind)
    files = [str(path) for path in units.iterdir() if path.is_file()]

    verified = analyze(f"--{kind}", "verify", *files, units=units)

    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("name", HIGHEST_EXPOSURE)
def test_system_unit_is_hardened(name: str, installed: Callable[[Kind], Path]) -> None:
    """The exposure that systemd computes stays where it is."""
    rated = rate(installed("system") / name, HIGHEST_EXPOSURE[name])

    assert rated.returncode == 0, rated.stdout


def test_examples_are_clean_and_open_the_network_alone(
    installed: Callable[[Kind], Path],
) -> None:
    """With both drop-ins the daemon reaches the network, and the exposure stays at 1.5 or below."""
    units = installed("system")
    for example in (units / "ashd.service.d").iterdir():
        shutil.copy(example, example.with_suffix(""))

    verified = analyze("verify", str(units / "ashd.service"), units=units)
    rated = rate(units / "ashd.service", WITH_NETWORK)

    assert (verified.returncode, verified.stderr) == (0, "")
    assert rated.returncode == 0, rated.stdout
    assert "Service has access to the host's network" in rated.stdout


@pytest.mark.parametrize("kind", ["system", "user"])
def test_units_keep_what_sandboxes_hold(kind: Kind) -> None:
    """Mounted grants outlive a restart, and the daemon sees who its peers are."""
    lines = (install.UNITS / kind / "ashd.service").read_text().splitlines()

    assert "RuntimeDirectory=ash" in lines
    assert "RuntimeDirectoryPreserve=yes" in lines
    # The second hides the processes that grants end with; the first makes all peers nobody.
    assert not [line for line in lines if line.startswith(("PrivateUsers=", "ProtectProc="))]
