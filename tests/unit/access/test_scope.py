"""Scopes and the viewer that each one stands for, on a real database."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import FixedClock

from ashd import errors
from ashd.access import scope as scopes
from ashd.access.scope import Scope
from ashd.store import chats
from ashd.store.database import Database, Tx
from ashd.store.visibility import Viewer


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database.open(tmp_path / "a.db", FixedClock())
    yield database
    database.close()


def alone(user: str | None = "ann", **fields: Any) -> Scope:
    return msgspec.convert({"provider": "p", "user_id": user, **fields}, Scope)


def group(user: str | None = "ann", **fields: Any) -> Scope:
    return alone(user, chat_id="g", chat_type="group", **fields)


def roster(tx: Tx) -> list[str]:
    chat = chats.group(tx, "p", "g")
    return sorted(user for user, _ in chats.roster(tx, chat.id)) if chat else []


def users(tx: Tx, accounts: tuple[int, ...]) -> list[str]:
    return [chats.account_by_id(tx, number).user_id for number in accounts]


def name_of(tx: Tx, person: int) -> tuple[str, bool]:
    """The name, and whether it is more than an id."""
    row = tx.one("select name, named from people where id = ?", person)
    assert row is not None
    return row[0], bool(row[1])


@pytest.mark.parametrize(
    "scope",
    [
        alone(),
        alone(chat_type="private"),
        alone(chat_id="c", chat_type="private"),
        alone(timezone="Europe/Berlin"),
        group(),
        group(None),
        group(participants=[]),
        group(participants=["ann", "bob"]),
    ],
)
def test_a_scope_of_somebody_somewhere_is_good(scope: Scope) -> None:
    """A user alone with the agent, or a group, with or without a speaker."""
    assert scopes.check(scope) is scope


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        (alone(chat_id="c"), "needs scope.chat_type"),
        (alone(chat_type="group"), "needs scope.chat_id"),
        (alone(None), "needs scope.user_id"),
        (alone(None, chat_id="c", chat_type="private"), "needs scope.user_id"),
        (alone(participants=["bob"]), "belongs to a group"),
        (alone(participants=[]), "belongs to a group"),
        (alone(timezone="Europe/Atlantis"), "no time zone"),
        (alone(timezone="../../etc/passwd"), "no time zone"),
    ],
)
def test_a_scope_of_nobody_nowhere_is_refused(scope: Scope, told: str) -> None:
    """The error names what is missing in the scope."""
    with pytest.raises(errors.InvalidParams, match=told):
        scopes.check(scope)


def test_a_scope_has_no_other_fields() -> None:
    """A misspelt one is refused, and one that was left out is not shown."""
    with pytest.raises(msgspec.ValidationError, match="chat"):
        alone(chat="g")

    assert msgspec.to_builtins(alone()) == {"provider": "p", "user_id": "ann"}


@pytest.mark.parametrize("field", ["user_id", "username", "display_name", "chat_id", "session_id"])
def test_a_secret_in_a_scope_is_refused(field: str) -> None:
    """A key that was pasted as a name would be stored as one."""
    given = {"chat_type": "private", field: "ghp_" + "a1B2c3D4e5" * 4}
    with pytest.raises(errors.ContentRefused):
        scopes.check(
            alone(**{"user": "ann", **given}) if field != "user_id" else alone(given[field])
        )


async def test_a_look_changes_nothing(db: Database) -> None:
    """An unknown account's viewer is nobody, with an unknown audience."""
    asked = [alone(display_name="Ann"), group(participants=["bob"]), group(None)]
    viewers = [await db.read(lambda tx, one=one: scopes.look(tx, one)) for one in asked]

    nothing: dict[str, Any] = {"account": None, "accounts": (), "persons": (), "chat": None}
    unknown: dict[str, Any] = {"audience": (), "audience_persons": (), "audience_known": False}
    private = Viewer(everything=False, group=False, **nothing, **unknown)
    assert viewers == [private, *2 * [replace(private, group=True)]]


