"""People as a viewer knows them, made without a database."""

from collections.abc import Sequence

from ashd.language.words import normalise
from ashd.people.model import Known
from ashd.people.reference_candidates import Speaker
from ashd.store.chats import Account
from ashd.store.people import Alias, Person, Relationship
from ashd.store.visibility import Viewer

ME, CHAT, GROUP = 1, 100, 200
"""The speaker, who is a person and an account; their private chat; a group."""


def viewer(*, group: bool = False, everything: bool = False) -> Viewer:
    """Return the speaker's view of one of the chats."""
    return Viewer(
        everything=everything,
        account=ME,
        accounts=(ME,),
        persons=(ME,),
        chat=GROUP if group else CHAT,
        group=group,
        audience=(ME,),
        audience_persons=(ME,),
        audience_known=True,
    )


def speaker(*, group: bool = False) -> Speaker:
    """Return the speaker in one of the chats."""
    return Speaker(ME, (ME,), ME, GROUP if group else CHAT, viewer(group=group), None, 0)


def claim(
    person: int,
    word: str,
    to: int = ME,
    *,
    by: int | None = ME,
    ended: bool = False,
    chat: int = CHAT,
    at: int = 5,
) -> Relationship:
    """Return the claim that somebody is this to another person."""
    return Relationship(1, person, word, to, by, chat, None, at, at if ended else None, at)


def alias(person: int, value: str, *, by: int | None = ME, chat: int = CHAT, at: int = 5) -> Alias:
    """Return another name of a person."""
    return Alias(1, person, value, normalise(value), by, chat, None, at, at)


def account(number: int, user: str, **names: str) -> Account:
    """Return an account with its `username` and `display_name`."""
    shown = names.get("username"), names.get("display_name")
    return Account(number, "test", user, *shown, number, number)


def known(
    number: int,
    name: str,
    *claims: Relationship,
    named: bool = True,
    knows_name: bool = True,
    by: int | None = ME,
    chat: int | None = CHAT,
    aliases: Sequence[Alias] = (),
    accounts: Sequence[Account] = (),
    at: int = 5,
) -> Known:
    """Return a person whom the account `by` made known in a chat."""
    row = (number, f"id-{number}", name, named, by, chat, at, None, None, None, at, at, at, at)
    person = Person(*row)
    return Known(person, person, name, knows_name, list(aliases), list(claims), list(accounts))
