"""`ash memory` against a daemon."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def add(ash: Ash, *arguments: str) -> dict[str, Any]:
    """The memory that was stored."""
    return ash("memory", "add", "--json", *arguments).json["memories"][0]["memory"]


def test_what_is_added_is_found_shown_and_listed(ash: Ash) -> None:
    """A person adds, finds, shows and lists a memory, with shortened ids."""
    stored = ash("memory", "add", "I", "am", "allergic", "to", "peanuts", "--tag", "food")
    assert "I am allergic to peanuts" in stored.out

    found = ash("memory", "search", "peanut", "allergy")
    assert "allergic to peanuts" in found.out
    assert "1 memory found." in found.err

    listed = ash("memory", "list", "--json").json
    memory = listed["memories"][0]
    assert listed["total"] == 1
    assert (memory["source"], memory["tags"]) == ("cli", ["food"])

    shown = ash("memory", "show", memory["id"][:8]).out
    assert shown.startswith("I am allergic to peanuts\n\n")
    assert memory["id"] in shown


def test_an_empty_list_says_where_memories_are(ash: Ash) -> None:
    """They may be another account's: an agent's own, for example."""
    assert "account list` shows" in ash("memory", "list").err
    add(ash, "tea")
    assert "account list" not in ash("memory", "list").err


def test_json_may_stand_before_or_after_the_command(ash: Ash) -> None:
    """The option prints the method's result in both places."""
    add(ash, "tea")
    assert ash("--json", "memory", "list").json == ash("memory", "list", "--json").json
    assert ash("memory", "--json", "list").json["total"] == 1


def test_a_memory_knows_whom_it_is_about(ash: Ash) -> None:
    """Subjects become people, and people filter."""
    ash("memory", "add", "Sarah likes Italian food", "--subject", "Sarah")
    add(ash, "I like Italian opera")

    assert "Sarah" in ash("memory", "search", "Italian").out
    about = ash("memory", "search", "Italian", "--about", "Sarah", "--json").json["results"]
    assert [hit["memory"]["content"] for hit in about] == ["Sarah likes Italian food"]


def test_options_reach_the_memory(ash: Ash) -> None:
    """Type, sensitivity, portability, expiry."""
    memory = add(
        ash,
        *("a dentist at noon", "--type", "event", "--sensitivity", "personal", "--no-portable"),
        *("--expires", "2999-01-01T00:00:00Z", "--key", "k1"),
    )
    assert (memory["memory_type"], memory["sensitivity"]) == ("event", "personal")
    assert memory["portable"] is False
    assert memory["expires_at"] == "2999-01-01T00:00:00Z"


def test_text_comes_from_standard_input_or_a_file(ash: Ash, tmp_path: Path) -> None:
    """Several lines stay several lines."""
    done = ash("memory", "add", "-", "--json", stdin="one\n\ntwo\n")
    assert done.json["memories"][0]["memory"]["content"] == "one\n\ntwo"
    (tmp_path / "note").write_text("from a file\n")
    assert add(ash, "--file", str(tmp_path / "note"))["content"] == "from a file"


def test_a_batch_has_an_outcome_for_each_fact(ash: Ash) -> None:
    """One that is refused does not lose the others."""
    facts = [{"content": "likes tea"}, {"content": "my key is sk-ant-" + "a1B2" * 24}]
    done = ash("memory", "add", "--facts-json", "-", stdin=json.dumps(facts))
    assert "likes tea" in done.out
    assert "refused" in done.out
    assert "a1B2" not in done.out


def test_a_change_of_text_replaces_the_memory(ash: Ash) -> None:
    """History shows both, the old one marked."""
    red = add(ash, "my favourite colour is red")
    changed = ash("memory", "update", red["id"][:8], "my favourite colour is blue")
    assert "replaces " + red["id"][:8] in changed.out
    assert "red" not in ash("memory", "search", "favourite colour").out

    history = ash("memory", "history", red["id"]).out.splitlines()
    assert "[superseded] my favourite colour is red" in history[1]
    assert "blue" in history[2]