async def test_an_account_is_known_once_it_has_entered(db: Database) -> None:
    """A private chat is heard by its user alone."""

    def steps(tx: Tx) -> None:
        entered = scopes.enter(tx, alone())
        account = chats.account(tx, "p", "ann")
        assert account is not None
        assert entered == scopes.look(tx, alone()) == scopes.look(tx, alone(), bound=True)
        own, person = (account.id,), (account.person,)
        assert (entered.account, entered.accounts, entered.persons) == (account.id, own, person)
        assert (entered.audience, entered.audience_persons) == (own, person)
        assert (entered.audience_known, entered.group, entered.everything) == (True, False, False)
        named = scopes.enter(tx, alone(chat_id="c", chat_type="private"))
        assert named.chat not in {None, entered.chat}

    await db.write(steps)


async def test_a_group_is_heard_by_its_roster_and_whoever_asks(db: Database) -> None:
    """A writer brings the roster to what its scope says; without a list the speaker has joined."""

    def steps(tx: Tx) -> None:
        scopes.enter(tx, group("ann", participants=["ann", "bob", "cleo"]))
        assert roster(tx) == ["ann", "bob", "cleo"]
        scopes.enter(tx, group("ann", participants=["ann", "bob"]))
        assert roster(tx) == ["ann", "bob"]
        scopes.enter(tx, group("dan"))
        assert roster(tx) == ["ann", "bob", "dan"]
        scopes.enter(tx, group("eve", participants=["ann"]))
        assert roster(tx) == ["ann"]

        viewer = scopes.look(tx, group("eve"))
        assert sorted(users(tx, viewer.audience)) == ["ann", "eve"]
        assert viewer.audience_known
        assert len(viewer.audience_persons) == 2
        assert sorted(users(tx, scopes.look(tx, group(None)).audience)) == ["ann"]
        stranger = scopes.look(tx, group("nobody-knows"))
        assert (stranger.account, stranger.audience_known) == (None, False)

    await db.write(steps)


async def test_to_ask_is_not_to_take_part(db: Database) -> None:
    """`note` keeps names and the roster of a call that reads; nobody joins by a question."""

    def steps(tx: Tx) -> None:
        scopes.note(tx, group("ann", display_name="Ann"))
        assert chats.account(tx, "p", "ann").display_name == "Ann"  # type: ignore[union-attr]
        assert chats.group(tx, "p", "g") is None
        scopes.note(tx, group("ann", participants=["bob"]))
        assert roster(tx) == ["bob"]
        scopes.note(tx, group(None, participants=[]))
        assert roster(tx) == []

    await db.write(steps)


async def test_a_read_is_noted_where_it_tells_something_new(db: Database) -> None:
    """Names that changed and another roster; an asker of whom nothing is known leaves no trace."""

    def steps(tx: Tx) -> None:
        assert not scopes.needs_entry(tx, alone(display_name="Ann"))
        assert not scopes.needs_entry(tx, group(None))
        assert scopes.needs_entry(tx, group(participants=["ann"]))
        assert scopes.needs_entry(tx, group(None, participants=[]))
        scopes.enter(tx, group("ann", username="a", display_name="Ann", participants=["ann"]))
        for known in (
            group("ann"),
            group("ann", username="a"),
            group("ann", display_name=" Ann "),
            group("ann", participants=["ann"]),
            group(None, participants=["ann"]),
        ):
            assert not scopes.needs_entry(tx, known), known
        for new in (
            group("ann", username="b"),
            group("ann", display_name="Anna"),
            group("ann", participants=["ann", "bob"]),
            group(None, participants=[]),
        ):
            assert scopes.needs_entry(tx, new), new

    await db.write(steps)


def is_denied(see: Callable[..., Viewer], tx: Tx, scope: Scope) -> bool:
    """Return whether a grant's scope is refused; `pytest.raises` would end the writer's thread."""
    try:
        see(tx, scope, bound=True)
    except errors.Denied as error:
        return "no longer takes part" in error.message
    return False


