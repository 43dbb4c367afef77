"""An export contains everything, and its import restores it. Budget: 60 s."""

import codecs
import json
import random
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from rows import opened_tx
from scanning import contents

sys.path.insert(0, str(Path(__file__).parents[1] / "security"))

import changes

from ashd.clock import FOREVER
from ashd.ops.transfer import records
from ashd.ops.transfer.record_types import kind_of
from ashd.store import transfer_kinds
from ashd.store.connection import connect

Make = Callable[..., Daemon]
Record = dict[str, Any]
ALICE = {"provider": "test", "user_id": "alice", "display_name": "Alice"}
BOB = {"provider": "test", "user_id": "bob", "username": "bob"}
GROUP = {"provider": "test", "chat_id": "-100", "chat_type": "group"}
NOT_EXPORTED = {
    "meta": "the key of this database's audit",
    "audit": "what was done to this database",
    "usage": "what grants used of their quotas today",
    "replies": "answers that calls of the last day may ask for again",
    "idempotency": "answers that calls of the last day may ask for again",
    "copies": "files of this machine",
    "gateway_keys": "who may call this daemon's gateway",
    "jobs": "work of this daemon",
    "llm_usage": "what this daemon's language model used",
    "given_lines": "what this daemon put into prompts",
    "withdrawals": "acts of this daemon's operator; the memories come along, archived",
    "withdrawn_memories": "in which of those acts",
    "passages": "made from memories and messages",
    "embeddings": "made from passages",
    "embedding_sets": "made from passages",
    "embedding_queue": "made from passages",
    "passage_vectors": "made from passages",
    "memory_subjects": "in the record of the memory",
    "meant_subjects": "in the record of the memory",
    "joined_changes": "how to undo changes; a copy has the memories as they are",
    "memories_to_judge": "in the record of the memory",
}

MADE_AGAIN = {
    "accounts": set(),
    "people": {"active_at"},
    "person_aliases": {"key"},
    "person_merges": {"moved"},
    "memories": {"content_key", "first_person", "superseded_at"},
    "messages": {"token_count", "import_key"},
    "overrides": {"content_key"},
    "entities": {"key"},
    "entity_aliases": {"key"},
    "relations": {"source_key", "target_key"},
    "profile_versions": {"learned_until"},
    "grants": {"owner", "token_hash", "turn", "holder", "expired_at"},
}
"""Columns that are derived, looked up, or specific to one daemon."""


def read(path: str | Path) -> list[Record]:
    """The records of an export, without its first and last line."""
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert ("export", "end") == (lines[0]["kind"], lines[-1]["kind"])
    assert lines[-1]["records"] == len(lines) - 2
    return lines[1:-1]


