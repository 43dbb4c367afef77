"""A database of an earlier version is brought forward with what it holds."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from encrypted import needs_plain_pages
from services import FixedClock

from ashd.clock import FOREVER
from ashd.language.fingerprint import digest
from ashd.language.folding import fold_entity
from ashd.language.ngrams import index_grams
from ashd.store import checksums, embeddings, jobs, memories, migrations
from ashd.store.connection import connect
from ashd.store.database import Database
from ashd.store.embeddings import EmbeddingSet
from ashd.store.visibility import EVERY_PROJECT, Viewer

pytestmark = pytest.mark.sqlite_file


def _database_of(path: Path, schema: int) -> apsw.Connection:
    """An empty database of an earlier schema."""
    writer = connect(path, read_only=False)
    writer.create_scalar_function("text_digest", digest)
    writer.create_scalar_function("folded", fold_entity)
    for number, sql in migrations.schema_files():
        if number <= schema:
            writer.execute(sql).fetchall()
    writer.pragma("user_version", schema)
    writer.pragma("application_id", migrations.APPLICATION_ID)
    return writer


async def test_vectors_of_a_table_a_set_are_in_one_table(tmp_path: Path) -> None:
    """Vectors are in the order of passages, without archived memories; vec0 tables are gone."""
    writer = _database_of(tmp_path / "a.db", 8)
    writer.execute(
        "insert into chats (id, provider, chat_id, chat_type, created_at)"
        " values (7, 'p', 'c', 'private', 0)"
    )
    for memory in (1, 2):
        writer.execute(
            "insert into memories (id, uuid, version, revision, content, content_key, memory_type,"
            " created_at, said_at, source, portable, ends_at, tags, superseded_until, access_count,"
            " archived_at) values (?1, ?1, 1, 1, 'x', 'x', 'knowledge', 0, 0, 'rpc', 1, 9, '[]', 0,"
            " 0, ?2)",
            (memory, None if memory == 1 else 5),
        )
    for passage, (kind, item) in enumerate([(0, 1), (0, 2), (1, 1), (1, 2)], start=1):
        writer.execute(
            "insert into passages (id, kind, item, ordinal, chat, hash, dated, asking, ends_asking,"
            " words) values (?1, ?2, ?3, 0, 7, cast(?1 as blob), 0, 0, 0, 1)",
            (passage, kind, item),
        )
    for number, state in enumerate(("active", "building"), start=1):
        writer.execute(
            "insert into embedding_sets values (?1, 'model ' || ?1, 8, ?2, 0)", (number, state)
        )
        writer.execute(
            f"create virtual table passage_vec_{number} using vec0 (scope integer partition key,"
            " embedding float[8] distance_metric=cosine, chunk_size=64)"
        )
    for number, passage in ((1, 1), (1, 2), (1, 3), (2, 3)):
        writer.execute(
            f"insert into passage_vec_{number} (rowid, scope, embedding) values (?, 1, ?)",
            (passage, bytes(32)),
        )
        writer.execute(
            "insert into embeddings (embedding_set, hash, pooled) values (?, cast(? as blob), ?)",
            (number, passage, bytes(32)),
        )
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    rows = await db.read(
        lambda tx: tx.all(
            "select embedding_set, scope, passage from passage_vectors"
            " order by embedding_set, passage"
        )
    )
    tables = await db.read(
        lambda tx: tx.all("select name from sqlite_schema where name glob 'passage_vec_[0-9]*'")
    )
    made = await db.read(lambda tx: embeddings.set_in(tx, "building"))
    db.close()

    assert [(1, 14, 1), (1, 15, 3), (2, 15, 3)] == rows
    assert [] == tables
    assert EmbeddingSet(2, "model 2", 8) == made


async def test_users_who_shared_a_private_chat_have_one_each(tmp_path: Path) -> None:
    """Messages and answers go to whoever spoke, with their passages; others' chats stay theirs."""
    writer = _database_of(tmp_path / "a.db", 11)
    for number in (1, 2):
        writer.execute(
            "insert into people (id, uuid, name, named, named_at, created_at, updated_at,"
            " active_at) values (?1, ?1, 'p', 0, 0, 0, 0, 0)",
            (number,),
        )
        writer.execute(
            "insert into accounts (id, provider, user_id, person, own_person, created_at,"
            " updated_at) values (?1, 'p', ?1, ?1, ?1, 0, 0)",
            (number,),
        )
    writer.execute(
        "insert into chats (id, provider, chat_id, user_id, chat_type, created_at) values"
        " (7, 'p', 'main', null, 'private', 0), (8, 'p', null, '2', 'private', 0),"
        " (9, 'p', 'g', null, 'group', 0)"
    )
    writer.execute(
        "insert into conversations (id, uuid, external_id, chat, learned_type, owner, created_at,"
        " updated_at) values (5, 'c', 'default', 7, 'private', 1, 0, 0)"
    )
    for position, account in enumerate([1, None, 2, None, 1]):
        writer.execute(
            "insert into messages (id, uuid, conversation, position, role, account, content,"
            " said_at, token_count, created_at) values (?1, ?1, 5, ?1, 'user', ?2, 'x', 0, 1, 0)",
            (position, account),
        )
        writer.execute(
            "insert into passages (id, kind, item, ordinal, chat, hash, dated, asking, ends_asking,"
            " words) values (?1, 1, ?2, 0, 7, cast(?1 as blob), 0, 0, 0, 1)",
            (position + 1, position),
        )
        writer.execute(
            "insert into passage_fts (rowid, scope, body) values (?, 'p15', 'x')", (position + 1,)
        )
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    said = await db.read(
        lambda tx: tx.all(
            "select t.id, t.position, h.account, c.owner, h.chat_id, p.chat = h.id,"
            " f.scope = 'p' || (p.chat * 2 + 1)"
            " from messages t join conversations c on c.id = t.conversation"
            " join chats h on h.id = c.chat join passages p on p.item = t.id"
            " join passage_fts f on f.rowid = p.id order by t.id"
        )
    )
    owners = await db.read(lambda tx: tx.all("select id, account from chats where id > 7"))
    db.close()

    expected = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 1)]
    assert said == [
        (number, position, whose, whose, "main", 1, 1)
        for number, (position, whose) in enumerate(expected)
    ]
    assert [(8, 2), (9, None), (10, 2)] == owners


