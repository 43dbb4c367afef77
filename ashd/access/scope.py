"""The scope of a call: the user on whose behalf it acts, the chat, and the project.

A scope comes from the grant behind a sandbox socket or from an operator; names in it are hints
(B2). `look` finds the known rows, for reading; `note` records the names and details given; `enter`
also records the speaker and the participants, for writing. The scope of a grant may be out of date:
it adds nobody to a chat, and whoever has left since is not let in.
"""

import datetime as dt
import shlex
import zoneinfo
from typing import Annotated, Any, Final, Literal

import msgspec

from ashd import errors, limits, validation_messages
from ashd.access import param_secrets
from ashd.access.text_cleaning import one_line
from ashd.ids import Identifier
from ashd.language.text_caches import cached_by_text
from ashd.store import chats, people
from ashd.store.database import Tx
from ashd.store.visibility import EVERY_PROJECT, Viewer

Name = Identifier
_IDS_AND_NAMES: Final = (
    *("provider", "user_id", "chat_id", "username", "display_name"),
    *("session_id", "message_id", "timezone"),
)


class Project(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A project, such as a repository: memories stored in a project are read in it alone."""

    id: Name
    name: Name | None = None


class Scope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The user and chat of a call: a provider's user, in a chat or alone with the agent."""

    provider: Name
    user_id: Name | None = None
    chat_id: Name | None = None
    chat_type: Literal["private", "group"] | None = None
    username: Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)] | None = None
    display_name: Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)] | None = None
    participants: (
        Annotated[list[Name], msgspec.Meta(max_length=limits.PARTICIPANTS)] | msgspec.UnsetType
    ) = msgspec.UNSET
    session_id: Name | None = None
    message_id: Name | None = None
    timezone: Name | None = None
    project: Project | Literal["*"] | msgspec.UnsetType | None = msgspec.UNSET
    """The project that the user works on, or null for none; "*" reads all, and stores in none."""

    @property
    def told_in(self) -> Project | None:
        """The project of memories stored in this scope, unless they belong to the person."""
        return self.project if isinstance(self.project, Project) else None

    @property
    def reads(self) -> str | None:
        """The project whose memories are read besides those of none; "*" for all projects."""
        return self.project.id if isinstance(self.project, Project) else self.project or None

    @property
    def zone(self) -> dt.tzinfo:
        """The asker's time zone; UTC by default."""
        return zoneinfo.ZoneInfo(self.timezone) if self.timezone else dt.UTC

    @property
    def is_group(self) -> bool:
        """Return whether several people see the answer."""
        return self.chat_type == "group"

    def options(self, local_user: str) -> str:
        """Return the options of `ash` that name the account and the chat, as they are typed.

        The account of ``local_user`` is that of `ash` without options.
        """
        words = []
        if (self.provider, self.user_id) != ("local", local_user) or self.is_group:
            words += ["--as", f"{self.provider}:{self.user_id or ''}"]
        if self.is_group:
            words += ["--chat", self.chat_id or ""]
        return shlex.join(words)


def check(scope: Scope) -> Scope:
    """Return the scope, once it is checked to name a user or a chat.

    Raises:
        errors.InvalidParams: neither a user nor a chat is named.
        errors.ContentRefused: a name or an id in the scope is a secret.
    """
    if scope.chat_id is not None and scope.chat_type is None:
        raise errors.InvalidParams(
            "scope.chat_id needs scope.chat_type.", 'Give chat_type "group" or "private".'
        )
    if scope.chat_id is None and scope.chat_type == "group":
        raise errors.InvalidParams("A group needs scope.chat_id.", "Give the chat's id.")
    if scope.user_id is None and not scope.is_group:
        raise errors.InvalidParams("A private scope needs scope.user_id.", "Say who speaks.")
    if scope.participants is not msgspec.UNSET and not scope.is_group:
        raise errors.InvalidParams(
            "scope.participants belongs to a group.", "Leave it out in a private chat."
        )
    # The same few scopes come with every call, and a search for secrets takes time.
    for field in _IDS_AND_NAMES:
        _check_name(getattr(scope, field) or "", field)
    check_project(scope.told_in)
    try:
        assert scope.zone is not None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise errors.InvalidParams(
            "scope.timezone is no time zone.", "Write it as Europe/Berlin, or leave it out."
        ) from error
    return scope


def names_project_alone(given: object) -> bool:
    """Return whether a call's `scope` holds only a project: the user and the chat stay."""
    return isinstance(given, dict) and given.keys() == {"project"}