def normal(found: list[Record]) -> Counter[str]:
    """Return the records without values that are specific to one file or one daemon."""
    names = {
        (one["kind"], one["number"]): _text({k: v for k, v in one.items() if k != "number"})
        for one in found
        if "number" in one
    }
    made = []
    for one in found:
        kept = {key: value for key, value in one.items() if key != "number"}
        if one["kind"] == "grant":
            kept["revoked_at"] = None  # an imported one is closed
        if one["kind"] == "merge":
            kept["aliases"] = [names["alias", number] for number in one["aliases"]]
            kept["added_alias"] = names.get(("alias", one["added_alias"]))
            for side in ("relationships", "relationships_to"):
                kept[side] = [names["relationship", number] for number in one[side]]
        made.append(_text(kept))
    return Counter(made)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def world(daemon: Daemon, seed: int) -> None:
    """Fill a daemon with everything there is, some of it at random."""
    for step in changes.steps(daemon.call, ALICE):
        daemon.call(step.method, **{"scope": ALICE, **step.params})
    chance = random.Random(seed)
    words = [
        "tea",
        "window",
        "bicycle",
        "harbour",
        "violin",
        "garden",
        "Lisbon",
        "clock",
        "Orion",
        "bakery",
    ]
    names = ["Anna Berg", "Tom", "my sister Jana", "Zora"]
    scopes = [ALICE, BOB, {**ALICE, **GROUP, "participants": ["alice", "bob"]}, {**BOB, **GROUP}]
    for content in (
        *("I go swimming on Mondays", "On Mondays I go swimming", "I swim on Mondays"),
        *("My dentist is Dr. Gomez", "My dentist is Dr. Lee now"),
    ):
        daemon.call("memory.add", scope=BOB, content=content)
    known: list[tuple[Record, str]] = []
    for number in range(40):
        scope = chance.choice(scopes)
        content = f"The {' '.join(chance.sample(words, 4))} of number {number} is ready"
        fact: Record = {"content": content, "subjects": chance.sample(names, chance.randint(0, 2))}
        if chance.random() < 0.3:
            fact |= {"type": chance.choice(["preference", "decision", "skill", "event"])}
        if chance.random() < 0.3:
            fact |= {"sensitivity": "personal", "portable": False, "tags": ["a tag", "zwölf"]}
        if chance.random() < 0.3:
            fact |= {"observed_at": "2026-01-02T03:04:05.678901Z", "valid_from": "2026-01-01"}
        if chance.random() < 0.2:
            fact |= {"expires_in_days": 400, "metadata": {"n": number, "deep": {"list": [1, "x"]}}}
        if chance.random() < 0.3 and "chat_id" in scope:
            fact |= {"shared": True}
        entry = daemon.call("memory.add", scope=scope, **fact)["memories"][0]
        known.append((scope, entry["memory"]["id"]))
    for _, memory in chance.sample(known, 6):
        changed = {"content": f"Changed: {memory[:8]} is another thing altogether"}
        daemon.call("memory.update", all_scopes=True, scope=ALICE, id=memory, changes=changed)
    for _, memory in chance.sample(known, 5):
        daemon.call("memory.delete", all_scopes=True, scope=ALICE, id=memory)
    messages = [
        {"role": chance.choice(["user", "assistant"]), "content": f"Line {n} of the talk"}
        | ({"at": f"2026-03-{n + 1:02}T10:00:00Z"} if chance.random() < 0.5 else {})
        | ({"external_id": f"m{n}"} if chance.random() < 0.5 else {})
        | ({"metadata": {"n": n, "files": ["a.pdf"]}} if chance.random() < 0.5 else {})
        for n in range(20)
    ]
    for scope in (ALICE, scopes[2]):
        daemon.call("conversation.ingest", scope=scope, conversation_id="talk", messages=messages)
    anna = daemon.call("person.resolve", scope=ALICE, reference="Anna Berg")["person_id"]
    other = daemon.call("person.resolve", scope=ALICE, reference="Anne Bergmann")["person_id"]
    daemon.call("person.relate", scope=ALICE, id=other, relationship="colleague")
    daemon.call("person.merge", scope=ALICE, id=other, into=anna)
    daemon.call("memory.list", scope={**BOB, **GROUP, "participants": ["bob"]})
    daemon.stop()
    now = time.time_ns() // 1000
    with opened_tx(daemon.home) as tx:
        tx.run(
            "insert into summaries (uuid, conversation, first_position, last_position, messages,"
            " said_from, said_until, overall, topics, decisions, key_dates, action_items,"
            " created_at, ends_at) select '5f0c8f6e-0000-4000-8000-00000000000' || c.id, c.id, 0,"
            " 19, 20, 5, 6, 'They spoke of lines.', '[\"lines\"]', '[]',"
            ' \'[{"date":"2026-05-04","what":"a walk"}]\', \'[]\', ?, ?'
            " from conversations c where c.external_id = 'talk'",
            *(now, FOREVER),
        )
        tx.run(
            "insert into profile_statements (account, statement, confidence, message, created_at)"
            " select a.id, 'Likes the sea', 0.8, (select max(id) from messages), ?"
            " from accounts a where a.user_id in ('alice', 'bob')",
            now,
        )
        tx.run(
            "update profile_versions set learned = 'Likes the sea', learned_until ="
            " (select max(id) from profile_statements s where s.account = profile_versions.owner)"
        )
    daemon.start()


@pytest.fixture(scope="module")
def filled() -> Iterator[Daemon]:
    """A daemon with a world in it, which no test changes."""
    daemon = Daemon().start()
    try:
        world(daemon, 7)
        yield daemon
        assert daemon.unexpected() == []
    finally:
        daemon.remove()


