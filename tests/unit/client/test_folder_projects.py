"""The project of a folder: its id and its name. Budget: 2 s."""

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
    (folder / ".git" / "config").write_text(config)
    return folder


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:Owner/Repo.git", "github.com/owner/repo"),
        ("https://github.com/owner/repo", "github.com/owner/repo"),
        ("https://me:s3cr3t@GitHub.com/owner/repo.git/", "github.com/owner/repo"),
        ("ssh://git@example.org:2222/team/shop.git", "example.org/team/shop"),
        ("example.org:team/shop", "example.org/team/shop"),
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
