"""`ash --project` against a daemon. Budget: 10 s."""

from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def repository(folder: Path, remote: str) -> str:
    """Make a copy of a repository."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    return str(folder)


def test_a_project_is_named_by_a_folder_or_by_its_id(ash: Ash, tmp_path: Path) -> None:
    """A memory told in it is found in it, and in all; a list shows it without asking."""
    shop = repository(tmp_path / "shop", "git@example.org:team/shop.git")
    blog = repository(tmp_path / "blog", "git@example.org:team/blog.git")
    ash("--project", shop, "memory", "add", "The tests run with make check")

    def finds(*project: str) -> bool:
        return "make check" in ash(*project, "memory", "search", "how do tests run").out

    assert finds("--project", shop)
    assert finds("--project", "example.org/team/shop")
    assert finds("--project", "*")
    assert not finds("--project", blog)
    assert not finds("--project", "none")
    assert not finds()
    assert "make check" in ash("memory", "list").out
    assert "make check" not in ash("--project", "none", "memory", "list").out
    (memory,) = ash("memory", "list", "--json").json["memories"]
    assert memory["project"] == {"id": "example.org/team/shop", "name": "shop"}


@pytest.mark.parametrize("command", [("memory", "search"), ("recall",), ("conversation", "search")])
def test_a_search_in_no_project_says_that_there_are_some(
    ash: Ash, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Only where nothing fits, and only where no project was named."""
    hint = "ash --project '*'"
    assert hint not in ash(*command, "how do tests run").err
    shop = repository(tmp_path / "shop", "git@example.org:team/shop.git")
    ash("--project", shop, "memory", "add", "The tests run with make check")

    assert hint in ash(*command, "how do tests run").err
    assert hint not in ash("--project", "none", *command, "how do tests run").err
    ash("memory", "add", "The tests of the garage run with a hammer")
    if command != ("conversation", "search"):
        assert hint not in ash(*command, "how do the tests of the garage run").err


def test_a_folder_that_is_not_there_is_refused(ash: Ash, tmp_path: Path) -> None:
    """It is not taken for the id of a project."""
    missing = str(tmp_path / "missing")
    done = ash("--project", missing, "memory", "list", fails=2)
    assert f"There is no folder {missing}." in done.err


def test_a_folder_whose_id_cannot_be_kept_is_refused(ash: Ash, tmp_path: Path) -> None:
    """The message says where it would be kept; the home directory is no project at all."""
    (tmp_path / "notes").mkdir()
    notes, home = str(tmp_path / "notes"), str(tmp_path / "no" / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path / "gone"))
        done = ash("--home", home, "--project", notes, "memory", "list", fails=2)
    assert f"{notes} is no project: its id cannot be kept in {home}." in done.err

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path))
        done = ash("--project", str(tmp_path), "memory", "list", fails=2)
    assert f"{tmp_path} is no project: it is your home directory." in done.err


def test_the_project_is_named_where_something_is_told(ash: Ash) -> None:
    """A mistyped id is a project of its own, so whoever told it has to see it."""
    inside = ("--project", "example.org/team/shpo")
    assert "project  example.org/team/shpo" in ash(*inside, "memory", "add", "Ship on Friday").out
    assert "project" not in ash("memory", "add", "The office closes at six").out
    assert "project  example.org/team/shpo" in ash(*inside, "override", "add", "Be brief").out
    ash("--project", "none", "override", "add", "Be kind")
    first, second = ash("override", "list").out.splitlines()[1:3]
    assert "example.org/team/shpo" in first
    assert "example.org" not in second


def test_projects_are_listed(ash: Ash) -> None:
    """With their ids, which --project takes."""
    ash("--project", "example.org/team/shop", "memory", "add", "The tests run with make check")
    assert "example.org/team/shop" in ash("project", "list").out
    listed = ash("memory", "list", "--project", "example.org/team/shop")
    assert "make check" in listed.out
    assert "make check" not in ash("memory", "list", "--project", "other").out


def test_an_agent_is_connected_to_a_project(ash: Ash, tmp_path: Path) -> None:
    """The server that its host starts has the option."""
    home = tmp_path / "home"
    home.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        first = ash("--project", "example.org/team/shop", "connect", "codex", "--print")
        other = ash("connect", "codex", "--print", "--project", "example.org/team/shop")
        every = ash("connect", "codex", "--print")
    assert '"--project", "example.org/team/shop"' in first.err
    assert other.err == first.err
    assert "--project" not in every.err


def test_the_page_has_no_project_of_its_own(ash: Ash) -> None:
    """It shows all of them, and filters."""
    done = ash("--project", "example.org/team/shop", "web", fails=2)
    assert "The page shows all projects" in done.err