def test_a_change_of_other_fields_keeps_the_memory(ash: Ash) -> None:
    """Another revision than the known one is refused."""
    tea = add(ash, "tea")
    done = ash("memory", "update", tea["id"], "--tag", "x", "--revision", "1", "--json").json
    assert (done["memory"]["id"], done["memory"]["tags"]) == (tea["id"], ["x"])
    late = ash("memory", "update", tea["id"], "--tag", "y", "--revision", "1", "--json", fails=1)
    assert late.error["data"]["kind"] == "conflict"


def test_a_deleted_memory_can_be_restored(ash: Ash) -> None:
    """The output names the command for it."""
    tea = add(ash, "tea")
    deleted = ash("memory", "delete", tea["id"])
    assert f"{ash.command} memory restore {tea['id'][:8]}" in deleted.err
    assert "tea" not in ash("memory", "list").out
    assert "[archived: user_deleted] tea" in ash("memory", "list", "--include-archived").out

    assert "Restored" in ash("memory", "restore", tea["id"]).out
    assert "tea" in ash("memory", "list").out
    again = ash("memory", "restore", tea["id"])
    assert "Restored" not in again.out
    assert "It was not deleted; it is active." in again.err


def test_a_deletion_names_the_memories_that_are_active_again(ash: Ash) -> None:
    """The reactivated memories are named by id."""
    red = add(ash, "The gate is red")
    blue = add(ash, "The gate is blue", "--supersedes", red["id"])

    deleted = ash("memory", "delete", blue["id"])

    assert f"an older memory is active again: {red['id'][:8]}" in deleted.out


def test_a_replaced_memory_is_shown_and_can_be_kept(ash: Ash) -> None:
    """A replacement echoes the older text and the command that rejects it."""
    red = add(ash, "The gate is red")

    stored = ash("memory", "add", "The gate is blue", "--supersedes", red["id"])
    command = stored.err.partition("If both are true: ash ")[2].splitlines()[0]
    kept = ash(*command.split())

    assert f"  replaces {red['id'][:8]}: The gate is red\n" in stored.out
    assert command.endswith(f"{red['id'][:8]} --verdict both")
    assert kept.out.startswith("Both kept")
    assert "The gate is red" in ash("memory", "list").out
    confirmed = ash(*command.split()[:-2]).out
    assert confirmed.startswith("Confirmed")
    offered = ash(*command.split()[:-1], "unsure").out
    assert offered.startswith("Offered again")


def test_a_search_says_how_many_more_fit(ash: Ash) -> None:
    """The larger limit that it names shows them all."""
    for name in ("red", "blue", "green"):
        add(ash, f"The {name} kayak is in the boathouse")

    first = ash("memory", "search", "Where is the kayak?", "-n", "1").err
    whole = ash("memory", "search", "Where is the kayak?", "-n", "3")

    assert "1 memory found.\n2 more fit; -n 3 shows them.\n" in first
    assert "more fit;" not in whole.err
    assert "blue" in whole.out


def test_a_result_is_dated_by_when_it_was_so(ash: Ash, tmp_path: Path) -> None:
    """Notes of an import were written long before they were stored."""
    facts = tmp_path / "facts.json"
    facts.write_text('[{"content": "The kayak leaks", "observed_at": "2025-03-01T12:00:00Z"}]')
    ash("memory", "add", "--facts-json", str(facts))

    assert "2025-03-01" in ash("memory", "search", "Does the kayak leak?").out
    assert "2025-03-01" in ash("recall", "Does the kayak leak?").out


def test_a_recalled_memory_that_may_be_replaced_is_marked(ash: Ash) -> None:
    """As a search marks it."""
    add(ash, "The gate is red")
    add(ash, "The gate is blue")

    assert "perhaps replaced" in ash("memory", "search", "gate").out
    assert "perhaps replaced" in ash("recall", "gate").out


