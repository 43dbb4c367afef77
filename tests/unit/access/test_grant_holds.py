"""The rules by which a grant lets a call through, audits denials, and owns keys."""

from pathlib import Path

import msgspec
import pytest
from services import NOON, house

from ashd import errors
from ashd.access import scope as scopes
from ashd.access.actor import digest
from ashd.access.denials import LEFT_OUT, PER_MINUTE, Denials
from ashd.access.grants import Grant
from ashd.access.quota import QuotaParams
from ashd.access.scope import Scope
from ashd.clock import SECOND, new_grant_id


def _grant(expires_at: int | None) -> Grant:
    scope = Scope(provider="test", user_id="u")
    return Grant("g1", scope, frozenset({"read"}), expires_at, QuotaParams(), None)


def test_a_grant_holds_up_to_its_last_moment() -> None:
    """A grant is open up to its last moment; a grant without an end stays open."""
    _grant(None).check(NOON)
    _grant(NOON + 1).check(NOON)
    with pytest.raises(errors.GrantExpired):
        _grant(NOON).check(NOON)


def test_a_revoked_grant_is_revoked_whatever_else() -> None:
    """The error says what the operator did, not what time did."""
    grant = _grant(NOON - 1)
    grant.revoked = True

    with pytest.raises(errors.GrantRevoked):
        grant.check(NOON)


def test_grant_ids_are_short_and_many() -> None:
    """A grant's id has at most 12 characters, for a socket's path; no two are equal."""
    made = {new_grant_id() for _ in range(10_000)}

    assert len(made) == 10_000
    assert all(len(one) <= 12 and one.isascii() and one.isalnum() for one in made)


async def test_denials_are_written_so_many_a_minute(tmp_path: Path) -> None:
    """The last row of a minute says that there were more; each grant has its own share."""
    async with house(tmp_path) as at:
        denials = Denials(at.db)
        for _ in range(3 * PER_MINUTE):
            await denials.record(at.call(grant="g1"), "denied", NOON)
        await denials.record(at.call(grant="g2"), "scope_is_bound", NOON)
        await denials.record(at.call(grant="g1"), "denied", NOON + 60 * SECOND)
        rows = await at.db.read(
            lambda tx: tx.all("select grant_id, outcome from audit order by id")
        )

    assert [outcome for grant, outcome in rows if grant == "g1"] == [
        *["denied"] * PER_MINUTE,
        LEFT_OUT,
        "denied",
    ]
    assert [outcome for grant, outcome in rows if grant == "g2"] == ["scope_is_bound"]


def test_the_digest_is_of_what_was_asked() -> None:
    """The order of the parameters makes no difference, the key and everything else does."""
    one = digest(b"k", "m", {"a": 1, "b": {"c": 2, "d": 3}})

    assert digest(b"k", "m", {"b": {"d": 3, "c": 2}, "a": 1}) == one
    assert len({one, digest(b"l", "m", {"a": 1}), digest(b"k", "n", {"a": 1})}) == 3
    assert digest(b"k", "m", {"a": 1, "b": {"c": 2, "d": 4}}) != one


@pytest.mark.parametrize(
    "fields",
    [
        {"user_id": "u"},
        {"user_id": "u", "chat_type": "private"},
        {"user_id": "u", "chat_id": "7", "chat_type": "private"},
        {"user_id": "u", "chat_id": "-7", "chat_type": "group"},
        {"chat_id": "-7", "chat_type": "group"},
        {"chat_id": "-7", "chat_type": "group", "participants": []},
        {"user_id": "u", "chat_id": "-7", "chat_type": "group", "participants": ["u", "v"]},
    ],
    ids=str,
)
def test_a_scope_that_names_somebody_somewhere(fields: dict[str, object]) -> None:
    """A user's private chat, named or not, and a group, with or without who speaks."""
    scope = msgspec.convert({"provider": "test", **fields}, Scope)

    assert scopes.check(scope) is scope
