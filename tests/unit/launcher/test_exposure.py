"""The daemon's own files that a directory would show a sandbox."""

import os
import socket
from pathlib import Path

import pytest

from ashd.launcher.exposure import Protected, refusal


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A daemon's home with a socket's place and a database."""
    home = tmp_path / "me" / ".ash"
    for folder in ("run", "data"):
        (home / folder).mkdir(parents=True)
    (home / "data" / "ash.db").write_text("everybody's memories")
    return home


@pytest.fixture
def protected(home: Path, tmp_path: Path) -> list[Protected]:
    program = tmp_path / "opt" / "ashd"
    program.mkdir(parents=True)
    (program / "cli.py").write_text("")
    return [Protected(home, "the home"), Protected(program, "the programs", secret=False)]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "me" / "project" / "src"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("")
    return folder.parent


def test_a_directory_of_its_own_is_given(workspace: Path, protected: list[Protected]) -> None:
    """Links to files of the directory itself, or to nothing, are allowed."""
    (workspace / "latest").symlink_to("src")
    (workspace / "python").symlink_to("/usr/bin/python3")
    (workspace / "gone").symlink_to("nowhere")
    os.link(workspace / "src" / "main.py", workspace / "again.py")

    assert refusal(workspace, protected, writable=True) is None
    assert refusal(workspace, protected, writable=False) is None


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize(
    ("given", "how"),
    [
        (".", "contains the home"),
        ("me", "contains the home"),
        ("me/.ash", "is the home"),
        ("me/.ash/data", "lies in the home"),
        ("me/.ash/data/ash.db", "lies in the home"),
        ("me/project/../.ash/run", "lies in the home"),
        ("/", "contains the home"),
    ],
)
def test_the_home_is_refused(
    tmp_path: Path,
    workspace: Path,
    protected: list[Protected],
    given: str,
    how: str,
    *,
    writable: bool,
) -> None:
    """Above it, inside it, and by any way to write it."""
    assert workspace.is_dir()
    assert str(refusal(tmp_path / given, protected, writable=writable)).startswith(how)


@pytest.mark.parametrize("given", ["opt", "opt/ashd"])
def test_programs_may_be_read_but_not_written(
    tmp_path: Path, protected: list[Protected], given: str
) -> None:
    """The host runs them later."""
    assert "the programs" in str(refusal(tmp_path / given, protected, writable=True))
    assert refusal(tmp_path / given, protected, writable=False) is None


def test_a_link_that_is_the_directory_is_followed(
    tmp_path: Path, home: Path, protected: list[Protected]
) -> None:
    """The link's own name is another place than its target."""
    (tmp_path / "harmless").symlink_to(home.parent)

    assert "contains the home" in str(refusal(tmp_path / "harmless", protected, writable=True))


def test_a_protected_path_may_be_a_link(
    tmp_path: Path, workspace: Path, protected: list[Protected]
) -> None:
    """The target of the link is protected."""
    (workspace / "models").mkdir()
    (tmp_path / "models").symlink_to(workspace / "models")
    models = [*protected, Protected(tmp_path / "models", "the models")]

    assert "contains the models" in str(refusal(workspace, models, writable=True))


@pytest.mark.parametrize("target", ["", "run", "data/ash.db", "not/there/yet"])
def test_a_symbolic_link_in_it_is_refused(
    workspace: Path, home: Path, protected: list[Protected], target: str
) -> None:
    """A link at any depth, relative or not, is refused and named in the reason."""
    link = workspace / "src" / "link"
    link.symlink_to(os.path.relpath(home / target, link.parent))

    reason = str(refusal(workspace, protected, writable=True))
    assert reason.startswith("links to the home")
    assert str(link) in reason


def test_a_hard_link_in_it_is_refused(
    workspace: Path, home: Path, tmp_path: Path, protected: list[Protected]
) -> None:
    """A hard link to a program is refused only where it could be written."""
    os.link(tmp_path / "opt" / "ashd" / "cli.py", workspace / "src" / "cli.py")
    assert "hard link to the programs" in str(refusal(workspace, protected, writable=True))
    assert refusal(workspace, protected, writable=False) is None

    os.link(home / "data" / "ash.db", workspace / "src" / "notes")
    assert "hard link to the home" in str(refusal(workspace, protected, writable=False))


def mountinfo(*mounts: tuple[str, str, Path]) -> str:
    """Lines of mountinfo, from (device, directory of the file system, where it is mounted)."""
    lines = []
    for device, root, point in [("8:1", "/", Path("/")), *mounts]:
        escaped = str(point).replace(" ", "\\040")
        lines.append(f"20 1 {device} {root} {escaped} rw,relatime shared:1 - ext4 /dev/x rw\n")
    return "".join(lines)