@pytest.mark.sqlite_file
def test_every_table_is_exported_or_made_again(filled: Daemon) -> None:
    """A new table must be added to the export, or to NOT_EXPORTED with a reason."""
    connection = connect(filled.home / "data" / "ash.db", read_only=True)
    tables = {
        row[0]
        for row in connection.execute(
            "select name from pragma_table_list where schema = 'main' and type = 'table'"
            " and name not like 'sqlite_%'"
        )
    }
    exported = {kind.table for kind in transfer_kinds.KINDS.values()}
    for table in exported:
        columns = {row[1] for row in connection.execute(f"pragma table_info({table})")} - {"id"}
        known = {"id"} | MADE_AGAIN.get(table, set())
        for kind in transfer_kinds.KINDS.values():
            if kind.table == table:
                known |= {kind.column(field) for field in (*kind.columns, *kind.refs)}
        assert columns <= known, table

    connection.close()
    assert tables == exported | NOT_EXPORTED.keys()
    assert exported.isdisjoint(NOT_EXPORTED)
    assert list(transfer_kinds.KINDS) == [kind_of(record) for record in records.IN_ORDER]


def test_an_export_is_imported_whole(filled: Daemon, new_daemon: Make, tmp_path: Path) -> None:
    """Every record is there, with ids, times and people; a repetition adds nothing."""
    first, second, third = (tmp_path / f"{n}.jsonl" for n in range(3))
    told = filled.call("db.export", path=str(first))
    other = new_daemon().start()

    dry = other.call("db.import", path=str(first), dry_run=True)
    assert 0 == other.call("db.stats")["counts"]["memories"]
    done = other.call("db.import", path=str(first))
    other.call("db.export", path=str(second))
    again = other.call("db.import", path=str(first))
    other.call("db.export", path=str(third))

    found = read(first)
    assert {one["kind"] for one in found} == set(transfer_kinds.KINDS)
    assert told["rows"] == len(found) == done["imported"]
    assert (dry["imported"], dry["refused"]) == (done["imported"], [])
    assert [] == done["refused"]
    assert normal(found) == normal(read(second))
    assert (0, len(found)) == (again["imported"], again["duplicates"])
    assert normal(found) == normal(read(third))
    assert 0o600 == first.stat().st_mode & 0o777


def test_imported_records_are_used_as_before(
    filled: Daemon, new_daemon: Make, tmp_path: Path
) -> None:
    """Imported records are found, merges can be split, deleted memories restored."""
    file = str(tmp_path / "all.jsonl")
    filled.call("db.export", path=file)
    other = new_daemon().start()
    other.call("db.import", path=file)

    for scope in (ALICE, BOB, {**ALICE, **GROUP}):
        calls: list[tuple[str, Record]] = [
            ("memory.list", {"limit": 100, "include_superseded": True, "include_archived": True}),
            ("person.list", {"limit": 100}),
            ("override.list", {}),
            ("graph.search", {"name": "Orion"}),
            ("conversation.list", {}),
        ]
        for method, params in calls:
            before = filled.call(method, scope=scope, **params)
            after = other.call(method, scope=scope, **params)
            if method == "memory.list":
                for listed in (before, after):
                    for memory in listed["memories"]:
                        memory["last_accessed_at"] = memory["access_count"] = None
            assert before == after, method
    found = other.call("memory.search", scope=ALICE, query="harbour", mode="lexical", min_score=0)
    assert found["results"]
    talk = other.call("conversation.search", scope=ALICE, query="Line 3 of the talk")
    assert talk["results"]
    people = other.call("person.list", scope=ALICE, limit=100)["people"]
    (anna,) = [one for one in people if one["name"] == "Anna Berg"]
    split = other.call("person.split", scope=ALICE, id=anna["id"])
    assert "Anne Bergmann" in json.dumps(split)