async def test_what_a_guess_replaced_is_active_again(tmp_path: Path) -> None:
    """It waits for its vectors, linked to what replaced it; what an act replaced stays replaced."""
    writer = _database_of(tmp_path / "a.db", 31)
    writer.execute("insert into embedding_sets values (1, 'model', 8, 'active', 0)")
    guesses = ("meaning", "own_word", "lasts")
    acts = ("confirmed", "supersedes", "update", "language_model")
    # A chain of each reason: n, replaced by n + 1 for the reason, which somebody replaced by n + 2.
    firsts = dict(zip(range(10, 80, 10), (*guesses, *acts), strict=True))
    for first, reason in firsts.items():
        for number in range(first, first + 3):
            _insert_memory(writer, number, archived=number == first)
        _supersede(writer, first, first + 1, reason)
        _supersede(writer, first + 1, first + 2, "update")
    _insert_memory(writer, 80, archived=False, content="same words")
    _insert_memory(writer, 81, archived=False, content="same words")
    _supersede(writer, 80, 81, "meaning")
    # A person decided last, and a person deleted what was replaced.
    _insert_memory(writer, 90, archived=False)
    _insert_memory(writer, 91, archived=False)
    _supersede(writer, 90, 91, "meaning")
    _supersede(writer, 90, 91, "confirmed")
    _insert_memory(writer, 92, archived=False)
    _supersede(writer, 92, 91, "meaning")
    writer.execute(
        "update memories set archived_at = 5, archive_reason = 'user_deleted' where id = 92"
    )
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    active = await db.read(
        lambda tx: tx.all(
            "select id from memories where superseded_until = 0 and superseded_by is null"
            " and superseded_at is null and archived_at is null and archive_reason is null"
            " order by id"
        )
    )
    links = await db.read(
        lambda tx: tx.all("select newer, older, kind, likelihood from memory_links")
    )
    waiting = await db.read(lambda tx: tx.all("select passage from embedding_queue"))
    to_judge = await db.read(
        lambda tx: {row[0] for row in tx.all("select * from memories_to_judge")}
    )
    events = await db.read(
        lambda tx: tx.all("select memory, event from memory_events where reason = 'upgrade'")
    )
    db.close()

    released = [first for first, reason in firsts.items() if reason in guesses]
    assert sorted([*released, *(first + 2 for first in firsts), 81, 91]) == [
        row[0] for row in active
    ]
    assert sorted(
        (newer, first, "may_replace", None)
        for first in released
        for newer in (first + 1, first + 2)
    ) == sorted(links)
    assert sorted(released) == sorted(row[0] for row in waiting)
    assert set(released) <= to_judge
    assert {(first, "may_be_replaced") for first in released} == set(events)