def test_the_word_of_another_has_its_speaker(ash: Ash, daemon: Any) -> None:
    """A member's words in a group and an assistant's words do not look like the asker's own."""
    me = ash.account.partition(":")[2]
    group = {"provider": "test", "chat_id": f"c-{me}", "chat_type": "group"}
    tim = {"user_id": f"t-{me}", "display_name": "Tim", "participants": [f"t-{me}", me]}
    daemon.call("memory.add", scope=group | tim, content="I am in Munich", shared=True)
    turn = {"user": "Is the ferry to Munich free?", "assistant": "The ferry to Munich is free"}
    daemon.call(
        "conversation.ingest",
        scope={"provider": "test", "user_id": me},
        conversation_id="1",
        turns=[turn],
    )

    for command in (("memory", "list"), ("memory", "search", "Munich"), ("recall", "Munich")):
        assert "Tim: I am in Munich" in ash(*command).out
    assert "assistant: The ferry to Munich is free" in ash("recall", "ferry Munich free").out


def test_a_search_without_a_sure_answer_points_to_conversations(ash: Ash) -> None:
    """A memory is not all that may answer."""
    add(ash, "The red kayak is in the boathouse")

    assert "recall` searches conversations" in ash("memory", "search", "zither").err
    assert "recall`" not in ash("memory", "search", "Where is the red kayak?").err


def test_a_list_goes_on_where_it_ended(ash: Ash) -> None:
    """The next page uses the cursor of the first."""
    for number in range(3):
        add(ash, f"fact number {number}")
    first = ash("memory", "list", "-n", "2")
    assert "2 of 3 memories." in first.err
    cursor = first.err.rsplit("--cursor ", 1)[1].strip()
    assert "fact number 0" in ash("memory", "list", "-n", "2", "--cursor", cursor).out


def test_the_line_for_the_next_page_can_be_pasted(ash: Ash) -> None:
    """The line is the command as typed, with the newest cursor and no other."""
    for number in range(3):
        add(ash, f"fact number {number} of 'them'", "--tag", "it's so")
    shown = ash("memory", "list", "-n", "1", "--tag", "it's so").err
    for number in (1, 0):
        again = shlex.split(shown.rpartition("More: ")[2])
        assert [*ash.options, "memory", "list"] == again[1 : len(ash.options) + 3]
        assert again.count("--cursor") == 1
        page = ash(*again[len(ash.options) + 1 :])
        assert f"fact number {number}" in page.out
        shown = page.err


@pytest.mark.parametrize(
    "command",
    [
        ("memory", "list"),
        ("audit", "-n", "20"),
        ("person", "list"),
        ("grant", "list"),
        ("memory", "search", "x"),
    ],
    ids=" ".join,
)
def test_a_list_fits_a_narrow_terminal(ash: Ash, command: tuple[str, ...]) -> None:
    """Names, times and rights are wrapped; ids stay whole."""
    grant = ash("grant", "create", "--rights", "read,write,forget", "--json").json["grant_id"]
    wife = ash("person", "resolve", "my sister-in-law Maximiliana Featherstone", "--json").json
    memory = add(ash, "The x of the long sentence that is far wider than sixty columns are")

    out = replace(ash, columns=60)(*command).out

    assert max(len(line) for line in out.splitlines()) <= 60
    named = {"memory": memory["id"][:8], "person": wife["person_id"][:8], "grant": grant}
    assert named.get(command[0], "memory.add") in out


def test_nothing_found_is_no_error(ash: Ash) -> None:
    """Standard output is empty; standard error has a remark."""
    done = ash("memory", "search", "quantum chromodynamics")
    assert done.out == ""
    assert "Nothing relevant found." in done.err


