"""The systemd units, by systemd's own tools. Budget: 10 s."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"
HIGHEST_EXPOSURE = 15  # tenths: 1.5
DROP_INS = [[], ["network"], ["operators"], ["network", "operators"]]


@pytest.fixture(autouse=True)
def systemd(need: Callable[..., None]) -> None:
    need("systemd-analyze")


@pytest.fixture
def unit(tmp_path: Path) -> Callable[..., Path]:
    """Lays a unit out as installed, with its drop-ins, on a program that exists."""

    def install(name: str, drop_ins: list[str]) -> Path:
        text = (UNITS / name).read_text()
        started = [line for line in text.splitlines() if line.startswith("ExecStart=")]
        assert len(started) == 1
        assert started[0].endswith("/bin/ashd serve")
        path = tmp_path / "ashd.service"
        path.write_text(text.replace(started[0], "ExecStart=/bin/true serve"))
        for drop_in in drop_ins:
            target = tmp_path / "ashd.service.d" / f"{drop_in}.conf"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(UNITS / "ashd.service.d" / f"{drop_in}.conf.example", target)
        return path

    return install


def analyze(*arguments: str, run_directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "--no-pager", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(run_directory)},
    )


@pytest.mark.parametrize("drop_ins", DROP_INS, ids=" ".join)
def test_system_unit_is_clean_and_hardened(
    drop_ins: list[str], unit: Callable[..., Path], tmp_path: Path
) -> None:
    """systemd finds nothing to remark, and the exposure stays at 1.5 or below."""
    path = unit("ashd.service", drop_ins)

    verified = analyze("verify", str(path), run_directory=tmp_path)
    rated = analyze(
        "security",
        "--offline=true",
        f"--threshold={HIGHEST_EXPOSURE}",
        str(path),
        run_directory=tmp_path,
    )

    assert (verified.returncode, verified.stderr) == (0, "")
    assert rated.returncode == 0, rated.stdout


def test_user_unit_is_clean(unit: Callable[..., Path], tmp_path: Path) -> None:
    """systemd finds nothing to remark in the unit of one person."""
    path = unit("ashd-user.service", [])

    verified = analyze("--user", "verify", str(path), run_directory=tmp_path)

    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("name", ["ashd.service", "ashd-user.service"])
def test_units_keep_what_sandboxes_hold(name: str) -> None:
    """Mounted grants outlive a restart, and peers of the sockets keep their user ids."""
    lines = (UNITS / name).read_text().splitlines()

    assert "RuntimeDirectory=ash" in lines
    assert "RuntimeDirectoryPreserve=yes" in lines
    assert not [line for line in lines if line.startswith("PrivateUsers=")]