def with_project(scope: Scope, given: dict[str, Any]) -> Scope:
    """Return a scope with the project that a call's `scope` holds.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    try:
        named = msgspec.convert({"provider": scope.provider, **given}, Scope)
    except msgspec.ValidationError as error:
        raise validation_messages.of(error, Scope, within="scope") from error
    check_project(named.told_in)
    return msgspec.structs.replace(scope, project=named.project)


def of_grant(bound: Scope, given: dict[str, Any]) -> Scope:
    """Return a grant's scope with the project that its sandbox names.

    Raises:
        errors.ScopeIsBound: the grant is bound to another, or all projects are asked for.
        errors.InvalidParams, errors.ContentRefused
    """
    named = with_project(bound, given)
    is_bound = bound.project is not msgspec.UNSET
    if is_bound and named.reads != bound.reads:
        raise errors.ScopeIsBound(
            "This grant reads all projects, and stores in none."
            if bound.reads == EVERY_PROJECT
            else "This grant is bound to another project."
            if bound.reads
            else "This grant is bound to no project.",
            "Leave scope.project out; the person on the host can open another grant.",
        )
    if not is_bound and named.reads == EVERY_PROJECT:
        raise errors.ScopeIsBound(
            "A sandbox reads one project at a time.",
            "Name one; a grant of all is opened with `ash --project '*' grant create`.",
        )
    return named


def check_project(project: Project | None) -> None:
    """Refuse a project whose id means all projects, or that is a secret.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    if project is None:
        return
    if project.id == EVERY_PROJECT:
        raise errors.InvalidParams(
            "scope.project.id is no id.", 'Write scope.project as "*" to read all projects.'
        )
    _check_name(project.id, "project")
    _check_name(project.name or "", "project")


@cached_by_text(1024)
def _check_name(value: str, field: str) -> None:
    param_secrets.check_name(value, field)


def may_need_entry(scope: Scope) -> bool:
    """Return whether the scope of a reading call has names or a roster, which may be new."""
    has_roster = scope.participants is not msgspec.UNSET
    return bool(scope.username or scope.display_name) or has_roster


def needs_entry(tx: Tx, scope: Scope) -> bool:
    """Return whether the scope of a reading call has something new to record (`note`)."""
    if scope.user_id is not None:
        account = chats.account(tx, scope.provider, scope.user_id)
        if account is None:
            return scope.participants is not msgspec.UNSET
        if _renamed(account, scope):
            return True
    if scope.participants is msgspec.UNSET:
        return False
    assert scope.chat_id is not None
    chat = chats.group(tx, scope.provider, scope.chat_id)
    return chat is None or {user for user, _ in chats.roster(tx, chat.id)} != set(
        scope.participants
    )


def note(tx: Tx, scope: Scope) -> None:
    """Record the names and the roster that a reading call gives.

    Asking is not taking part: somebody who asks in a group sees that answer, but does not join the
    group by it.
    """
    if scope.user_id is not None:
        account_of(tx, scope.provider, scope.user_id, scope)
    if scope.participants is not msgspec.UNSET:
        assert scope.chat_id is not None
        _take_part(tx, scope, chats.ensure_group(tx, scope.provider, scope.chat_id), None)


def look(tx: Tx, scope: Scope, *, bound: bool = False) -> Viewer:
    """Return the viewer by the known rows; changes nothing. `bound`: the scope is a grant's.

    Raises:
        errors.Denied: the user of a grant has left the chat that it is for.
    """
    if not scope.is_group:
        if scope.user_id is None:
            return _alone(scope, None)
        return _alone(scope, chats.alone(tx, scope.provider, scope.user_id, scope.chat_id))
    assert scope.chat_id is not None
    chat = chats.group(tx, scope.provider, scope.chat_id)
    account = None
    if scope.user_id is not None:
        account = chats.account(tx, scope.provider, scope.user_id)
    return _in_group(tx, scope, account, chat, bound=bound)