def _insert_memory(
    writer: apsw.Connection, number: int, *, archived: bool, content: str = ""
) -> None:
    """A memory with its passage; one archived as replaced has no vector any more."""
    writer.execute(
        "insert into memories (id, uuid, version, revision, content, content_key, memory_type,"
        " created_at, said_at, source, portable, ends_at, tags, superseded_until, access_count,"
        " archived_at, archive_reason)"
        " values (?1, ?1, 1, 1, ?2, ?2, 'knowledge', 0, 0, 'rpc', 1, ?3, '[]', 0, 0, ?4, ?5)",
        (
            *(number, content or f"words {number}", FOREVER),
            *((5, "superseded") if archived else (None, None)),
        ),
    )
    writer.execute(
        "insert into passages (id, kind, item, ordinal, chat, hash, dated, asking, ends_asking,"
        " words) values (?1, 0, ?1, 0, 7, cast(?1 as blob), 0, 0, 0, 1)",
        (number,),
    )
    if not archived:
        writer.execute(
            "insert into passage_vectors (embedding_set, scope, passage) values (1, 14, ?)",
            (number,),
        )


def _supersede(writer: apsw.Connection, older: int, newer: int, reason: str) -> None:
    """Replace a memory by another for a reason."""
    writer.execute(
        "update memories set superseded_at = 5, superseded_by = ?, superseded_until = ?"
        " where id = ?",
        (newer, FOREVER, older),
    )
    writer.execute(
        "insert into memory_events (memory, at, event, reason) values (?, 5, 'superseded', ?)",
        (older, reason),
    )


@pytest.mark.parametrize("project", [None, "example.org/team/shop", EVERY_PROJECT])
async def test_memories_from_before_projects_are_read_in_each(
    tmp_path: Path, project: str | None
) -> None:
    """Nothing of a home without projects belongs to one."""
    writer = _database_of(tmp_path / "a.db", 31)
    columns = {
        "people": "id, uuid, name, named, named_at, created_at, updated_at, active_at",
        "accounts": "id, provider, user_id, person, own_person, created_at, updated_at",
        "chats": "id, provider, user_id, chat_type, account, created_at",
        "memories": "id, uuid, version, revision, content, content_key, memory_type, created_at,"
        " said_at, owner, learned_in, learned_type, source, portable, ends_at, tags,"
        " superseded_until, access_count",
    }
    of_memory = "1, 'm', 1, 1, 'x', 'x', 'knowledge', 0, 0, 1, 7, 'private', 'rpc', 1"
    values = {
        "people": "1, 'p', 'Ana', 1, 0, 0, 0, 0",
        "accounts": "1, 'p', 'u', 1, 1, 0, 0",
        "chats": "7, 'p', 'u', 'private', 1, 0",
        "memories": f"{of_memory}, {FOREVER}, '[]', 0, 0",
    }
    for table, names in columns.items():
        writer.execute(f"insert into {table} ({names}) values ({values[table]})")
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    viewer = Viewer(
        False, 1, (1,), (1,), 7, False, (1,), (1,), audience_known=True, project=project
    )
    found = await db.read(lambda tx: memories.by_ids(tx, viewer, [1]))
    db.close()

    assert [(one.content, one.project) for one in found.values()] == [("x", None)]


