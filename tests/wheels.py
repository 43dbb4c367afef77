"""Wheels of this repository's projects, built from a copy of the sources."""

import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SOURCES = (
    *(
        "ashd",
        "ashd_client",
        "ash_sb",
        "benchmarks",
        "clients",
        "container",
        "docs",
        "sandbox",
        "scripts",
        "systemd",
    ),
    *("pyproject.toml", "setup.py", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
)


def copy_sources(folder: Path) -> Path:
    """Copy the sources into a folder: a build leaves its files beside them."""
    for name in SOURCES:
        path = REPOSITORY / name
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "*.pyz")
            shutil.copytree(path, folder / name, ignore=ignored)
        else:
            shutil.copy(path, folder / name)
    return folder


def built(project: Path, out: Path) -> Path:
    """The wheel of a project."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-index", "--no-build-isolation", "-w", out, project], check=True
    )
    [wheel] = out.glob("*.whl")
    return wheel