def test_a_scope_exports_what_it_sees(filled: Daemon, new_daemon: Make, tmp_path: Path) -> None:
    """The same memories, messages and people as its reads show; and no account but its own."""
    for number, scope in enumerate((ALICE, BOB, {**ALICE, **GROUP}, {**BOB, **GROUP})):
        file = tmp_path / f"{number}.jsonl"
        filled.call("db.export", scope=scope, path=str(file))
        found = read(file)
        listed = filled.call(
            "memory.list",
            scope=scope,
            limit=100,
            include_superseded=True,
            include_archived=True,
            include_expired=True,
        )
        people = filled.call("person.list", scope=scope, limit=100)["people"]

        memories = {one["id"] for one in found if one["kind"] == "memory"}
        assert {memory["id"] for memory in listed["memories"]} == memories
        assert {one["id"] for one in people} <= {o["id"] for o in found if o["kind"] == "person"}
        accounts = {one["user_id"] for one in found if one["kind"] == "account"}
        assert accounts <= ({scope["user_id"]} if "chat_id" not in scope else {"alice", "bob"})
        assert not {"grant", "merge", "rejected_reference"} & {one["kind"] for one in found}
        other = new_daemon().start()
        assert [] == other.call("db.import", path=str(file))["refused"]


def test_a_bad_record_is_reported_and_the_rest_goes_on(
    filled: Daemon, new_daemon: Make, tmp_path: Path
) -> None:
    """The report has the line and the reason but no content; secrets are bad records."""
    file = tmp_path / "all.jsonl"
    filled.call("db.export", path=str(file))
    lines = file.read_text().splitlines()
    places = {
        kind: next(n for n, line in enumerate(lines) if f'"kind":"{kind}"' in line)
        for kind in ("memory", "message", "override", "alias", "grant")
    }
    lines[places["memory"]] = lines[places["memory"]].replace(
        '"content":"', '"content":"My password is hunter2-Xy77, '
    )
    lines[places["message"]] = lines[places["message"]].replace('"position":', '"place":')
    lines[places["override"]] = "{ this is no JSON"
    lines[places["alias"]] = json.dumps({"kind": "photo", "name": "beach"})
    lines[places["grant"]] = '"' + "x" * 5_000_000 + '"'
    file.write_text("\n".join(lines) + "\n")
    other = new_daemon().start()

    dry = other.call("db.import", path=str(file), dry_run=True)
    done = other.call("db.import", path=str(file))

    kinds = {one["line"]: one["error"]["kind"] for one in done["refused"]}
    assert "content_refused" == kinds[places["memory"] + 1]
    assert "invalid_params" == kinds[places["message"] + 1]
    assert "parse_error" == kinds[places["override"] + 1]
    assert "invalid_params" == kinds[places["alias"] + 1]
    assert "too_large" == kinds[places["grant"] + 1]
    assert "hunter2" not in json.dumps(done)
    assert done["refused"] == dry["refused"]
    assert not any(b"hunter2" in text for text in contents(other.home / "data"))
    # A record that refers to a refused one is refused with the reason; no other is.
    assert done["imported"] + done["refused_count"] == len(lines) - 2


def test_a_record_that_no_database_can_hold_is_refused_alone(
    filled: Daemon, new_daemon: Make, tmp_path: Path
) -> None:
    """A file may come from anybody: numbers beyond 64 bits, chats and facts of nobody."""
    file = tmp_path / "all.jsonl"
    filled.call("db.export", path=str(file))
    lines = file.read_text().splitlines()
    first = {record["kind"]: record for record in read(file)[::-1]}
    odd = [
        {**first["memory"], "id": str(uuid.uuid4()), "revision": 2**63},
        {**first["message"], "id": str(uuid.uuid4()), "position": 2**63, "external_id": "odd"},
        {**first["alias"], "number": 10**9, "value": "Oddity", "unsure": 2**64},
        {**first["conversation"], "id": str(uuid.uuid4()), "summarised_until": 10**30},
        {**first["chat"], "chat_id": None, "user_id": None},
        {**first["chat"], "chat_id": "odd", "user_id": "alice"},
        {**first["chat"], "chat_id": None, "user_id": "alice", "chat_type": "group"},
        {**first["override"], "id": str(uuid.uuid4()), "owner": None, "chat": None},
    ]
    lines[-1:-1] = [json.dumps(record) for record in odd]
    file.write_text("\n".join(lines) + "\n")

    done = new_daemon().start().call("db.import", path=str(file))

    assert {"invalid_params"} == {one["error"]["kind"] for one in done["refused"]}
    begin = len(lines) - len(odd)
    assert [*range(begin, begin + len(odd))] == [one["line"] for one in done["refused"]]


