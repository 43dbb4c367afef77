"""`ash` for a person: several ids a call, an editor, undo, completion. Budget: 8 s."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from ash_runner import Ash, Done

from ashd.cli.ash import cli

ASH = "from ashd.cli.ash import main; main()"


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def add(ash: Ash, text: str) -> str:
    """The id of a new memory."""
    id_: str = ash("memory", "add", text, "--json").json["memories"][0]["memory"]["id"]
    return id_


def contents(ash: Ash, *options: str) -> set[str]:
    """The contents that `ash memory list` shows."""
    return {one["content"] for one in ash("memory", "list", "--json", *options).json["memories"]}


def undone(ash: Ash, done: Done) -> Done:
    """Run the command that undoes a change, as it was printed."""
    [command] = re.findall(r"`ash ([^`]+)` (?:undoes it|takes it back|brings)", done.err)
    return ash(*command.split())


def test_printed_commands_speak_for_the_account_that_was_named(ash: Ash) -> None:
    """A command can be pasted as it is: it has the typed --as, --chat and --socket, quoted."""
    elsewhere = ("--as", "test:Jo Ann", "--chat", "the choir")

    stored = ash(*elsewhere, "memory", "add", "We sing on Fridays")

    [command] = re.findall(r"`ash ([^`]+)` takes it back", stored.err)
    assert shlex.split(command)[:-3] == ["--socket", str(ash.socket), *elsewhere]
    assert "Deleted" in ash(*shlex.split(command)).out


def test_several_memories_are_deleted_restored_and_erased_in_one_call(ash: Ash) -> None:
    """Each has its line; --json has a list of the results."""
    ids = [add(ash, text) for text in ("I own a red canoe", "My violin is from Cremona")]

    deleted = ash("memory", "delete", *ids)
    assert deleted.out.count("Deleted ") == 2
    assert contents(ash) == set()
    restored = ash("memory", "restore", *ids, "--json").json["results"]
    assert [one["memory"]["id"] for one in restored] == ids
    assert len(contents(ash)) == 2

    erased = ash("memory", "erase", *ids, "--yes", "--json").json
    assert erased["erased"] == 2
    assert erased["receipt"]["rows"]["memories"] == 2
    assert contents(ash, "--include-archived") == set()


def test_the_ids_before_a_wrong_one_are_done_and_said(ash: Ash) -> None:
    """The error names the wrong one; --json has the results on standard output."""
    one, other = add(ash, "The ferry leaves at nine"), add(ash, "I lent Ida my drill")

    done = ash("memory", "delete", one, "ffffffff", other, "--json", fails=3)

    assert [entry["memory"]["id"] for entry in done.json["results"]] == [one]
    assert done.error["data"]["kind"] == "not_found"
    assert contents(ash) == {"I lent Ida my drill"}
    assert "ffffffff: No such memory" in ash("memory", "delete", "ffffffff", other, fails=3).err


def test_erasing_shows_the_text_and_the_counts_before_it_asks(ash: Ash) -> None:
    """A no leaves everything; an owner nobody knows is an error and no question."""
    one = add(ash, "My locker has the number 41")

    asked = ash("memory", "erase", one[:8], stdin="n\n", fails=130)

    assert "My locker has the number 41" in asked.err
    assert "This would erase 1 memory or message:" in asked.err
    assert re.search(r"memories +1\n", asked.err)
    assert asked.err.index("This would") < asked.err.index("Nothing brings it back")
    assert contents(ash) == {"My locker has the number 41"}
    nobody = ash("memory", "erase", "--owner", "local:nobody_at_all", stdin="y\n", fails=3)
    assert "Erase this for good?" not in nobody.err


def test_nobody_to_ask_is_told_to_answer_ahead(ash: Ash) -> None:
    """Standard input without an answer is a usage error that names --yes."""
    one = add(ash, "The spare key hangs in the shed")
    assert "--yes" in ash("memory", "erase", one, fails=2).err
    assert contents(ash) == {"The spare key hangs in the shed"}


def test_the_list_is_limited_to_days(ash: Ash) -> None:
    """By when it was stored."""
    add(ash, "I keep bees")
    assert contents(ash, "--since", "2020-01-01", "--until", "2100-01-01") == {"I keep bees"}
    assert contents(ash, "--since", "2100-01-01") == set()
    assert contents(ash, "--until", "2020-01-01") == set()
    assert contents(ash, "--since", "2h") == {"I keep bees"}
    assert contents(ash, "--until", "2h") == set()


def test_a_memory_is_edited_in_the_editor_and_undone(
    ash: Ash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor opens with the text that it has; what is unchanged is no new memory."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/nine/ten/ "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    one = add(ash, "The bakery opens at nine")

    edited = ash("memory", "edit", one, on_terminal=True)
    assert contents(ash) == {"The bakery opens at ten"}
    undone(ash, edited)
    assert contents(ash) == {"The bakery opens at nine"}

    monkeypatch.setenv("VISUAL", "true")
    assert "Nothing was changed" in ash("memory", "edit", one, on_terminal=True, fails=2).err


@pytest.mark.parametrize(
    "command",
    [
        ("person", "add-alias", "Wanda", "Wanda Lee"),
        ("person", "relate", "Wanda", "boss"),
        ("person", "link-account", "Wanda", "telegram:77"),
    ],
    ids=lambda words: words[1],
)
def test_a_change_names_the_command_that_undoes_it(ash: Ash, command: tuple[str, ...]) -> None:
    """Run as printed, it leaves the person as before."""
    person = ash("person", "create", "Wanda", "--json").json["person"]
    said = ash(*command)
    [words] = re.findall(r"`ash ([^`]+)` undoes it", said.err)
    ash(*shlex.split(words))
    left = ash("person", "show", person["id"], "--json").json["person"]
    assert [one["value"] for one in left["aliases"]] == [one["value"] for one in person["aliases"]]
    assert left["accounts"] == person["accounts"]
    assert [one for one in left["relationships"] if not one.get("ended_at")] == []


def test_the_named_command_takes_back_an_addition_or_a_pin(ash: Ash) -> None:
    """A memory, a pinned fact and an entity."""
    undone(ash, ash("memory", "add", "My bicycle is blue"))
    assert contents(ash) == set()
    undone(ash, ash("override", "add", "I prefer tabs"))
    assert ash("override", "list", "--json").json["overrides"] == []
    undone(ash, ash("graph", "add", "Acme", "--type", "company"))
    assert ash("graph", "search", "--json").json["entities"] == []


def test_a_relation_that_was_ended_is_stated_anew(ash: Ash) -> None:
    """By the command that the end names."""
    said = ash("graph", "relate", "Jo Ann", "works at", "Acme", "--json").json["relation"]
    ended = ash("graph", "end", said["id"])
    [words] = re.findall(r"`ash ([^`]+)` states it anew", ended.err)
    assert ash("graph", "list", "--json").json["relations"] == []
    ash(*shlex.split(words))
    [relation] = ash("graph", "list", "--json").json["relations"]
    assert relation["valid_until"] is None
    for part in ("source", "target"):
        assert relation[part]["id"] == said[part]["id"]


def test_an_import_names_what_takes_it_back(ash: Ash, tmp_path: Path) -> None:
    """Only what it stored goes, and comes back; nothing is named where nothing was stored."""
    (tmp_path / "first.txt").write_text("I keep bees\n")
    (tmp_path / "second.txt").write_text("I keep goats\nI sing bass\n")
    ash("import", str(tmp_path / "first.txt"))
    done = ash("import", str(tmp_path / "second.txt"))
    assert "withdraw" not in ash("import", str(tmp_path / "second.txt")).err
    [words] = re.findall(r"`ash ([^`]+)` takes", done.err)
    withdrawn = ash(*shlex.split(words))
    assert contents(ash) == {"I keep bees"}
    undone(ash, withdrawn)
    assert contents(ash) == {"I keep bees", "I keep goats", "I sing bass"}


def test_a_pin_that_was_removed_is_pinned_again(ash: Ash) -> None:
    """In the words that it had."""
    pin = ash("override", "add", "I'm vegetarian", "--for-groups", "--json").json["override"]
    removed = ash("override", "remove", pin["id"])
    [words] = re.findall(r"`ash ([^`]+)` pins it again", removed.err)
    ash(*shlex.split(words))
    [again] = ash("override", "list", "--json").json["overrides"]
    assert (again["content"], again["for_groups"]) == ("I'm vegetarian", True)


@pytest.mark.parametrize("content", ["I water the ash tree", "- Answer in English"])
def test_a_pin_of_a_project_is_pinned_there_again(
    ash: Ash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    """By the command as it is, whatever the words are."""
    monkeypatch.setenv("ASH_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / ".git").mkdir()
    project = ("--project", str(tmp_path))
    pin = ash(*project, "override", "add", "--json", "--", content).json["override"]
    removed = ash("override", "remove", pin["id"])
    [words] = re.findall(r"`ash ([^`]+)` pins it again", removed.err)
    assert shlex.split(words)[:4] == ash.options
    ash(*shlex.split(words))
    [again] = ash("override", "list", "--json").json["overrides"]
    assert (again["content"], again["project_id"]) == (content, pin["project_id"])
    assert again["project_id"]


def test_a_new_person_and_a_new_name_are_taken_back(ash: Ash) -> None:
    """By the commands that they named."""
    created = ash("person", "create", "Otto")
    person = ash("person", "show", "Otto", "--json").json["person"]["id"]
    renamed = ash("person", "update", "Otto", "--name", "Otto Lang")
    assert "Otto Lang" in renamed.out
    [words] = re.findall(r"`ash ([^`]+)` undoes it", renamed.err)
    ash(*shlex.split(words))
    assert ash("person", "show", person, "--json").json["person"]["name"] == "Otto"
    [words] = re.findall(r"`ash ([^`]+)` takes it back", created.err)
    ash(*shlex.split(words), "--yes")
    ash("person", "show", person, fails=3)


def test_the_former_label_of_a_memory_is_brought_back(ash: Ash) -> None:
    """Type and tags; a change of neither names no command."""
    one = add(ash, "The tent leaks")
    ash("memory", "edit", one, "--tag", "camping", "--tag", "two words")
    edited = ash("memory", "edit", one, "--tag", "shed", "--type", "event")
    [words] = re.findall(r"`ash ([^`]+)` undoes it", edited.err)
    ash(*shlex.split(words))
    memory = ash("memory", "show", one, "--json").json["memory"]
    assert (memory["memory_type"], memory["tags"]) == ("knowledge", ["camping", "two words"])
    private = ash("memory", "edit", one, "--no-portable")
    assert "--portable` undoes it" in private.err
    ash("memory", "edit", one, "--portable")
    ash("memory", "edit", one, "--tag", "")
    assert ash("memory", "show", one, "--json").json["memory"]["tags"] == []
    assert "undoes" not in ash("memory", "edit", one, "--portable").err


@pytest.mark.parametrize(
    ("field", "before", "edit"),
    [
        ("expires_at", ["--expires", "2030-05-04"], ["--expires", "30"]),
        ("expires_at", ["--expires", "2030-05-04"], ["--expires", "never"]),
        ("expires_at", [], ["--expires", "2w"]),
        ("subject_person_ids", ["--subject", "Ann Smith"], ["--subject", "Bo Brown"]),
        ("subject_person_ids", ["--subject", "Ann Smith"], ["--subject", ""]),
        ("subject_person_ids", [], ["--subject", "Bo Brown"]),
    ],
)
def test_the_former_subjects_and_expiry_are_brought_back(
    ash: Ash, field: str, before: list[str], edit: list[str]
) -> None:
    """By the command that the edit names."""
    stored = ash("memory", "add", "The tent leaks", *before, "--json").json["memories"][0]["memory"]
    changed = ash("memory", "edit", stored["id"], *edit)
    assert ash("memory", "show", stored["id"], "--json").json["memory"][field] != stored[field]
    [words] = re.findall(r"`ash ([^`]+)` undoes it", changed.err)
    ash(*shlex.split(words))
    assert ash("memory", "show", stored["id"], "--json").json["memory"][field] == stored[field]


@pytest.mark.parametrize(
    ("before", "edit"), [("--this-project", "--everywhere"), ("--everywhere", "--this-project")]
)
def test_the_former_project_is_brought_back(ash: Ash, before: str, edit: str) -> None:
    """Also by somebody who pastes the command elsewhere."""
    home = ("--project", "boat")
    added = ash(*home, "memory", "add", "The tent leaks", before, "--json").json["memories"][0]
    stored = added["memory"]
    changed = ash(*home, "memory", "edit", stored["id"], edit)
    [words] = re.findall(r"`ash ([^`]+)` undoes it", changed.err)
    ash(*shlex.split(words))
    shown = ash(*home, "memory", "show", stored["id"], "--json").json["memory"]
    assert shown["project"] == stored["project"]


def test_a_relationship_that_ended_is_not_shown_as_one_that_holds(ash: Ash) -> None:
    """The list leaves it out; the person in full says until when it held."""
    ash("person", "create", "Otto", "--relationship", "uncle")
    ash("person", "relate", "Otto", "boss")
    ended = ash("person", "unrelate", "Otto", "boss").out
    assert re.search(r"^ +is +uncle of", ended, re.MULTILINE)
    assert not re.search(r"^ +is +boss of", ended, re.MULTILINE)
    assert re.search(r"^ +was +boss of .*, until 20", ended, re.MULTILINE)
    listed = ash("person", "list").out
    assert "uncle" in listed
    assert "boss" not in listed


def test_a_member_of_a_chat_may_be_named_as_an_account(ash: Ash) -> None:
    """PROVIDER:USER is what the other commands take; the undo is named."""
    joined = ash("participant", "join", "telegram:climbers", "telegram:5")
    assert "telegram:5 " in joined.out
    assert "telegram:telegram:5" not in joined.out
    assert "participant leave telegram:climbers 5` ends it" in joined.err
    left = ash("participant", "leave", "telegram:climbers", "5")
    assert "participant join telegram:climbers 5` " in left.err


def test_backup_export_and_import_stand_at_the_top(ash: Ash, tmp_path: Path) -> None:
    """The same commands as those of `ash db`."""
    add(ash, "I was born in Turku")
    ash("backup", str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db").stat().st_size
    ash("export", str(tmp_path / "all.jsonl"))
    assert "Turku" in (tmp_path / "all.jsonl").read_text()
    assert "known already" in ash("import", str(tmp_path / "all.jsonl")).out


def test_a_file_without_anything_to_import_is_a_failure(ash: Ash, tmp_path: Path) -> None:
    """The remedy is named; a file that is known already is none."""
    (tmp_path / "empty.json").write_text('{"results": []}')
    empty = ash("import", str(tmp_path / "empty.json"), "--format", "mem0", fails=1)
    assert "another --format?" in empty.err
    add(ash, "I was born in Turku")
    ash("export", str(tmp_path / "all.jsonl"))
    ash("import", str(tmp_path / "all.jsonl"))


@pytest.mark.parametrize("stdin", ["", "y\n"], ids=["answered ahead", "asked"])
def test_erasing_says_which_note_still_has_the_words(ash: Ash, tmp_path: Path, stdin: str) -> None:
    """An import of the note would bring them back; what came from elsewhere has no such line."""
    note = tmp_path / "harp.md"
    note.write_text("The harp was made in Dublin\n")
    ash("import", str(note))
    [one] = ash("memory", "list", "--json").json["memories"]
    other = add(ash, "The tuner comes in May")
    ahead = () if stdin else ("--yes",)
    erased = ash("memory", "erase", one["id"], other, *ahead, stdin=stdin)
    assert erased.err.count(f"{note} still has it: its next import brings it back.") == 1
    assert erased.err.count("still has it") == 1


def test_a_memory_of_a_note_is_shown_with_its_file_and_heading(ash: Ash, tmp_path: Path) -> None:
    """The list leaves out what an import keeps for itself; --json has all of it."""
    note = tmp_path / "harp.md"
    note.write_text("# Harp\n\n## Tuning\n\nThe tuner comes in May\n")
    ash("import", str(note))
    [one] = ash("memory", "list", "--json").json["memories"]
    shown = ash("memory", "show", one["id"])
    assert re.search(rf"^file +{re.escape(str(note))}$", shown.out, re.MULTILINE)
    assert "heading=harp / Tuning" in shown.out
    assert "imported=" not in shown.out
    metadata = ash("memory", "show", one["id"], "--json").json["memory"]["metadata"]
    assert metadata["imported"]["from"] == "notes"


def test_refused_records_have_their_remedy_once(ash: Ash, tmp_path: Path) -> None:
    """However many there are, each with its place."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("router", "mail"):
        (notes / f"{name}.md").write_text("The password is Tr0mso!2931x\n")
    refused = ash("import", str(notes), fails=1).err
    assert "router.md, line 1: content seems to hold a secret" in refused
    assert refused.count("Store the fact without the secret") == 1