@pytest.mark.parametrize(
    ("arguments", "status", "kind"),
    [
        (["show", "00000000-0000-4000-8000-000000000000"], 3, "not_found"),
        (["show", "0"], 2, "invalid_params"),
        (["add", " "], 2, "invalid_params"),
        (["add"], 2, "invalid_params"),
        (["add", "x", "--expires", "yesterday"], 2, "invalid_params"),
        (["add", "my key is sk-ant-" + "a1B2" * 24], 8, "content_refused"),
        (["add", "x", "--file", "y"], 2, "invalid_params"),
        (["update", "abcdef"], 2, "invalid_params"),
        (["list", "--limit", "many"], 2, "invalid_params"),
        (["lst"], 2, "invalid_params"),
    ],
)
def test_an_error_has_its_kind_and_exit_status(
    ash: Ash, arguments: list[str], status: int, kind: str
) -> None:
    """An error is two lines, or a document with --json; standard output is empty."""
    done = ash("memory", *arguments, fails=status)
    assert done.out == ""
    assert done.err.startswith("ash: ")
    assert len(done.err.splitlines()) == 2

    done = ash("memory", *arguments, "--json", fails=status)
    assert done.out == ""
    assert done.error["data"]["kind"] == kind
    assert done.error["data"]["hint"]


def test_the_memories_of_others_are_theirs(ash: Ash) -> None:
    """--as speaks for an account, --all-scopes sees everybody's."""
    add(ash, "mine is tea")
    theirs = ("--as", "telegram:of another")
    ash(*theirs, "memory", "add", "theirs is coffee")

    assert "theirs" not in ash("memory", "list").out
    assert "mine" not in ash(*theirs, "memory", "list").out
    both = ash("--all-scopes", "memory", "list").out
    assert "mine" in both
    assert "telegram:of another" in both


def test_a_group_has_memories_of_its_own(ash: Ash) -> None:
    """--chat names it; what is shared there belongs to all."""
    group = ("--chat", f"chat of {ash.account}")
    ash(*group, "memory", "add", "the launch is on Friday", "--shared")

    assert f"group chat of {ash.account}" in ash(*group, "memory", "show", _first(ash, *group)).out
    outside = ash("memory", "add", "x", "--shared", "--json", fails=2)
    assert outside.error["data"]["kind"] == "invalid_params"


def test_what_was_stored_cannot_steer_the_terminal(ash: Ash) -> None:
    """Escape sequences in a memory are not printed, even on a coloured terminal."""
    add(ash, "tea \x1b]0;owned\x07\x1b[2J\u202eand\u200b milk")
    for command in (["list"], ["search", "tea"], ["show", _first(ash)]):
        assert not set(ash("memory", *command).out) & set("\x1b\x07\u202e\u200b")


def test_a_retry_with_its_key_stores_once(ash: Ash) -> None:
    """The second answer is the first one's."""
    first = add(ash, "tea", "--key", "k")
    assert add(ash, "tea", "--key", "k")["id"] == first["id"]
    assert ash("memory", "list", "--json").json["total"] == 1


def _first(ash: Ash, *options: str) -> str:
    return ash(*options, "memory", "list", "--json").json["memories"][0]["id"]


def test_a_memory_is_shown_with_its_history_and_readers(ash: Ash) -> None:
    """Either end of the chain shows it; changed words are marked without colour too."""
    old = add(ash, "I live in Köln, near the river")
    ash("memory", "update", old["id"], "I live in Łódź, near the river")

    shown = ash("memory", "show", old["id"][:8])

    assert "I live in -[Köln]- +[Łódź]+, near the river" in shown.out
    assert "replaced: it was edited" in shown.out
    assert "owns it, said it): in private" in shown.out
    keys = ash("memory", "show", old["id"], "--json").json.keys()
    assert keys == {"memory", "people", "explained", "chain", "events"}


def test_an_explained_context_names_what_it_left_out(ash: Ash) -> None:
    """Each line has its tokens and the reason why it is in or out."""
    add(ash, "The kayak is in the boathouse")

    shown = ash("context", "--explain", "--max-tokens", "70", "Where is the kayak?")

    assert "found for the message" in shown.out
    assert "always there" in shown.out


def test_a_dry_clean_up_says_what_it_would_do(ash: Ash) -> None:
    """Nothing was archived yet, and nothing was removed."""
    add(ash, "My favourite colour is red")
    add(ash, "My favourite colour is blue")

    done = ash("memory", "gc", "--dry-run")

    assert re.search(r"^Would archive: .*superseded \d", done.out, re.MULTILINE)
    assert "Would remove " in done.err
    assert "Archived" not in done.out