def enter(tx: Tx, scope: Scope, *, bound: bool = False) -> Viewer:
    """Return the viewer, and record the scope's account, chat and participation.

    Raises:
        errors.Denied: the user of a grant has left the chat that it is for.
    """
    # The names in a grant's scope are as old as the grant.
    names = None if bound else scope
    if not scope.is_group:
        assert scope.user_id is not None
        known = chats.alone(tx, scope.provider, scope.user_id, scope.chat_id)
        if known is None or known.chat is None or (names and _renamed(known.account, names)):
            account = account_of(tx, scope.provider, scope.user_id, names)
            chat = chats.ensure_private(tx, account, scope.chat_id)
            known = chats.Alone(account, chat, chats.joined_accounts(tx, account.person))
        return _alone(scope, known)
    assert scope.chat_id is not None
    present = None
    if scope.user_id is not None:
        present = account_of(tx, scope.provider, scope.user_id, names)
    chat = chats.ensure_group(tx, scope.provider, scope.chat_id)
    if not bound:
        _take_part(tx, scope, chat, present)
    return _in_group(tx, scope, present, chat, bound=bound)


def note_new_grant(tx: Tx, scope: Scope) -> None:
    """Record the scope of a new grant; its user takes part, on the roster or not."""
    viewer = enter(tx, scope)
    if viewer.group and viewer.chat is not None and viewer.account is not None:
        chats.join(tx, viewer.chat, viewer.account, tx.now)


def _alone(scope: Scope, known: chats.Alone | None) -> Viewer:
    accounts = known.joined if known else ()
    persons = (known.account.person,) if known else ()
    return Viewer(
        everything=False,
        account=known.account.id if known else None,
        accounts=accounts,
        persons=persons,
        chat=known.chat.id if known and known.chat else None,
        group=False,
        audience=accounts,
        audience_persons=persons,
        audience_known=known is not None,
        project=scope.reads,
    )


def _in_group(
    tx: Tx, scope: Scope, account: chats.Account | None, chat: chats.Chat | None, *, bound: bool
) -> Viewer:
    accounts = chats.joined_accounts(tx, account.person) if account else ()
    persons = (account.person,) if account else ()
    present = {number for _, number in chats.roster(tx, chat.id)} if chat else set[int]()
    if bound and scope.user_id is not None and (account is None or account.id not in present):
        raise errors.Denied(
            "The user of this grant no longer takes part in its chat.",
            "The person on the host can open a grant for another chat (`ash grant create`), or"
            " say that the user is back (`ash participant join`).",
        )
    if account:
        # The asker sees the answer, on the roster or not.
        present.add(account.id)
    stranger = scope.user_id is not None and account is None
    audience = tuple(sorted(present))
    return Viewer(
        everything=False,
        account=account.id if account else None,
        accounts=accounts,
        persons=persons,
        chat=chat.id if chat else None,
        group=True,
        audience=audience,
        audience_persons=chats.persons_of(tx, audience),
        audience_known=bool(audience) and not stranger,
        project=scope.reads,
    )


def account_of(tx: Tx, provider: str, user_id: str, names: Scope | None = None) -> chats.Account:
    """Return the account; a new one gets a person of its own. Its names are updated."""
    account = chats.account(tx, provider, user_id)
    if account is None:
        param_secrets.check_name(user_id, "user_id")
    username = one_line(names.username) if names and names.username else None
    display = one_line(names.display_name) if names and names.display_name else None
    if account is None:
        name = display or username
        person = people.insert(
            *(tx,),
            name=name or user_id,
            named=name is not None,
            created_by=None,
            learned_in=None,
            said_at=tx.now,
        )
        return chats.insert_account(tx, provider, user_id, username, display, person)
    if names is not None and _renamed(account, names):
        known_as = account.display_name or account.username or account.user_id
        chats.rename_account(
            tx, account.id, username or account.username, display or account.display_name
        )
        name = display or account.display_name or username or account.username
        if name:
            people.rename_if(tx, account.own_person, known_as, name)
        renewed = chats.account(tx, provider, user_id)
        assert renewed is not None
        return renewed
    return account


def _renamed(account: chats.Account, scope: Scope) -> bool:
    return bool(
        (scope.username and one_line(scope.username) != account.username)
        or (scope.display_name and one_line(scope.display_name) != account.display_name)
    )


def _take_part(tx: Tx, scope: Scope, chat: chats.Chat, speaker: chats.Account | None) -> None:
    """Update the participants to the scope's roster; without a roster, let the speaker join."""
    present = dict(chats.roster(tx, chat.id))
    if scope.participants is msgspec.UNSET:
        if speaker is not None and speaker.user_id not in present:
            chats.join(tx, chat.id, speaker.id, tx.now)
        return
    wanted = set(scope.participants)
    for user_id in sorted(wanted - present.keys()):
        chats.join(tx, chat.id, account_of(tx, scope.provider, user_id).id, tx.now)
    for user_id in sorted(present.keys() - wanted):
        chats.leave(tx, chat.id, present[user_id], tx.now)