async def test_a_waiting_judgement_of_one_memory_is_one_of_several(tmp_path: Path) -> None:
    """A job that was queued before memories shared one is run after the upgrade."""
    writer = _database_of(tmp_path / "a.db", 31)
    for kind, payload in (("judge_conflicts", '{"memory": 7}'), ("summarise", '{"memory": 7}')):
        writer.execute(
            "insert into jobs (uuid, kind, key, owner, state, payload, not_before, attempts,"
            " failures, interruptions, tokens, created_at)"
            " values (?1, ?1, ?1, 'o', 'due', ?2, 0, 0, 0, 0, 0, 0)",
            (kind, payload),
        )
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    waiting = await db.read(lambda tx: jobs.newest(tx, jobs.Filter(), 9))
    db.close()

    assert {"judge_conflicts": {"memories": [7]}, "summarise": {"memory": 7}} == {
        job.kind: job.payload for job in waiting
    }


async def test_words_of_an_earlier_index_are_found_in_plain_letters(tmp_path: Path) -> None:
    """Texts with letters that the index does not fold have their grams anew, others as before."""
    writer = _database_of(tmp_path / "a.db", 39)
    texts = ["Die Straße ist gesperrt.", "The café is open."]
    for text in texts:
        writer.execute(
            "insert into passage_fts (scope, body, names, dates, grams)"
            " values ('a', ?, '', '', 'as it was')",
            (text,),
        )
    writer.close()

    db = Database.open(tmp_path / "a.db", FixedClock())
    rows = await db.read(lambda tx: tx.all("select body, grams from passage_fts order by rowid"))
    found = await db.read(
        lambda tx: tx.all("select body from passage_fts where passage_fts match 'strasse'")
    )
    db.close()

    assert rows == [(texts[0], index_grams(texts[0])), (texts[1], "as it was")]
    assert found == [(texts[0],)]


async def test_an_upgrade_that_fails_is_made_whole_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own error ends the start, and the database is as it was before."""
    _database_of(tmp_path / "a.db", 39).close()
    released = migrations.schema_files()
    newest, _ = released[-1]
    ends_badly = (newest + 1, "create table half (x integer);\nselect folded('x')")

    def fails(_text: str) -> str:
        raise InterruptedError("in the midst of it")

    with monkeypatch.context() as broken:
        broken.setattr(migrations, "schema_files", lambda: [*released, ends_badly])
        broken.setattr(migrations, "_folded", fails)
        with pytest.raises(InterruptedError):
            Database.open(tmp_path / "a.db", FixedClock())
    before = connect(tmp_path / "a.db", read_only=True)
    left = before.pragma("user_version")
    before.close()
    db = Database.open(tmp_path / "a.db", FixedClock())
    now = await db.read(lambda tx: tx.value("pragma user_version"))
    db.close()

    assert (left, now) == (39, newest)


@needs_plain_pages
def test_a_database_made_without_checksums_has_them_once_it_was_opened(tmp_path: Path) -> None:
    """Old releases made databases whose pages had none."""
    path = tmp_path / "a.db"
    _database_of(path, 8).close()
    with closing(connect(path, read_only=True)) as before:
        assert not checksums.has(before)

    Database.open(path, FixedClock()).close()

    with closing(connect(path, read_only=True)) as after:
        assert checksums.has(after)
