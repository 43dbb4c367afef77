"""Notes in Markdown come in by their sections, and stay in step with their files. Budget: 60 s."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon

from ashd_client.sync import Client

Scope = Callable[..., dict[str, Any]]

GARDEN = """---
title: The garden
tags: [outside, "plants"]
date: 2025-04-02
aliases:
  - Yard
---
# The garden

Behind the house, see [[places/House#Yard|the house]].

## Water

- Water the tomatoes every evening
- The hose hangs in the [[Shed]]

## Soil

Clay, so add sand.
"""
WATER = "The garden / Water: - Water the tomatoes every evening\n- The hose hangs in the Shed"
SOIL = "The garden / Soil: Clay, so add sand."
INTRO = "The garden: Behind the house, see the house."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with a note."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "garden.md").write_text(GARDEN)
    return folder


def load(daemon: Daemon, me: dict[str, Any], path: Path, **more: Any) -> dict[str, Any]:
    """Import a file or folder without naming its format."""
    result: dict[str, Any] = daemon.call("db.import", scope=me, path=str(path), **more)
    return result


def active(daemon: Daemon, me: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The active memories of a scope, by content."""
    found = daemon.call("memory.list", scope=me, limit=100)
    return {memory["content"]: memory for memory in found["memories"]}


def test_a_section_becomes_a_memory_with_its_file(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """Front matter gives tags and time; a memory names its file, headings and links."""
    me = scope()

    done = load(daemon, me, notes)

    assert ("notes", 3, 0) == (done["format"], done["imported"], done["refused_count"])
    memories = active(daemon, me)
    assert {INTRO, WATER, SOIL} == set(memories)
    water = memories[WATER]
    assert ["outside", "plants"] == water["tags"]
    assert "2025-04-02T00:00:00Z" == water["observed_at"]
    assert str(notes / "garden.md") == water["metadata"]["file"]
    assert "The garden / Water" == water["metadata"]["heading"]
    assert ["Shed"] == water["metadata"]["links"]
    assert ["House"] == memories[INTRO]["metadata"]["links"]


def test_a_line_of_tags_labels_the_note_and_is_none_of_its_words(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """A journal ends each day with the same one, and would be full of seeming conflicts."""
    (notes / "garden.md").write_text(
        "---\ntags: outside\n---\n#daily #Home/garden, #2026q1\nSowed the peas for #12.\n\n"
        "```sh\n#build\n```\n\n#daily\n\n#1234\n\nA #plant in a sentence stays.\n"
    )
    me = scope()
    load(daemon, me, notes)

    [(content, memory)] = active(daemon, me).items()
    assert content == (
        "garden: Sowed the peas for #12.\n\n```sh\n#build\n```\n\n#1234\n\n"
        "A #plant in a sentence stays."
    )
    assert ["outside", "daily", "Home/garden", "2026q1"] == memory["tags"]


@pytest.mark.parametrize(
    ("name", "front", "day"),
    [
        ("2026-02-03.md", "", "2026-02-03"),
        ("2026-02-03 Dinner with Ida.md", "", "2026-02-03"),
        ("2026-02-03.md", "---\ndate: 2025-04-02\n---\n", "2025-04-02"),
        ("2099-05-01 Trip.md", "", "2026-03-01"),
        ("2026-02-31.md", "", "2026-03-01"),
        ("2026-02-034.md", "", "2026-03-01"),
        ("Dinner of 2026-02-03.md", "", "2026-03-01"),
    ],
)
def test_a_daily_note_was_told_on_its_day(
    daemon: Daemon, scope: Scope, tmp_path: Path, name: str, front: str, day: str
) -> None:
    """Its name says which, whenever the file was copied; front matter goes before it.

    A day after the file's own time is one that was planned, and not when it was told.
    """
    note = tmp_path / name
    note.write_text(f"{front}Planted two apple trees\n")
    os.utime(note, (1_772_366_400, 1_772_366_400))
    me = scope()
    load(daemon, me, note)
    [memory] = active(daemon, me).values()
    assert memory["observed_at"].startswith(day)


def test_a_repeat_brings_memories_in_step(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """Unchanged passages stay, a changed one replaces its words, one that went is archived."""
    me = scope()
    load(daemon, me, notes)
    before = active(daemon, me)
    assert 0 == load(daemon, me, notes)["imported"]
    (notes / "garden.md").write_text(
        GARDEN.replace("Clay, so add sand", "Loam").replace("Behind the house", "")
        .replace(", see [[places/House#Yard|the house]].", "")
    )  # fmt: skip

    done = load(daemon, me, notes)

    assert (1, 1, 1) == (done["imported"], done["duplicates"], done["archived"])
    after = active(daemon, me)
    assert {WATER, "The garden / Soil: Loam."} == set(after)
    assert before[WATER]["id"] == after[WATER]["id"]
    old = daemon.call("memory.get", scope=me, id=before[SOIL]["id"])["memory"]
    assert after["The garden / Soil: Loam."]["id"] == old["superseded_by_id"]
    restored = daemon.call("memory.restore", scope=me, id=before[INTRO]["id"])
    assert INTRO == restored["memory"]["content"]


def test_words_that_return_are_active_again(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """A version of a note that was there before is stored like any other."""
    me, file = scope(), notes / "garden.md"
    load(daemon, me, notes)
    file.write_text(GARDEN.replace("Clay, so add sand", "Loam"))
    load(daemon, me, notes)
    file.write_text("# The garden\n\nNothing grows.")
    load(daemon, me, notes)
    assert {"garden / The garden: Nothing grows."} == set(active(daemon, me))

    file.write_text(GARDEN)
    load(daemon, me, notes)

    assert {INTRO, WATER, SOIL} == set(active(daemon, me))


def test_a_deleted_memory_does_not_return(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """The person took it back: a repeat does not bring it again."""
    me = scope()
    load(daemon, me, notes)
    daemon.call("memory.delete", scope=me, id=active(daemon, me)[SOIL]["id"])

    done = load(daemon, me, notes)

    assert 0 == done["imported"]
    assert SOIL not in active(daemon, me)


def test_a_note_that_went_takes_only_its_own_memories(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """Memories of other notes, of other folders and the person's own stay."""
    me, other = scope(), notes.parent / "notes2"
    other.mkdir()
    (other / "a.md").write_text("Sails on Sundays")
    (notes / "b.md").write_text("Plays the oboe")
    daemon.call("memory.add", scope=me, content="Likes the sea")
    load(daemon, me, notes)
    load(daemon, me, other)
    (notes / "garden.md").unlink()

    done = load(daemon, me, notes)

    assert 3 == done["archived"]
    assert {"Likes the sea", "a: Sails on Sundays", "b: Plays the oboe"} == set(active(daemon, me))


def test_hostile_files_get_a_line_each_and_nothing_is_lost(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """A link, a pipe, binary data and huge files are refused; what they said before stays."""
    me = scope()
    (notes / "turns_binary.md").write_text("Keeps bees")
    (notes / "deep").mkdir()
    (notes / "deep" / "a.md").write_text("Keeps goats")
    load(daemon, me, notes)
    secret = notes.parent / "outside.md"
    secret.write_text("The key lies under the mat")
    (notes / "link.md").symlink_to(secret)
    (notes / "linked").symlink_to(notes.parent)
    os.mkfifo(notes / "pipe.md")
    (notes / "turns_binary.md").write_bytes(b"Keeps bees\0\0")
    with (notes / "huge.md").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    (notes / "long.md").write_text(f"---\nx: {'y' * 100_000}\n---\nKeeps ducks")
    (notes / "latin.md").write_bytes("Größe".encode("latin-1"))
    (notes / "picture.png").write_bytes(b"\x89PNG")
    (notes / "deep").chmod(0)

    done = load(daemon, me, notes)

    (notes / "deep").chmod(0o700)
    refused = {one["file"]: one["error"]["message"] for one in done["refused"]}
    expected = {"link.md", "linked", "pipe.md", "turns_binary.md", "huge.md", "long.md", "latin.md"}
    assert expected | ({"deep"} if os.getuid() else set()) == set(refused)  # root reads any folder
    assert "100" in refused["huge.md"]
    assert [{"reason": "files that are no Markdown (.png)", "count": 1}] == done["left_out"]
    assert 0 == done["archived"]
    assert {"turns_binary: Keeps bees", "a: Keeps goats", "long: Keeps ducks"} < set(
        active(daemon, me)
    )
    assert "under the mat" not in str(active(daemon, me))


def test_a_folder_without_notes_archives_nothing(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """An empty folder may be a disk that is not mounted."""
    me = scope()
    load(daemon, me, notes)
    (notes / "garden.md").rename(notes.parent / "garden.md")

    with pytest.raises(CallFailed, match="holds no note in Markdown"):
        load(daemon, me, notes)

    assert 3 == len(active(daemon, me))


def test_a_dry_run_only_tells(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """A dry run says what would be new and what would be archived."""
    me = scope()
    assert 3 == load(daemon, me, notes, dry_run=True)["imported"]
    assert not active(daemon, me)
    load(daemon, me, notes)
    (notes / "garden.md").write_text("Only grass")

    done = load(daemon, me, notes, dry_run=True)

    assert (1, 3) == (done["imported"], done["archived"])
    assert {INTRO, WATER, SOIL} == set(active(daemon, me))


def test_the_properties_of_a_note_are_a_memory(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """A birthday is kept in step like a section; what only concerns the note is left out."""
    me = scope()
    note = notes / "Tom Baker.md"
    note.write_text(
        "---\naliases: [TB]\ncssclasses: wide\nbirthday: 1979-06-03\nboss: '[[Ann]]'\n---\n"
    )
    (notes / "plain.md").write_text("---\ncssclasses: wide\n---\n")
    before = load(daemon, me, notes)

    assert "Tom Baker / Properties: birthday: 1979-06-03; boss: Ann" in active(daemon, me)
    assert [("notes without text", 1)] == [
        (one["reason"], one["count"]) for one in before["left_out"]
    ]
    note.write_text("---\nbirthday: 1979-06-04\n---\n")
    load(daemon, me, notes)
    assert {"Tom Baker / Properties: birthday: 1979-06-04"} == {
        one for one in active(daemon, me) if "Tom" in one
    }


def test_a_secret_in_a_note_is_refused_with_its_place(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """The rest of the note is stored, and the answer does not repeat the secret."""
    (notes / "garden.md").write_text(GARDEN + "\n## Wifi\n\nMy password is hunter2-Xy77\n")

    done = load(daemon, scope(), notes)

    [refused] = done["refused"]
    assert ("garden.md", 23) == (refused["file"], refused["line"])
    assert "hunter2" not in str(done)
    assert 3 == done["imported"]


HOUSE = """---
birthday: 1979-06-03
password: hunter2-Xy77
---
## Things

- The stopcock is behind the washing machine
- The wifi's password is [[hunter2-Xy77]]
- The plumber is [[Jens]], 0171 5551234

The meter is read
in May; the code of the door is 4471#.

The bins go out on Mondays.
"""
THINGS = (
    "house / Things: - The stopcock is behind the washing machine\n"
    "- The plumber is Jens, 0171 5551234\n\nThe bins go out on Mondays."
)


def test_a_secret_costs_only_its_own_paragraph_or_item(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """The rest of its section is stored, and stays as it is once the secrets are gone."""
    me, note = scope(), notes / "house.md"
    note.write_text(HOUSE)

    dry = load(daemon, me, notes, dry_run=True)
    done = load(daemon, me, notes)

    places = [(one["file"], one["line"]) for one in done["refused"]]
    assert [("house.md", 1), ("house.md", 8), ("house.md", 12)] == sorted(places)
    assert (5, 3) == (done["imported"], done["refused_count"])
    assert (5, 3) == (dry["imported"], dry["refused_count"])
    stored = active(daemon, me)
    assert {THINGS, "house / Properties: birthday: 1979-06-03", WATER, SOIL, INTRO} == set(stored)
    assert ["Jens"] == stored[THINGS]["metadata"]["links"]
    assert not [secret for secret in ("hunter2", "4471") if secret in f"{done}{stored}"]

    again = load(daemon, me, notes)
    assert (0, 5, 3, 0) == counts(again)
    rows = HOUSE.split("\n")
    note.write_text("\n".join([*rows[:2], *rows[3:7], *rows[8:10], *rows[13:]]))
    assert (0, 5, 0, 0) == counts(load(daemon, me, notes))
    assert stored == active(daemon, me)


def counts(done: dict[str, Any]) -> tuple[int, ...]:
    """The counts of an import."""
    names = ("imported", "duplicates", "refused_count", "archived")
    return tuple(done[name] for name in names)


def test_a_secret_added_to_a_section_replaces_the_section_by_the_rest(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """The new words beside the secret come in, and the old ones do not stay."""
    me, note = scope(), notes / "garden.md"
    load(daemon, me, notes)
    note.write_text(GARDEN + "\nThe gate's password is hunter2-Xy77\n\nDig in spring.\n")

    done = load(daemon, me, notes)

    assert (1, 2, 1, 0) == counts(done)
    assert {f"{SOIL}\n\nDig in spring.", WATER, INTRO} == set(active(daemon, me))


def test_the_files_of_coding_agents_give_a_fact_a_rule(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """In a project's folder only its agents' files are read, item by item."""
    me, project = scope(), tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    (project / "AGENTS.md").write_text(
        "# Guide\n\n## Tests\n\n- Run `make test` before a commit\n"
        "- Never mock the clock\n\n```sh\n# not a heading\nmake\n```\n"
    )
    (project / ".claude" / "rules").mkdir(parents=True)
    (project / ".claude" / "rules" / "sql.md").write_text("Queries live in store/")
    (project / "src" / "README.md").write_text("Not for agents")

    done = load(daemon, me, project)

    assert "agent-files" == done["format"]
    assert {
        "Tests: Run `make test` before a commit",
        "Tests: Never mock the clock",
        "Tests: ```sh\n# not a heading\nmake\n```",
        "Queries live in store/",
    } == set(active(daemon, me))


def test_a_basic_memory_note_has_its_relations(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """The relations that basic-memory writes into a note enter the graph."""
    (notes / "ink.md").write_text(
        "---\ntitle: Ink\ntype: note\npermalink: ink\n---\n# Ink\n\n## Observations\n"
        "- [fact] Dries in a minute #paper\n\n## Relations\n- used_by [[Fountain Pen]]\n"
    )
    me = scope()

    load(daemon, me, notes)

    [relation] = daemon.call("graph.search", scope=me, name="Ink")["relations"]
    assert ("Ink", "used by", "Fountain Pen") == (
        relation["source"]["name"], relation["relation"], relation["target"]["name"],
    )  # fmt: skip


def test_a_text_gives_a_fact_a_line(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """List marks are left out; comments are counted."""
    me, path = scope(), tmp_path / "facts.txt"
    path.write_text("# About me\n- Plays the oboe\n\n2. Lives in Lisbon\nPlays the oboe\n")

    done = load(daemon, me, path)

    assert ("lines", 2, 1) == (done["format"], done["imported"], done["duplicates"])
    assert {"Plays the oboe", "Lives in Lisbon"} == set(active(daemon, me))
    assert [{"reason": "lines that begin with #", "count": 1}] == done["left_out"]
    assert 0 == load(daemon, me, path)["imported"]


def test_a_note_of_windows_is_read_like_any_other(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """Line ends of CR LF change nothing, also not around front matter."""
    me = scope()
    (notes / "garden.md").write_bytes(GARDEN.replace("\n", "\r\n").encode("utf-8-sig"))

    load(daemon, me, notes)

    memories = active(daemon, me)
    assert {INTRO, WATER, SOIL} == set(memories)
    assert ["outside", "plants"] == memories[WATER]["tags"]


@pytest.mark.parametrize("tags", ["\n  - \n  - home", " ['#', home]"])
def test_an_empty_tag_is_none(daemon: Daemon, scope: Scope, notes: Path, tags: str) -> None:
    """Note programs leave one behind when a tag is removed."""
    me = scope()
    (notes / "garden.md").write_text(f"---\ntags:{tags}\n---\nClay, so add sand.\n")

    assert [] == load(daemon, me, notes)["refused"]

    assert [["home"]] == [memory["tags"] for memory in active(daemon, me).values()]


def test_a_line_that_is_no_text_is_refused(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """A fact in another encoding would be stored with its letters lost."""
    me, path = scope(), tmp_path / "facts.txt"
    path.write_bytes("Likes the café\n".encode("latin-1") + b"Lives in Lisbon\n")

    done = load(daemon, me, path)

    [refused] = done["refused"]
    assert (1, "The line is not in UTF-8.") == (refused["line"], refused["error"]["message"])
    assert {"Lives in Lisbon"} == set(active(daemon, me))


def test_a_name_that_is_no_text_is_imported(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """A file's name may hold any bytes; what is no UTF-8 in it becomes a question mark."""
    me = scope()
    (notes / os.fsdecode(b"caf\xe9.md")).write_text("It opens at nine.")

    done = load(daemon, me, notes)

    assert (4, []) == (done["imported"], done["refused"])
    assert "caf?: It opens at nine." in active(daemon, me)
    assert 4 == load(daemon, me, notes)["duplicates"]


def test_a_folder_named_by_a_link_is_read(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """Links inside a folder lead out of it; the folder itself was named by somebody."""
    link = notes.parent / "link"
    link.symlink_to(notes)

    assert 3 == load(daemon, scope(), link)["imported"]


def test_folders_without_end_are_refused(daemon: Daemon, scope: Scope, notes: Path) -> None:
    """A note that lies too deep is reported and archives nothing; the rest is imported."""
    me = scope()
    here = os.open(notes, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("a", dir_fd=here)
        inside = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)

    done = load(daemon, me, notes)

    assert 3 == done["imported"]
    assert ["Folders are nested too deep."] == [one["error"]["message"] for one in done["refused"]]


def test_two_imports_of_a_folder_at_once_take_turns(
    daemon: Daemon, scope: Scope, notes: Path
) -> None:
    """Each finds what the other stored: none replaces a memory that the other replaced."""
    me, file = scope(), notes / "garden.md"
    beds = [f"## Bed {number}\n\nPlanted {{}} in row {number}.\n" for number in range(40)]
    file.write_text("\n".join(beds).replace("{}", "peas"))
    load(daemon, me, notes)
    file.write_text("\n".join(beds).replace("{}", "beans"))

    def load_beside_others() -> dict[str, Any]:
        with Client(daemon.socket, scope=me) as client:
            done: dict[str, Any] = client.call("db.import", path=str(notes))
        return done

    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: load_beside_others(), range(3)))

    assert [0, 0, 0] == [one["refused_count"] for one in done]
    assert [0, 0, 40] == sorted(one["imported"] for one in done)
    assert 40 == len(active(daemon, me))