def test_a_cut_file_says_so(filled: Daemon, new_daemon: Make, tmp_path: Path) -> None:
    """The intact part of the file is imported; the whole file adds the rest."""
    whole, cut = tmp_path / "all.jsonl", tmp_path / "cut.jsonl"
    filled.call("db.export", path=str(whole))
    text = whole.read_bytes()
    cut.write_bytes(text[: len(text) // 2])
    saved = tmp_path / "saved.jsonl"  # by an editor, with its own line ends
    saved.write_bytes(codecs.BOM_UTF8 + text.replace(b"\n", b"\r\n"))
    other = new_daemon().start()

    half = other.call("db.import", path=str(cut))
    rest = other.call("db.import", path=str(saved))
    file = tmp_path / "again.jsonl"
    other.call("db.export", path=str(file))

    assert any("ends before" in one["error"]["message"] for one in half["refused"])
    assert half["imported"] == rest["duplicates"] > 0
    assert normal(read(whole)) == normal(read(file))


def test_a_killed_import_goes_on(filled: Daemon, new_daemon: Make, tmp_path: Path) -> None:
    """After a kill, repeating the import completes it."""
    whole, again = tmp_path / "all.jsonl", tmp_path / "again.jsonl"
    filled.call("db.export", path=str(whole))
    other = new_daemon().start()
    assert other.process is not None
    with other.client() as client:
        request = {"jsonrpc": "2.0", "id": 1, "method": "db.import", "params": {"path": str(whole)}}
        client.send(json.dumps(request).encode() + b"\n")
        while not other.call("db.stats")["counts"]["memories"]:
            pass
        other.kill()

    other.start()
    before = other.call("db.stats")["counts"]["memories"]
    done = other.call("db.import", path=str(whole))
    other.call("db.export", path=str(again))

    assert before > 0
    assert [] == done["refused"]
    assert normal(read(whole)) == normal(read(again))


def test_changes_made_since_the_export_stay(new_daemon: Make, tmp_path: Path) -> None:
    """An old export brings back neither an old text nor a supersession that was undone."""
    daemon, file = new_daemon().start(), tmp_path / "old.jsonl"
    tea = daemon.call("memory.add", scope=ALICE, content="I like tea")["memories"][0]["memory"]
    newer = daemon.call(
        "memory.add", scope=ALICE, content="I like coffee, not tea", supersedes=tea["id"]
    )["memories"][0]["memory"]
    daemon.call("db.export", path=str(file))
    daemon.call("memory.delete", scope=ALICE, id=newer["id"])
    before = daemon.call("memory.list", scope=ALICE)

    done = daemon.call("db.import", path=str(file))

    assert 0 == done["imported"]
    assert [tea["id"]] == [memory["id"] for memory in before["memories"]]
    after = daemon.call("memory.list", scope=ALICE)
    assert [tea["id"]] == [memory["id"] for memory in after["memories"]]


def test_an_account_that_is_known_keeps_its_person(
    filled: Daemon, new_daemon: Make, tmp_path: Path
) -> None:
    """Records about that account's person are imported for the existing person."""
    file = tmp_path / "all.jsonl"
    filled.call("db.export", path=str(file))
    other = new_daemon().start()
    me = other.call("person.resolve", scope=ALICE, reference="me")["person_id"]

    done = other.call("db.import", path=str(file))

    assert [] == done["refused"]
    assert me == other.call("person.resolve", scope=ALICE, reference="me")["person_id"]
    listed = other.call("memory.list", scope=ALICE, limit=100)
    assert listed["total"] == filled.call("memory.list", scope=ALICE, limit=100)["total"]


NEWER = '{"kind":"export","version":99,"exported_at":"2026-01-01T00:00:00Z"}\n'


@pytest.mark.parametrize("text", ["", "{}\n", NEWER, "notes\n"])
def test_another_file_is_refused(filled: Daemon, tmp_path: Path, text: str) -> None:
    """A file of another kind, or of a newer ashd, is refused as a whole."""
    file = tmp_path / "notes.txt"
    file.write_text(text)

    with pytest.raises(CallFailed, match="invalid_params"):
        filled.call("db.import", path=str(file), format="ash")
