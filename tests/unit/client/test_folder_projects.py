"""The project of a folder: its id and its name. Budget: 2 s."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ashd_client import projects


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of the person's, apart from the folders of a test."""
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def repository(folder: Path, config: str = "") -> Path:
    """Make a repository with this configuration."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(config)
    return folder


def names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:Owner/Repo.git", "github.com/owner/repo"),
        ("https://github.com/owner/repo", "github.com/owner/repo"),
        ("https://me:s3cr3t@GitHub.com/owner/repo.git/", "github.com/owner/repo"),
        ("ssh://git@example.org:2222/team/shop.git", "example.org/team/shop"),
        ("example.org:team/shop", "example.org/team/shop"),
        ("https://me:p@ss@example.org/team/shop", "example.org/team/shop"),
        ("https://me:p@s#s?@example.org/team/shop", "example.org/team/shop"),
        ("me:p@ss@example.org:team/shop", "example.org/team/shop"),
        ("[git@example.org:2222]:team/shop", None),
        ("git@[2001:db8::1]:team/shop", None),
        ("ssh://git@[2001:db8::1]:22/team/shop", "[2001:db8::1]/team/shop"),
        ("ext::sh -c team/shop", None),
        ("https://example.org/team/\u200bshop", None),
        ("https://example.org/team/sh\udce9p", None),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("file:///srv/git/shop.git", None),
        ("C:\\git\\shop", None),
        ("https://example.org/", None),
        ("https://example.org/" + "x" * 200, None),
    ],
)
def test_a_remote_has_one_id_however_it_is_written(url: str, expected: str | None) -> None:
    """Neither users, passwords nor ports are in it; a path has none."""
    assert projects.remote_id(url) == expected


def test_a_repository_is_known_by_its_remote(tmp_path: Path) -> None:
    """`origin` comes before others, from any folder in it."""
    config = '[remote "up"]\n\turl = https://example.org/up/shop\n'
    config += '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:me/shop.git\n'
    inside = repository(tmp_path / "copy", config) / "deep" / "down"
    inside.mkdir(parents=True)

    assert projects.of_folder(str(inside)) == {"id": "example.org/me/shop", "name": "shop"}


def test_a_repository_without_a_remote_keeps_a_random_id(tmp_path: Path) -> None:
    """All its working trees share it; a moved repository keeps it."""
    main = repository(tmp_path / "main", '[remote "origin"]\n\turl = /srv/git/x.git\n')
    tree = tmp_path / "tree"
    tree.mkdir()
    inside = main / ".git" / "worktrees" / "tree"
    inside.mkdir(parents=True)
    (inside / "commondir").write_text("../..\n")
    (tree / ".git").write_text(f"gitdir: {inside}\n")

    found = projects.of_folder(str(main))

    assert found is not None
    assert found["name"] == "main"
    assert str(tmp_path) not in found["id"]
    assert projects.of_folder(str(tree)) == found
    moved = main.rename(tmp_path / "elsewhere")
    again = projects.of_folder(str(moved))
    assert again == {"id": found["id"], "name": "elsewhere"}


def test_a_repository_that_cannot_be_written_is_in_the_list_of_the_home(tmp_path: Path) -> None:
    """Else what is told in it would be read everywhere; a folder stands for a read-only disk."""
    shop = repository(tmp_path / "shop")
    (shop / ".git" / "ash-project" / "x").mkdir(parents=True)
    (shop / "deep").mkdir()
    home = tmp_path / "ash"
    home.mkdir()

    found = projects.of_folder(str(shop), str(home))

    assert found is not None
    assert found["name"] == "shop"
    assert projects.of_folder(str(shop / "deep"), str(home)) == found
    assert projects.of_folder(str(shop)) is None


def test_any_other_folder_is_in_the_list_of_the_home(tmp_path: Path) -> None:
    """Each folder has an id of its own there; without a home it is no project."""
    home = tmp_path / "ash"
    home.mkdir()
    for name in ("notes", "plans"):
        (tmp_path / name).mkdir()

    notes = projects.of_folder(str(tmp_path / "notes"), str(home))
    plans = projects.of_folder(str(tmp_path / "plans"), str(home))

    assert notes is not None
    assert plans is not None
    assert notes["name"] == "notes"
    assert notes["id"] != plans["id"]
    assert projects.of_folder(str(tmp_path / "notes"), str(home)) == notes
    assert projects.of_folder(str(tmp_path / "notes")) is None


def test_the_home_directory_is_no_project(tmp_path: Path, person: Path) -> None:
    """Not even if it is a repository: what is in it is a project of its own."""
    repository(person, '[remote "origin"]\n\turl = git@example.org:me/dotfiles.git\n')
    (person / "notes").mkdir()

    assert projects.of_folder(str(person), str(tmp_path)) is None
    found = projects.of_folder(str(person / "notes"), str(tmp_path))
    assert found is not None
    assert found["name"] == "notes"


def test_a_place_that_cannot_be_written_is_no_project(tmp_path: Path) -> None:
    """A list that is a folder stands for one on a read-only disk."""
    (tmp_path / "ash" / "projects").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    assert projects.of_folder(str(tmp_path / "notes"), str(tmp_path / "ash")) is None


KEPT = "0123456789abcdef" * 2


@pytest.mark.parametrize("content", ["", "*\n", "github.com/team/shop\n", KEPT.upper()])
def test_only_a_random_id_is_believed(tmp_path: Path, content: str) -> None:
    """Whatever else the file holds, a disturbed writing left: a new id replaces it."""
    kept = repository(tmp_path / "shop") / ".git" / "ash-project"
    kept.write_text(f"{KEPT}\n")
    assert projects.of_folder(str(tmp_path / "shop")) == {"id": KEPT, "name": "shop"}
    kept.write_text(content)

    found = projects.of_folder(str(tmp_path / "shop"))

    assert found is not None
    assert found["id"] not in {KEPT, content.strip()}
    assert projects.of_folder(str(tmp_path / "shop")) == found
    assert kept.read_text() == f"{found['id']}\n"


def test_a_link_in_the_place_of_the_id_is_replaced(tmp_path: Path) -> None:
    """The file that it points to is neither read nor written."""
    kept = repository(tmp_path / "shop") / ".git" / "ash-project"
    other = tmp_path / "other"
    other.write_text(f"{KEPT}\n")
    kept.symlink_to(other)

    found = projects.of_folder(str(tmp_path / "shop"))

    assert found is not None
    assert found["id"] != KEPT
    assert other.read_text() == f"{KEPT}\n"


def test_programs_that_ask_at_once_agree_on_the_id(tmp_path: Path) -> None:
    """None of them sees an id that is not written yet, and no draft stays behind."""
    for number in range(20):
        folder = str(repository(tmp_path / f"shop{number}"))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(projects.of_folder, [folder] * 8))
        assert found[0] is not None
        assert found == [found[0]] * 8
        assert names_in(Path(folder, ".git")) == ["HEAD", "ash-project", "config"]


def test_a_full_disk_leaves_no_empty_id_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is in no project until there is space."""
    folder = str(repository(tmp_path / "shop"))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert projects.of_folder(folder) is None
    assert names_in(Path(folder, ".git")) == ["HEAD", "config"]
    assert projects.of_folder(folder) is not None


