"""An upgrade gives what was learned from turns the time and the label of its turn."""

from pathlib import Path
from typing import Any

import apsw
import pytest
from services import FixedClock

from ashd.store import migrations
from ashd.store.connection import connect
from ashd.store.database import Database

pytestmark = pytest.mark.sqlite_file

ANA, BEN, CY = 1, 2, 3
GROUP, PRIVATE = 7, 8
SAID, CY_JOINS, READ = 100, 200, 300
"""Ana says it while Ben listens; Cy joins; a model reads it."""
BEFORE = 31
"""The schema before the upgrade."""


class Old:
    """A database as the version before wrote it: what was learned has the time of reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer: apsw.Connection = connect(path, read_only=False)
        self.writer.create_scalar_function("text_digest", str, 1)
        for number, sql in migrations.schema_files():
            if number <= BEFORE:
                self.writer.execute(sql).fetchall()
        self.writer.pragma("user_version", BEFORE)
        self.writer.pragma("application_id", migrations.APPLICATION_ID)
        self.insert("chats", id=GROUP, provider="p", chat_id="g", chat_type="group", created_at=0)
        self.insert(
            *("chats",),
            id=PRIVATE,
            provider="p",
            user_id="u1",
            chat_type="private",
            created_at=0,
        )
        for number, name in ((ANA, "Ana Ruiz"), (BEN, "Ben"), (CY, "Cy")):
            self.insert(
                *("people",),
                uuid=f"p{number}",
                name=name,
                named=1,
                named_at=0,
                created_at=0,
                updated_at=0,
                active_at=0,
            )
            self.insert(
                *("accounts",),
                id=number,
                provider="p",
                user_id=f"u{number}",
                display_name=name,
                person=number,
                own_person=number,
                created_at=0,
                updated_at=0,
            )
            joined_at = CY_JOINS if number == CY else 0
            self.insert("participations", chat=GROUP, account=number, joined_at=joined_at)
        for number, kind, owner in ((GROUP, "group", None), (PRIVATE, "private", ANA)):
            self.insert(
                *("conversations",),
                id=number,
                uuid=f"c{number}",
                external_id="talk",
                chat=number,
                learned_type=kind,
                owner=owner,
                created_at=0,
                updated_at=0,
            )

    def insert(self, table: str, /, **values: Any) -> int:
        """Insert a row; return its number."""
        marks = ", ".join("?" * len(values))
        self.writer.execute(
            f"insert into {table} ({', '.join(values)}) values ({marks})", tuple(values.values())
        )
        return self.writer.last_insert_rowid()

    def turn(self, text: str, at: int, *, chat: int = GROUP, account: int = ANA) -> int:
        """Store a message."""
        [(position,)] = self.writer.execute("select count(*) from messages").fetchall()
        return self.insert(
            *("messages",),
            uuid=f"t{position}",
            conversation=chat,
            position=position,
            role="user",
            speaker="Ana Ruiz",
            account=account,
            content=text,
            said_at=at,
            token_count=1,
            created_at=at,
        )

    def learned(self, chat: int, at: int, label: str | None) -> dict[str, Any]:
        """The fields of a row that was learned from Ana's words."""
        return {
            "owner": ANA,
            "learned_in": chat,
            "learned_type": "group" if chat == GROUP else "private",
            "stated_by": ANA,
            "said_at": at,
            "sensitivity": label,
            "portable": 1,
            "created_at": at,
        }

    def relation(
        self, relation: str, target: str, *, at: int = READ, chat: int = GROUP, **fields: Any
    ) -> int:
        """Store a relation of Ana, and its ends, as they were read at a time."""
        row = self.learned(chat, at, fields.pop("label", "personal"))
        ends = []
        for kind, name in (("person", "Ana Ruiz"), ("concept", target)):
            [(count,)] = self.writer.execute("select count(*) from entities").fetchall()
            ends.append(
                self.insert(
                    "entities", uuid=f"e{count}", type=kind, name=name, key=name.lower(), **row
                )
            )
        [(count,)] = self.writer.execute("select count(*) from relations").fetchall()
        return self.insert(
            *("relations",),
            uuid=f"r{count}",
            source=ends[0],
            source_name="Ana Ruiz",
            source_key="ana ruiz",
            relation=relation,
            target=ends[1],
            target_name=target,
            target_key=target.lower(),
            confidence=1.0,
            asserted_at=at,
            **row,
            **fields,
        )

    def memory(self, said_at: int, label: str | None, person: int | None = None) -> None:
        """Store a memory that was learned from a turn and read with the rest."""
        [(count,)] = self.writer.execute("select count(*) from memories").fetchall()
        number = self.insert(
            *("memories",),
            uuid=f"m{count}",
            version=1,
            revision=1,
            content="x",
            content_key="x",
            memory_type="knowledge",
            source="background_extraction",
            ends_at=9,
            tags="[]",
            superseded_until=0,
            access_count=0,
            **(self.learned(GROUP, READ, label) | {"said_at": said_at}),
        )
        if person is not None:
            self.insert("memory_subjects", memory=number, person=person, position=0)

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Upgrade, and return what the database holds."""
        self.writer.close()
        db = Database.open(self.path, FixedClock())
        found = await db.read(lambda tx: tx.all(sql))
        db.close()
        return [tuple(row) for row in found]


@pytest.fixture
def old(tmp_path: Path) -> Old:
    return Old(tmp_path / "a.db")


RELATIONS = "select said_at, asserted_at, sensitivity from relations order by id"


async def test_a_relation_and_its_ends_get_the_time_of_their_turn(old: Old) -> None:
    """The turn names both ends, one of them by its speaker."""
    old.turn("I am treated for depression since March.", SAID)
    old.relation("is treated for", "depression")

    assert [(SAID, SAID, "personal", SAID, SAID)] == await old.rows(
        "select r.said_at, r.asserted_at, r.sensitivity, s.said_at, t.said_at from relations r"
        " join entities s on s.id = r.source join entities t on t.id = r.target"
    )


async def test_a_relation_gets_the_label_of_what_else_was_learned_from_its_turn(old: Old) -> None:
    """The fact of the turn is sensitive, so the relation is."""
    old.turn("I go to Lindenhof every week.", SAID)
    old.memory(SAID, "sensitive")
    old.relation("goes to", "Lindenhof", label=None)

    assert [(SAID, SAID, "sensitive")] == await old.rows(RELATIONS)


async def test_without_its_turn_a_relation_is_for_its_teller_alone(old: Old) -> None:
    """Nobody knows who heard it; what is public stays, and so does what was said in private."""
    old.relation("is treated for", "depression")
    old.relation("lives in", "Oslo", label=None)
    old.relation("is treated for", "depression", chat=PRIVATE)

    assert [
        (READ, READ, "sensitive"),
        (READ, READ, None),
        (READ, READ, "personal"),
    ] == await old.rows(RELATIONS)


async def test_turns_with_different_hearers_leave_it_to_its_teller(old: Old) -> None:
    """Either turn may state it, and Cy heard only one of them."""
    old.turn("I am treated for depression.", SAID)
    old.turn("I read about depression.", CY_JOINS + 1)
    old.relation("is treated for", "depression")

    assert [(CY_JOINS + 1, CY_JOINS + 1, "sensitive")] == await old.rows(RELATIONS)


async def test_a_later_turn_is_not_the_one(old: Old) -> None:
    """A turn that was stored after the relation did not state it."""
    old.turn("I am treated for depression.", SAID)
    old.relation("is treated for", "depression")
    old.turn("Depression again.", READ + 1)

    assert [(SAID, SAID, "personal")] == await old.rows(RELATIONS)


async def test_a_callers_own_statement_keeps_its_time(old: Old) -> None:
    """The audit has a row of the call at the same moment."""
    old.turn("I am treated for depression.", SAID)
    old.relation("is treated for", "depression")
    old.insert(
        *("audit",), at=READ, actor="operator", method="graph.relate", outcome="ok", digest=b""
    )

    assert [(READ, READ, "personal")] == await old.rows(RELATIONS)


async def test_a_relation_that_an_older_one_ended_holds_again(old: Old) -> None:
    """Oslo was said in 400 and read in 410; Porto, said in 50, was read in 500 and ended it."""
    old.turn("I live in Oslo", 400, chat=PRIVATE)
    old.turn("I live in Porto", 50, chat=PRIVATE)
    old.relation("lives in", "Oslo", at=410, chat=PRIVATE, label=None, valid_until=500)
    old.relation("lives in", "Porto", at=500, chat=PRIVATE, label=None)

    assert [("Oslo", 400, None), ("Porto", 50, 400)] == await old.rows(
        "select target_name, said_at, valid_until from relations order by id"
    )


async def test_names_and_claims_get_the_time_of_their_memory(old: Old) -> None:
    """A person that was learned with a memory; without a memory it is for its teller alone."""
    for with_memory in (True, False):
        person = old.insert(
            *("people",),
            uuid=f"v{with_memory}",
            name="Verena",
            named=1,
            created_by=ANA,
            learned_in=GROUP,
            sensitivity="personal",
            **dict.fromkeys(("named_at", "created_at", "updated_at", "active_at"), READ),
            said_at=READ,
        )
        told = {"person": person, "learned_in": GROUP, "sensitivity": "personal"}
        told |= {"created_at": READ, "said_at": READ}
        old.insert("person_aliases", value="Vera", key="vera", added_by=ANA, **told)
        old.insert(
            "person_relationships", relationship="doctor", to_person=ANA, stated_by=ANA, **told
        )
        if with_memory:
            old.memory(SAID, "personal", person)

    assert [(SAID, "personal")] * 3 + [(READ, "sensitive")] * 3 == await old.rows(
        "select said_at, sensitivity from (select id, said_at, sensitivity from people where id > 3"
        " union all select person, said_at, sensitivity from person_aliases"
        " union all select person, said_at, sensitivity from person_relationships) order by id"
    )


async def test_what_a_sandbox_handed_over_was_said_then(old: Old) -> None:
    """The job that read it ended in the transaction that stored it."""
    old.relation("is treated for", "depression")
    job = {"uuid": "j", "kind": "extract_facts", "key": "memory.extract/u1", "owner": "u1"}
    counts = dict.fromkeys(("not_before", "attempts", "failures", "interruptions", "tokens"), 0)
    old.insert("jobs", state="done", created_at=SAID, finished_at=READ, **job, **counts)

    assert [(SAID, SAID, "personal")] == await old.rows(RELATIONS)
