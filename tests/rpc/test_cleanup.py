"""Clean-up, compaction and caps over the daemon (A14, A15). Budget: 40 s."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import add, listed, refusal
from daemons import Daemon
from rows import opened
from scanning import left_in

MINE = {"provider": "test", "user_id": "ada"}
DAY = 86_400 * 1_000_000


@pytest.fixture
def home(new_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon of the test's own, without an embedder."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    return daemon.start()


def aged(daemon: Daemon, sql: str) -> None:
    """Change rows as if time had passed, while the daemon is stopped."""
    daemon.stop()
    with opened(daemon.home) as connection:
        for statement in sql.split("; "):
            connection.execute(statement)
    daemon.start()


def files(home: Path) -> dict[str, str]:
    """Every file of the database, by its digest."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (home / "data").iterdir()
        if path.is_file() and not path.name.endswith(("-shm", ".lock"))
    }


def state(daemon: Daemon) -> dict[str, str | None]:
    """Content to archive reason of every memory."""
    memories = daemon.call(
        "memory.list",
        scope=MINE,
        limit=100,
        include_archived=True,
        include_superseded=True,
        include_expired=True,
    )["memories"]
    return {memory["content"]: memory["archive_reason"] for memory in memories}


def test_clean_up_archives_what_is_over_and_says_why(home: Daemon) -> None:
    """Superseded, expired and faded; a dry run reports the same and changes no byte."""
    first = add(home, "The door is red", scope=MINE)
    home.call("memory.update", scope=MINE, id=first["id"], changes={"content": "It is blue"})
    expiring = add(home, "The code changes on Monday", scope=MINE, expires_in_days=5)
    add(home, "He is in a meeting", scope=MINE, type="observation")
    add(home, "He plays the cello", scope=MINE)
    aged(
        home,
        f"update memories set expires_at = expires_at - {6 * DAY} where expires_at is not null;"
        f" update memories set created_at = created_at - {6 * DAY}, ends_at = ends_at - {6 * DAY}"
        " where ends_at < 4611686018427387904",
    )
    expected = {"superseded": 1, "expired": 1, "ephemeral_decay": 1}

    home.call("db.stats")
    before = files(home.home)
    dry = home.call("db.gc", dry_run=True)
    assert files(home.home) == before
    done = home.call("db.gc")

    assert dry["archived"] == done["archived"] == expected
    assert dry["memories"] == done["memories"]
    assert {one["id"] for one in done["memories"]} >= {first["id"], expiring["id"]}
    assert state(home) == {
        "The door is red": "superseded",
        "It is blue": None,
        "The code changes on Monday": "expired",
        "He is in a meeting": "ephemeral_decay",
        "He plays the cello": None,
    }
    assert home.call("db.gc")["archived"] == {}


def test_an_archived_memory_comes_back_when_its_winner_is_deleted(home: Daemon) -> None:
    """Deleting the winner reactivates it, whether it was cleaned up or not (A12)."""
    first = add(home, "The door is red", scope=MINE)
    newer = home.call(
        "memory.update", scope=MINE, id=first["id"], changes={"content": "The door is blue"}
    )["memory"]
    home.call("db.gc")

    home.call("memory.delete", scope=MINE, id=newer["id"])

    assert listed(home, scope=MINE) == ["The door is red"]


def test_a_memory_hidden_by_an_expiring_winner_is_not_archived(home: Daemon) -> None:
    """The hidden memory is active again when the winner ends, not only after the next clean-up."""
    first = add(home, "The door is red", scope=MINE)
    home.call(
        "memory.update",
        scope=MINE,
        id=first["id"],
        changes={"content": "The door is blue", "expires_in_days": 5},
    )

    assert home.call("db.gc")["archived"] == {}


def test_old_replies_audit_rows_and_closed_grants_have_an_end(home: Daemon) -> None:
    """Records that are still needed stay, such as a grant through which a memory came."""
    add(home, "One fact", scope=MINE, idempotency_key="k")
    closed = home.call("grant.create", scope=MINE)
    home.call("grant.revoke", grant_id=closed["grant_id"])
    used = home.call("grant.create", scope=MINE)
    home.call("memory.add", at=used["socket"], content="Another fact")
    home.call("grant.revoke", grant_id=used["grant_id"])
    aged(
        home,
        f"update idempotency set created_at = created_at - {2 * DAY};"
        f" update audit set at = at - {400 * DAY};"
        f" update grants set revoked_at = revoked_at - {100 * DAY};"
        " update usage set day = day - 2",
    )

    dry = home.call("db.gc", dry_run=True)["removed"]
    removed = home.call("db.gc")["removed"]

    assert removed["idempotency"] == dry["idempotency"] == 1
    assert removed["grants"] == dry["grants"] == 1
    assert removed["audit"] == dry["audit"] >= 5
    assert removed["usage"] >= 1
    left = home.call("grant.list", include_closed=True)["grants"]
    assert [grant["grant_id"] for grant in left] == [used["grant_id"]]