def test_an_import_that_is_interrupted_says_how_to_go_on(
    ash: Ash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same command; the exit status is that of Ctrl-C."""

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ashd.cli.progress.call", interrupted)
    (tmp_path / "facts.txt").write_text("I keep bees\n")
    assert "the same command goes on" in ash("import", str(tmp_path / "facts.txt"), fails=130).err


def completed(shell: str, *words: str) -> list[str]:
    """The words that `ash` offers a shell for the last one."""
    done = subprocess.run(
        [sys.executable, "-c", ASH],
        env={
            **os.environ,
            "_ASH_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": "\n".join(("ash", *words)),
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.splitlines()


def test_ids_and_names_are_completed(ash: Ash) -> None:
    """Offers are those of the account on the command line; without a daemon there are none."""
    one = add(ash, "My umbrella is green")
    ash("person", "create", "Rosalind Ng")

    assert completed("bash", *ash.options, "memory", "show", one[:3]) == [f"plain,{one[:8]}"]
    zsh = completed("zsh", *ash.options, "memory", "show", one[:3])
    assert zsh[:3] == ["plain", one[:8], "My umbrella is green"]
    assert "Rosalind Ng" in completed("zsh", *ash.options, "person", "show", "ros")
    other = ["--socket", str(ash.socket), "--as", "test:somebody-else"]
    assert completed("bash", *other, "memory", "show", one[:3]) == [""]
    assert completed("bash", "--socket", "/nowhere/ash.sock", "memory", "show", "") == [""]


def test_several_grants_are_revoked_in_one_call(ash: Ash) -> None:
    """One that is unknown is named, and those before it are closed."""
    made = [ash("grant", "create", "--json").json["grant_id"] for _ in range(2)]
    revoked = ash("grant", "revoke", *made, "nosuch", fails=2)
    assert "nosuch: " in revoked.err
    assert ash("grant", "list", "--json").json["grants"] == []


def test_several_relations_end_in_one_call(ash: Ash) -> None:
    relations = [
        ash("graph", "relate", name, "works at", "Acme", "--json").json["relation"]["id"]
        for name in ("Jo", "Flo")
    ]
    ended = ash("graph", "end", *relations)
    assert ended.status == 0
    assert ash("graph", "list", "--json").json["relations"] == []


def test_tags_and_chats_are_completed(ash: Ash) -> None:
    """A private chat has no name that a command takes."""
    ash("memory", "add", "The tent leaks", "--tag", "camping", "--tag", "shed")
    for words in (("list",), ("edit", "id")):
        offered = completed("bash", *ash.options, "memory", *words, "--tag", "")
        assert set(offered) == {"plain,camping", "plain,shed"}
    assert completed("bash", *ash.options, "memory", "list", "--tag", "sh") == ["plain,shed"]
    ash("participant", "join", "telegram:climbers", "telegram:5")
    for command in ("join", "leave", "list"):
        offered = completed("zsh", *ash.options, "participant", command, "tele")
        assert "telegram\\:climbers" in offered  # zsh takes it without the backslash


def test_sessions_of_memories_are_completed(daemon: Any, ash: Ash) -> None:
    """A memory without a session offers nothing."""
    ash("memory", "add", "The tent leaks")
    provider, user = ash.account.split(":")
    scope = {"provider": provider, "user_id": user, "session_id": "trip-7"}
    daemon.call("memory.add", scope=scope, content="The stove works")
    for command in ("list", "withdraw"):
        offered = completed("bash", *ash.options, "memory", command, "--session", "")
        assert offered == ["plain,trip-7"]


def test_relations_and_accounts_are_completed(ash: Ash) -> None:
    """Wherever a command takes the id of one, or the name of what is related."""
    said = ash("graph", "relate", "Rosalind", "works at", "Nautilus", "--json").json["relation"]
    for command in ("end", "remove"):
        assert f"plain,{said['id'][:8]}" in completed("bash", *ash.options, "graph", command, "")
    assert "plain,Nautilus" in completed("bash", *ash.options, "graph", "search", "Nau")
    offered = completed("zsh", *ash.options, "person", "link-account", "Rosalind", "")
    assert ash.account in offered


def test_keys_are_completed_and_revoked_for_good(ash: Ash, tmp_path: Path) -> None:
    """Without a daemon too: they are in a file of the home."""
    home = ("--home", str(tmp_path))
    made = ash(*home, "key", "create", "--agent", "notes", "--json").json["id"]
    assert completed("bash", *home, "key", "revoke", "") == [f"plain,{made}"]
    assert completed("bash", "--home", "/nowhere", "key", "revoke", "") == [""]
    other = ash(*home, "key", "create", "--agent", "blog", "--json").json["id"]
    assert "Nothing makes it good again" in ash(*home, "key", "revoke", made, other).err
    assert ash(*home, "key", "list", "--json").json["keys"] == []


def test_every_command_takes_the_short_option_for_help() -> None:
    """Commands that programs start, and the page, as well."""
    context = click.Context(cli, info_name="ash")
    named = [one for one in commands(cli, context) if not isinstance(one, click.Group)]
    assert len(named) > 80
    for one in named:
        assert any("-h" in param.opts for param in one.params), one.name


def test_a_hostile_name_is_one_word_for_bash(ash: Ash, tmp_path: Path) -> None:
    """The name is inserted with what bash would run or split escaped."""
    name = "Zed $(touch owned) *"
    ash("person", "create", *name.split())
    (tmp_path / "ash").write_text(f"#!/bin/sh\nexec {sys.executable} -c '{ASH}' \"$@\"\n")
    (tmp_path / "ash").chmod(0o755)
    words = " ".join(("ash", *ash.options, "person", "show", "Ze"))
    script = (
        f'eval "$(_ASH_COMPLETE=bash_source ash)"; COMP_WORDS=({words});'
        " COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ash_completion ash;"
        ' eval "set -- ${COMPREPLY[0]}"; printf "%s|%s" "$#" "$1"'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == f"1|{name}"
    assert not (tmp_path / "owned").exists()


def test_bash_completes_a_word_that_it_breaks(ash: Ash) -> None:
    """At colons and equals signs; the answer is for the place of the last part alone."""
    provider, _, user = ash.account.partition(":")
    add(ash, "I was born in Turku")
    daemon = ["--socket", str(ash.socket)]

    assert f"plain,{user}" in completed("bash", *daemon, "--as", provider, ":", user)
    assert f"plain,{user}" in completed("bash", *daemon, "--as", "=", provider, ":", user)
    as_user = [*daemon, "--as", provider, ":", user]
    assert completed("bash", *as_user, "memory", "sea") == ["plain,search"]
    assert completed("bash", *as_user, "override", "add", '"note:"', "--he") == ["plain,--help"]


def test_a_word_that_is_no_command_prints_no_error_into_the_line(ash: Ash) -> None:
    """The shell would show it in the middle of what is typed."""
    assert "plain,search" in completed("bash", *ash.options, "memory", "ad", "se")


def commands(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    """A command and its own."""
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, click.Context(inner, context, name))


PATHS = re.compile(r"\b(PATH|FILE|DIR)\b")


def parameters(command: click.Command, context: click.Context) -> Iterator[click.Parameter]:
    """The options and arguments of a command and of its own."""
    for one in commands(command, context):
        yield from one.params


def test_the_shell_completes_every_file_and_folder() -> None:
    """Once `ash` completes its commands, the shell completes paths only where `ash` lets it."""
    context = click.Context(cli, info_name="ash")
    named = [one for one in parameters(cli, context) if PATHS.search(one.make_metavar(context))]
    assert len(named) > 10
    for one in named:
        [item] = one.shell_complete(context, "x")
        assert item.type in {"file", "dir"}, one


def test_a_person_is_forgotten_by_name(ash: Ash) -> None:
    """As every command of `ash person` takes one."""
    ash("memory", "add", "Wanda plays the harp", "--subject", "Wanda")
    assert "Archived 1 memory" in ash("person", "forget", "Wanda", "--yes").out
    assert contents(ash) == set()