def test_a_bind_mount_in_it_is_refused(
    workspace: Path, home: Path, protected: list[Protected]
) -> None:
    """The mount may be of the home, a part of it, or a parent of it."""
    for bound in (home, home / "data", home.parent):
        mounts = mountinfo(("8:1", str(bound), workspace / "a folder"))
        assert "the home" in str(refusal(workspace, protected, writable=True, mounts=mounts))
    mounts = mountinfo(("8:1", str(workspace), workspace / "again"))
    assert refusal(workspace, protected, writable=True, mounts=mounts) is None


def test_a_bind_mount_that_is_the_directory_is_refused(
    workspace: Path, home: Path, protected: list[Protected]
) -> None:
    """The mount may begin anywhere in the mounted tree."""
    mounts = mountinfo(("8:1", str(home.parent), workspace))

    assert "contains the home" in str(refusal(workspace, protected, writable=True, mounts=mounts))
    assert refusal(workspace / "src", protected, writable=True, mounts=mounts) is None


def test_a_mount_with_an_odd_name_hides_nothing(
    workspace: Path, home: Path, protected: list[Protected]
) -> None:
    """The kernel writes the line ends of Unicode, and bytes of other encodings, as they are."""
    odd = os.fsdecode(b"/mnt/caf\xe9") + "\u2028a\x0bb\x85c"
    mounts = mountinfo(
        ("8:2", "/", Path(odd)), ("8:1", str(home), workspace / "a\u2028b"), ("8:3", "/", Path(odd))
    )

    assert "the home" in str(refusal(workspace, protected, writable=True, mounts=mounts))


def test_another_file_system_is_another_place(
    workspace: Path, home: Path, protected: list[Protected]
) -> None:
    """Equal paths on another file system are allowed."""
    mounts = mountinfo(("8:2", str(home), workspace))

    assert refusal(workspace, protected, writable=True, mounts=mounts) is None


def test_a_directory_with_a_view_of_the_kernel_in_it_is_refused(workspace: Path) -> None:
    """What is mounted below a directory is shown with it, as in a directory for chroot."""
    mounts = "1 1 8:1 / / rw - ext4 /dev/a rw\n" + f"2 1 0:5 / {workspace}/proc rw - proc proc rw\n"

    assert "contains a view" in str(refusal(workspace, [], writable=False, mounts=mounts))


@pytest.mark.parametrize("writable", [True, False])
def test_a_socket_or_pipe_is_refused(
    workspace: Path, writable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both work in a directory that is mounted read-only; itself, and at any depth."""
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(workspace / "src")  # a socket's path is short
        listening.bind("s")
    assert "src/s" in str(refusal(workspace, [], writable=writable))
    assert "is a socket" in str(refusal(workspace / "src" / "s", [], writable=writable))
    (workspace / "src" / "s").unlink()
    os.mkfifo(workspace / "src" / "p")
    assert "src/p" in str(refusal(workspace, [], writable=writable))
    (workspace / "link").symlink_to("src/p")
    (workspace / "src" / "p").unlink()
    assert refusal(workspace, [], writable=writable) is None


@pytest.mark.parametrize("given", ["/run", "/var/run", "/run/user", "/run/dbus", "/run/lock/x"])
def test_the_places_of_services_are_refused(given: str) -> None:
    """`/var/run` is a link to `/run`; what is not there yet may come."""
    if not Path("/var/run").is_symlink():
        pytest.skip("this machine has no link from /var/run to /run")
    assert "services listen" in str(refusal(Path(given), [], writable=False))


@pytest.mark.parametrize("given", ["/etc/shadow", "/etc/gshadow", "/etc"])
def test_the_hosts_passwords_are_refused(given: str) -> None:
    """Root, who starts a sandbox, may read them; the agent may not."""
    if not Path("/etc/shadow").exists():
        pytest.skip("this machine has no /etc/shadow")
    assert "for some users of this machine alone" in str(refusal(Path(given), [], writable=False))


def test_the_hosts_secrets_are_known_by_their_modes(workspace: Path) -> None:
    """A file or a directory that is not for everybody is refused, above the path as well."""
    here = [workspace.parent]
    inside = workspace / "src"
    (workspace / "src" / "main.py").chmod(0o640)

    def of_root(path: Path) -> str:
        return str(refusal(path, [], writable=False, host=here))

    is_own = os.geteuid() != 0
    assert ("some users" in of_root(workspace)) != is_own
    assert ("some users" in of_root(inside / "main.py")) != is_own
    assert refusal(workspace, [], writable=False, host=[]) is None
    (workspace / "src" / "main.py").chmod(0o644)
    assert of_root(workspace) == "None"
    workspace.chmod(0o710)
    assert ("some users" in of_root(inside)) != is_own


@pytest.mark.parametrize("given", ["/proc", "/proc/self/task", "/sys"])
def test_views_of_the_kernel_are_refused(given: str) -> None:
    """Kernel file systems show other processes, and through them their files."""
    assert "view of the kernel" in str(refusal(Path(given), [], writable=False))