def test_compaction_erases_what_was_archived_and_nothing_else(home: Daemon) -> None:
    """Only `force` erases, only memories archived long enough ago, and no byte is left."""
    gone = add(home, "The zwilnorp is in the cellar", scope=MINE)
    add(home, "The staylorp is in the attic", scope=MINE)
    home.call("memory.delete", scope=MINE, id=gone["id"])

    assert refusal(home, "db.compact").kind == "invalid_params"
    assert home.call("db.compact", force=True)["removed"] == 0
    dry = home.call("db.compact", older_than_days=0, dry_run=True)
    done = home.call("db.compact", older_than_days=0, force=True)

    assert done == dry
    assert done["removed"] == 1
    assert left_in(home.home / "data", ["zwilnorp", "staylorp"]) == {"staylorp"}
    assert state(home) == {"The staylorp is in the attic": None}


def test_a_cap_holds_and_the_least_valuable_give_way(new_daemon: Callable[..., Daemon]) -> None:
    """Unused memories are evicted before used ones, and just added ones never."""
    home = new_daemon()
    home.config('[embedding]\nprovider = "none"\n[memory]\nmax_entries = 3\n')
    home.start()
    used = add(home, "The first fact of all", scope=MINE)
    home.call("memory.get", scope=MINE, id=used["id"])
    home.stop()  # counts of uses are stored by then
    home.start()

    for n in range(5):
        add(home, f"Fact number {n}", scope=MINE)
    others = {"provider": "test", "user_id": "bob"}
    facts = [{"content": f"Burst {n}"} for n in range(30)]
    home.call("memory.add", scope=others, facts=facts)

    assert sorted(listed(home, scope=MINE)) == [
        "Fact number 3",
        "Fact number 4",
        "The first fact of all",
    ]
    assert sorted(listed(home, scope=others)) == ["Burst 27", "Burst 28", "Burst 29"]
    reasons = [reason for reason in state(home).values() if reason is not None]
    assert reasons == ["evicted"] * 3


def test_a_lower_cap_is_held_by_the_clean_up(home: Daemon) -> None:
    """For what was stored before."""
    for n in range(4):
        add(home, f"Fact number {n}", scope=MINE)
    home.stop()
    home.config('[embedding]\nprovider = "none"\n[memory]\nmax_entries = 2\n')
    home.start()

    dry = home.call("db.gc", dry_run=True)["archived"]

    assert home.call("db.gc")["archived"] == dry == {"evicted": 2}
    assert listed(home, scope=MINE) == ["Fact number 3", "Fact number 2"]


def test_an_evicted_winner_brings_nothing_back(new_daemon: Callable[..., Daemon]) -> None:
    """Memories that the winner had replaced are still out of date."""
    home = new_daemon()
    home.config('[embedding]\nprovider = "none"\n[memory]\nmax_entries = 2\n')
    home.start()
    first = add(home, "The door is red", scope=MINE)
    home.call("memory.update", scope=MINE, id=first["id"], changes={"content": "The door is blue"})
    for n in range(3):
        add(home, f"Fact number {n}", scope=MINE)
    home.call("db.gc")
    home.call("db.compact", older_than_days=0, force=True)

    assert listed(home, scope=MINE) == ["Fact number 2", "Fact number 1"]


def test_a_members_cap_takes_nothing_from_the_group(new_daemon: Callable[..., Daemon]) -> None:
    """The shared fact is back once the member's fact in its place is evicted or erased."""
    home = new_daemon()
    home.config('[embedding]\nprovider = "none"\n[memory]\nmax_entries = 2\n')
    home.start()
    here = {"chat_id": "g", "chat_type": "group", "participants": ["ada", "bob"]}
    ada, bob = ({**MINE, "user_id": user, **here} for user in ("ada", "bob"))
    shared = add(home, "The door is red", scope=ada, shared=True)
    add(home, "The door is blue", scope=bob, supersedes=shared["id"])
    assert listed(home, scope=ada) == ["The door is blue"]

    for n in range(3):
        add(home, f"Fact number {n}", scope={**MINE, "user_id": "bob"})
    assert listed(home, scope=ada) == ["The door is red"]
    home.call("db.gc")
    home.call("db.compact", older_than_days=0, force=True)

    assert listed(home, scope=ada) == ["The door is red"]
