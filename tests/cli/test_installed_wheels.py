"""The wheels of `ashd` and `ashd-client`, each in an environment of its own. Budget: 40 s.

Nothing is fetched: the libraries that `ashd` names, and no others, are linked into its environment.
"""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from wheels import REPOSITORY, built, copy_sources


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources: a build leaves its files beside them."""
    return copy_sources(tmp_path_factory.mktemp("sources"))


def environment(folder: Path, wheel: Path) -> Path:
    """The programs of a new environment with a wheel in it and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    install = ["install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run([*pip_of(folder / "bin"), *install], check=True)
    return folder / "bin"


def pip_of(programs: Path) -> list[Any]:
    """The pip that is here, for another environment."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    return [*pip, "--python", programs / "python"]


def link_libraries(programs: Path) -> None:
    """Link the libraries that ashd needs, as they are installed here, into an environment."""
    [target] = (programs.parent / "lib").glob("python3.*/site-packages")
    for name in needed("ashd"):
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            place = Path(str(distribution.locate_file(top)))
            if top != "__pycache__" and not (target / top).exists():
                (target / top).symlink_to(place)


def needed(name: str) -> set[str]:
    """The distributions that one needs, without extras, and those that they need."""
    found: set[str] = set()
    left = [name]
    while left:
        for line in metadata.requires(left.pop()) or ():
            if "extra ==" in line or "sys_platform == 'win32'" in line:
                continue
            one = re.match(r"[\w.-]+", line)[0]
            if one not in found and is_installed(one):
                found.add(one)
                left.append(one)
    return found


def is_installed(name: str) -> bool:
    """Whether a distribution is here: those for other systems are not."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder near the top: the path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of ashd."""
    return built(sources, tmp_path_factory.mktemp("ashd"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel of ashd."""
    found = environment(tmp_path_factory.mktemp("installed"), wheel)
    link_libraries(found)
    return found


def run(*command: Any, home: Path) -> str:
    """The output of a program that has nothing of this repository, and a home of its own."""
    own = {"PATH": "/usr/bin:/bin", "HOME": str(home), "ASH_HOME": str(home / "ash")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=home,
        env=own,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_serves_stores_and_finds(programs: Path, short_path: Path) -> None:
    """A daemon, `ash` and `ash-sb` of the wheel, with the libraries that it names alone."""
    assert json.loads(run(programs / "ash", "version", "--json", home=short_path)) == {
        "version": metadata.version("ashd")
    }
    assert run(programs / "ash-sb", "help", "agent", home=short_path).startswith("ash-sb is your")
    daemon = subprocess.Popen(
        [programs / "ashd", "serve", "--home", short_path / "ash"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(short_path)},
        cwd=short_path,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ash = [programs / "ash", "--wait", "120"]
        run(*ash, "memory", "add", "My bike is in the cellar", home=short_path)
        found = json.loads(run(*ash, "memory", "search", "bike", "--json", home=short_path))
        assert [hit["memory"]["content"] for hit in found["results"]] == [
            "My bike is in the cellar"
        ]
        assert "bike" in run(*ash, "context", "where is my bike", home=short_path)
        connected = run(*ash, "connect", "claude-code", "--print", home=short_path)
        assert "Would change" in connected
    finally:
        daemon.terminate()
        assert daemon.wait(120) == 0


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    """All that git has in them, the units, and the pages of the documentation."""
    listed = subprocess.run(
        ["git", "ls-files", "ashd", "ashd_client", "ash_sb", "systemd"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    units = "ashd/ops/units"  # a link to the folder at the top
    expected = {re.sub("^systemd", units, name) for name in listed.stdout.split()} - {units}
    assert expected - names == set()
    pages = {name.rpartition("/")[2] for name in names if "/share/doc/ashd/" in name}
    assert pages >= {path.name for path in (REPOSITORY / "docs").glob("*.md")}


LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)[^)\s]*\)")


def test_every_link_of_the_wheel_leads_to_a_file_in_it(wheel: Path, programs: Path) -> None:
    """The page of the wheel, which is read elsewhere, names them; they link to one another."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        shown = archive.read(name).decode()
        data = {one.partition("/data/share/doc/ashd/")[2] for one in archive.namelist()}
    assert "\n# ashd\n" in shown
    assert "Description-Content-Type: text/markdown" in shown
    assert LINK.findall(shown) == []
    linked = set(filter(None, LINK.findall((REPOSITORY / "README.md").read_text())))
    assert len(linked) > 20
    assert {one for one in linked if f"`{one}`" not in shown} == set()
    assert linked - data == set()
    assert "share/doc/ashd" in shown

    pages = programs.parent / "share" / "doc" / "ashd"
    links = [
        (page, target)
        for page in pages.rglob("*.md")
        for target in LINK.findall(page.read_text())
        if target
    ]
    assert len(links) > 100
    assert [one for one in links if not (one[0].parent / one[1]).is_file()] == []


def test_every_page_that_a_message_names_is_installed(programs: Path, tmp_path: Path) -> None:
    """The message has the path of the page in the installation, not in the repository."""
    code = "\n".join(path.read_text() for path in (REPOSITORY / "ashd").rglob("*.py"))
    names = set(re.findall(r"\bpage\(['\"]([^'\"]+)", code))
    assert names >= {"connect.md", "language-model.md", "encryption.md"}
    assert re.findall(r"docs/[\w-]+\.md", code) == []

    show = f"from ashd.pages import page; print(*map(page, {sorted(names)}))"
    for path in run(programs / "python", "-c", show, home=tmp_path).split():
        assert Path(path).is_file()
        assert Path(path).is_relative_to(programs.parent)


def test_ash_knows_its_installation(programs: Path, tmp_path: Path) -> None:
    """It starts without the module of Python that finds it: the page in its help is there."""
    path = Path(run(programs / "ash", "--help", home=tmp_path).split()[-1])
    assert path.is_file()
    assert path.is_relative_to(programs.parent)

    [packages] = (programs.parent / "lib").glob("python3.*/site-packages")
    show = (
        f"import sys; sys.path.append({str(packages)!r}); "
        "from ashd.protected_paths import installation; print(*installation())"
    )
    protected = run(programs / "python", "-I", "-S", "-c", show, home=tmp_path).split()
    assert str(programs.parent) in protected


def test_the_client_alone_calls_a_daemon(
    sources: Path, tmp_path: Path, daemon: Any, scope: Any
) -> None:
    """Its wheel brings nothing but `ashd_client`."""
    found = built(sources / "clients" / "python", tmp_path / "wheel")
    programs = environment(tmp_path / "installed", found)
    user = scope()["user_id"]
    code = f"""
import importlib.util
from ashd_client.sync import Client
assert importlib.util.find_spec("ashd") is None
with Client({str(daemon.socket)!r}, scope={{"provider": "test", "user_id": {user!r}}}) as client:
    client.memory.add(content="I am allergic to peanuts")
    print(client.memory.search("peanuts")["results"][0]["memory"]["content"])
"""
    assert run(programs / "python", "-c", code, home=tmp_path) == "I am allergic to peanuts\n"
    installed = run(*pip_of(programs), "list", "--format", "freeze", home=tmp_path)
    version = metadata.version("ashd")
    assert installed.replace("_", "-") == f"ashd-client=={version}\n"