async def test_a_grant_tells_nothing_and_ends_with_its_stay(db: Database) -> None:
    """A bound scope is as old as its grant: it renames and brings in nobody."""

    def steps(tx: Tx) -> None:
        scopes.note_new_grant(tx, group("ann", display_name="Ann", participants=["bob"]))
        assert roster(tx) == ["ann", "bob"]
        scopes.enter(tx, group("ann", display_name="Anna", participants=["ann", "eve"]), bound=True)
        assert roster(tx) == ["ann", "bob"]
        assert chats.account(tx, "p", "ann").display_name == "Ann"  # type: ignore[union-attr]
        scopes.enter(tx, group("bob", participants=["bob"]))
        for see in (scopes.look, scopes.enter):
            assert is_denied(see, tx, group("ann"))
            assert is_denied(see, tx, group("never-there"))
            assert see(tx, group(None), bound=True).account is None
            assert see(tx, alone("ann"), bound=True).account is not None
        scopes.note_new_grant(tx, alone("fay"))
        scopes.note_new_grant(tx, group(None))
        assert roster(tx) == ["bob"]

    await db.write(steps)


@pytest.mark.parametrize(
    ("first", "then", "name"),
    [
        ({}, {}, "ann"),
        ({}, {"username": "an_na"}, "an_na"),
        ({"username": "an_na"}, {"display_name": "Ann\nLang"}, "Ann Lang"),
        ({"display_name": "Ann"}, {"username": "an_na"}, "Ann"),
        ({"display_name": "Ann", "username": "an_na"}, {"username": "other"}, "Ann"),
        ({"display_name": "Ann", "username": "an_na"}, {"display_name": "Anna"}, "Anna"),
    ],
)
async def test_a_person_is_called_as_the_account_shows(
    db: Database, first: dict[str, str], then: dict[str, str], name: str
) -> None:
    """The shown name precedes the handle and the id; omitted fields are unchanged."""

    def steps(tx: Tx) -> None:
        scopes.enter(tx, alone(**first))
        scopes.enter(tx, alone(**then))
        scopes.enter(tx, alone())
        account = chats.account(tx, "p", "ann")
        assert account is not None
        given = {**first, **then}
        assert account.username == given.get("username")
        assert account.display_name == (
            " ".join(given["display_name"].split()) if "display_name" in given else None
        )
        assert name_of(tx, account.person) == (name, bool(given))

    await db.write(steps)


async def test_a_name_given_by_hand_is_not_renamed(db: Database) -> None:
    """Only a name that came from the account follows the account."""

    def steps(tx: Tx) -> None:
        person = scopes.enter(tx, alone(display_name="Ann")).persons[0]
        tx.run("update people set name = 'Doctor Lang' where id = ?", person)
        scopes.enter(tx, alone(display_name="Anna"))
        assert name_of(tx, person) == ("Doctor Lang", True)

    await db.write(steps)


async def test_a_secret_as_a_participant_is_refused(db: Database) -> None:
    """The ids of a roster are stored, too, at first sight."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    with pytest.raises(errors.ContentRefused):
        await db.write(lambda tx: scopes.enter(tx, group("ann", participants=["ann", secret])))


@pytest.mark.parametrize(
    ("scope", "options"),
    [
        (Scope(provider="local", user_id="ann"), ""),
        (Scope(provider="local", user_id="bob"), "--as local:bob"),
        (Scope(provider="tg", user_id="ann", chat_id="7", chat_type="private"), "--as tg:ann"),
        (
            Scope(provider="tg", user_id="Jo Ann", chat_id="-7", chat_type="group"),
            "--as 'tg:Jo Ann' --chat -7",
        ),
        (Scope(provider="tg", chat_id="-7", chat_type="group"), "--as tg: --chat -7"),
    ],
)
def test_a_scope_is_named_by_options_of_ash(scope: Scope, options: str) -> None:
    """A command for the operator names the account and the group, but for the operator's own."""
    assert scope.options("ann") == options
