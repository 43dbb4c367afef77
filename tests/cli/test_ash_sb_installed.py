"""`ash-sb` as installed: one file, `ash-sb.pyz`, and the command that pip installs."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from scripted_daemon import REPOSITORY, ScriptedDaemon, ash_sb

LAUNCHER = REPOSITORY / "sandbox" / "ash-sb"


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one file, built by the script."""
    out = tmp_path_factory.mktemp("pyz") / "ash-sb.pyz"
    subprocess.run([sys.executable, str(REPOSITORY / "sandbox/build_pyz.py"), str(out)], check=True)
    return out


@pytest.fixture(scope="module")
def only_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with nothing on it but this Python."""
    folder = tmp_path_factory.mktemp("path")
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    return str(folder)


@pytest.mark.parametrize(
    "before",
    [[], [sys.executable], [sys.executable, "-I", "-S"]],
    ids=["by itself", "python3", "python3 -I -S"],
)
def test_the_file_runs_in_each_way(
    tmp_path: Path, pyz: Path, only_python: str, before: list[str]
) -> None:
    """Started as a program or by a Python, it calls the daemon and passes every argument on."""
    words = ("recall", "a  b", "'c'", "$d", "*")
    with ScriptedDaemon(tmp_path / "s", {"results": []}) as daemon:
        done = ash_sb(*words, client=[*before, str(pyz)], socket_path=daemon.path, PATH=only_python)

    assert (done.returncode, done.stdout, done.stderr) == (0, "count: 0 results\n", "")
    assert daemon.call["params"] == {"query": "a  b 'c' $d *"}


def test_the_file_needs_nothing_but_itself(tmp_path: Path, pyz: Path, only_python: str) -> None:
    """The file loads its own modules, not an `ash_sb` or `json` of the current directory."""
    for name in ("ash_sb", "json", "_json", "boot"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hijacked')")
    done = subprocess.run(
        [str(pyz), "help", "agent"],
        cwd=tmp_path,
        env={"PATH": only_python, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ash-sb is your long-term memory")


def test_the_file_holds_sources_and_fitting_byte_code(pyz: Path) -> None:
    """Nothing is compressed; sources serve every Python, byte code this one."""
    with zipfile.ZipFile(pyz) as archive:
        stored = archive.infolist()
        broken = archive.testzip()
    names = {entry.filename for entry in stored}
    sources = {f"ash_sb/{file.name}" for file in (REPOSITORY / "ash_sb").glob("*.py")}

    assert broken is None
    assert {entry.compress_type for entry in stored} == {zipfile.ZIP_STORED}
    compiled = {f"{sys.implementation.cache_tag}/{name}c" for name in sources}
    assert names == sources | compiled | {"__main__.py", "boot.py"}


def test_the_file_runs_without_fitting_byte_code(
    pyz: Path, only_python: str, tmp_path: Path
) -> None:
    """The sources are used by a Python of another version."""
    head = pyz.read_bytes().partition(b"PK")[0]
    other = tmp_path / "other.pyz"
    other.write_bytes(head)
    with zipfile.ZipFile(pyz) as archive, zipfile.ZipFile(other, "a") as fewer:
        for name in archive.namelist():
            if not name.endswith(".pyc"):
                fewer.writestr(name, archive.read(name))
    other.chmod(0o755)
    done = ash_sb("--version", client=[str(other)], PATH=only_python)

    assert done.stdout.startswith("ash-sb ")


def test_the_same_sources_make_the_same_file(pyz: Path, tmp_path: Path) -> None:
    """A second build gives the same bytes."""
    again = tmp_path / "again.pyz"
    subprocess.run([sys.executable, "-m", "ash_sb.pyz", str(again)], check=True, cwd=REPOSITORY)

    assert again.read_bytes() == pyz.read_bytes()


def prefix(folder: Path) -> Path:
    """A prefix as pip fills it, without the package; returns its site-packages."""
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(Path(sys.executable).resolve())
    shutil.copy(LAUNCHER, folder / "bin" / "ash-sb")
    packages = folder / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    packages.mkdir(parents=True)
    return packages


def version_said_by(command: Path | str, **options: str) -> str:
    """Return the output of `ash-sb --version`, with nothing but sh on the PATH."""
    done = subprocess.run(
        [str(command), "--version"],
        env={"PATH": os.defpath},
        capture_output=True,
        check=True,
        text=True,
        **options,
    )
    return done.stdout


def test_the_installed_command_finds_its_package(tmp_path: Path) -> None:
    """The command may be called by an absolute path, a relative one, or a link."""
    packages = prefix(tmp_path)
    shutil.copytree(REPOSITORY / "ash_sb", packages / "ash_sb")
    (packages / "ash_sb" / "__init__.py").write_text('__version__ = "of this prefix"\n')
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "ash-sb"
    link.symlink_to(tmp_path / "bin" / "ash-sb")
    said = [
        version_said_by(tmp_path / "bin" / "ash-sb"),
        version_said_by("bin/ash-sb", cwd=str(tmp_path)),
        version_said_by(link),
    ]

    assert said == ["ash-sb of this prefix\n"] * 3


def test_the_installed_command_finds_a_checkout(tmp_path: Path) -> None:
    """The file of an editable installation names the checkout."""
    packages = prefix(tmp_path)
    checkout = tmp_path / "checkout"
    shutil.copytree(REPOSITORY / "ash_sb", checkout / "ash_sb")
    (checkout / "ash_sb" / "__init__.py").write_text('__version__ = "of the checkout"\n')
    (packages / "__editable__.ashd-0.1.0.pth").write_text(f"{checkout}\n")

    assert version_said_by(tmp_path / "bin" / "ash-sb") == "ash-sb of the checkout\n"