def test_nothing_is_written_where_no_repository_is(tmp_path: Path) -> None:
    """A `.git` may point anywhere; git itself wants `HEAD` there."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shop" / ".git").write_text("gitdir: ../elsewhere\n")

    assert projects.of_folder(str(tmp_path / "shop")) is None
    assert names_in(tmp_path / "elsewhere") == []
    os.mkfifo(tmp_path / "elsewhere" / "HEAD")
    assert projects.of_folder(str(tmp_path / "shop")) is None


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        (b"a\nb", "a b"),
        (b"caf\xe9", "caf"),
        (b"\xe2\x80\xae\xff", None),
        ("é".encode() * 120, "é" * 120),
    ],
)
def test_the_name_is_clean(tmp_path: Path, folder: bytes, name: str | None) -> None:
    """Folders may have names that no call can carry."""
    home = tmp_path / "ash"
    home.mkdir()
    for within, at in (("listed", str(home)), ("repository", None)):
        path = tmp_path / within / os.fsdecode(folder)
        path.mkdir(parents=True)
        if at is None:
            repository(path)
        found = projects.of_folder(str(path), at)
        assert found is not None
        assert found["name"] == (name or found["id"])
        assert projects.of_folder(str(path), at) == found


def test_a_long_list_of_projects_is_read_to_its_end(tmp_path: Path) -> None:
    """A line that a full disk cut off is passed over."""
    lines = [f"{number:032x}\t/srv/{number}/{'x' * 200}\n" for number in range(5000)]
    (tmp_path / "projects").write_text("".join([*lines, f"{KEPT}\t/srv"]))
    (tmp_path / "notes").mkdir()

    found = projects.of_folder(str(tmp_path / "notes"), str(tmp_path))

    assert found is not None
    assert projects.of_folder(str(tmp_path / "notes"), str(tmp_path)) == found


def test_the_list_of_projects_is_the_persons_own(tmp_path: Path) -> None:
    """It names their folders."""
    (tmp_path / "notes").mkdir()
    assert projects.of_folder(str(tmp_path / "notes"), str(tmp_path)) is not None
    assert (tmp_path / "projects").stat().st_mode & 0o077 == 0


def test_a_file_system_without_links_keeps_ids_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of memory sticks and of shared folders have none."""
    folder = str(repository(tmp_path / "shop"))

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    found = projects.of_folder(folder)
    assert found is not None
    assert projects.of_folder(folder) == found
