"""The profile of a user: the text about them, in versions that can be compared.

It has three parts: `text` and `notes` are the user's own; `learned` is written by a language model
from what the user said (`profile_rebuild`), and never touches the other two. Only the user sees it:
a group sees none of it (features.md, section C).
"""

from typing import Annotated, Final

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean
from ashd.clock import to_text
from ashd.conversation import profile_rebuild, profile_sources, profile_text
from ashd.memory.filters import Notice
from ashd.store import profile_statements, profiles
from ashd.store.database import Database, Query, Tx
from ashd.store.profile_statements import ProfileStatement
from ashd.store.profiles import Profile
from ashd.store.visibility import Viewer
from ashd.token_estimate import estimate

_IN_A_GROUP: Final = Notice("no_profile_in_group", "A profile is shown in private chats only.")


_Text = Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)]


class SetParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Omitted fields are unchanged; an empty string clears the field.

    `text` and `notes` are the user's own; `learned` corrects what was written from conversations.
    """

    text: _Text | None = None
    notes: _Text | None = None
    learned: _Text | None = None


class GetParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters: the profile of the scope's user is returned."""


class HistoryParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last `limit` versions, or those before version `before`.

    Each is compared with the one before it, or with version `against`.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    before: Annotated[int, msgspec.Meta(ge=1)] | None = None
    against: Annotated[int, msgspec.Meta(ge=1)] | None = None


class ProfileView(msgspec.Struct, frozen=True):
    """A version of the profile."""

    version: int
    text: str
    learned: str
    notes: str
    token_count: int
    source: str
    created_at: str


class StatementView(msgspec.Struct, frozen=True):
    """A lasting statement that was learned about the user, and the time of learning."""

    statement: str
    at: str


class VersionView(ProfileView, frozen=True):
    """A version, and its changes as a unified difference of its sentences.

    `statements` are those that were new to the version, if it was written from statements.
    """

    difference: str
    statements: list[StatementView]


class GetResult(msgspec.Struct, frozen=True):
    """The current version; null if there is none, and in a group."""

    profile: ProfileView | None
    notices: list[Notice]


class SourceView(StatementView, frozen=True):
    """A statement, and the turn of the user that shows it.

    The turn is null if it was deleted, or handed to `memory.extract` and so not stored.
    """

    conversation_id: str | None
    said: str | None


class SentenceView(msgspec.Struct, frozen=True):
    """A sentence of the learned part, and the statements that it was written from.

    A sentence without statements is the model's own and has no words of a statement.
    """

    sentence: str
    statements: list[SourceView]


class SourcesResult(msgspec.Struct, frozen=True):
    """The sentences of the learned part, in order; the other parts are the user's own text."""

    sentences: list[SentenceView]
    notices: list[Notice]


class SetResult(msgspec.Struct, frozen=True):
    """The current version; setting the same text makes no new one."""

    profile: ProfileView


class HistoryResult(msgspec.Struct, frozen=True):
    """Versions, oldest first."""

    versions: list[VersionView]
    notices: list[Notice]


class Profiles:
    """Keeps profiles."""

    def __init__(self, db: Database, max_tokens: int) -> None:
        self._db = db
        self._max_tokens = max_tokens

    async def get(self, call: Call, _params: GetParams) -> GetResult:
        """Show the user's profile."""
        return await self._db.read(lambda tx: _get(tx, call))

    async def history(self, call: Call, params: HistoryParams) -> HistoryResult:
        """Show the versions of the profile, and what each changed.

        Raises:
            errors.NotFound: there is no version `against`.
        """
        return await self._db.read(lambda tx: _history(tx, call, params))

    async def sources(self, call: Call, _params: GetParams) -> SourcesResult:
        """Show where each sentence that was learned about the user comes from."""
        return await self._db.read(lambda tx: _sources(tx, call))

    async def set(self, call: Call, params: SetParams) -> SetResult:
        """Set the user's text, notes or the learned part, as a new version of the profile.

        Raises:
            errors.InvalidParams: none of them is given, or it is a group.
            errors.ContentRefused: a secret in them.
            errors.TooLarge: together more tokens than a profile may have.
        """
        given = {
            name: _checked(value, name)
            for name in ("text", "notes", "learned")
            if (value := getattr(params, name)) is not None
        }
        if not given:
            raise errors.InvalidParams(
                "Give text, notes or learned.", "An empty string clears the field."
            )
        return await self._db.write(lambda tx: _set(tx, call, given, self._max_tokens), scoped=True)


def queries(viewer: Viewer) -> list[Query]:
    """Return the queries of `text_for`."""
    return [] if viewer.group else [profiles.newest_query(viewer.accounts)]


def text_for(tx: Tx, viewer: Viewer) -> str | None:
    """Return the profile and notes as they go into a prompt; None if there are none to show."""
    found = _shown(tx, viewer)
    return (_whole(found) or None) if found else None


def _checked(text: str, field: str) -> str:
    cleaned = clean(text)
    require_no_secret(cleaned, field)
    return cleaned


def _whole(entry: Profile) -> str:
    return profile_text.whole(entry.text, entry.learned, entry.notes)


def _shown(tx: Tx, viewer: Viewer) -> Profile | None:
    if viewer.group and not viewer.everything:
        return None
    return profiles.newest(tx, viewer.accounts)


def _notices(viewer: Viewer) -> list[Notice]:
    return [_IN_A_GROUP] if viewer.group and not viewer.everything else []


def _get(tx: Tx, call: Call) -> GetResult:
    viewer = call.look(tx)
    found = _shown(tx, viewer)
    return GetResult(_view(found) if found else None, _notices(viewer))


def _sources(tx: Tx, call: Call) -> SourcesResult:
    viewer = call.look(tx)
    found = _shown(tx, viewer)
    if found is None:
        return SourcesResult([], _notices(viewer))
    stated = profile_statements.of_accounts(tx, viewer.accounts)
    known = [one for one in stated if one.id <= found.learned_until]
    turns = profile_statements.turns_of(tx, [one.message for one in known if one.message])
    sentences = []
    for sentence, statements in profile_sources.of(found.learned, known):
        shown = [
            SourceView(
                one.statement,
                to_text(one.created_at) or "",
                *(turns.get(one.message or 0) or (None, None)),
            )
            for one in statements
        ]
        sentences.append(SentenceView(sentence, shown))
    return SourcesResult(sentences, [])


def _history(tx: Tx, call: Call, params: HistoryParams) -> HistoryResult:
    viewer = call.look(tx)
    if viewer.group and not viewer.everything:
        return HistoryResult([], _notices(viewer))
    found = profiles.versions(tx, viewer.accounts)
    other = [entry for entry in found if entry.version == params.against]
    if params.against is not None and not other:
        raise errors.NotFound("There is no such version.", "`ash profile history` lists them.")
    said = profile_statements.of_accounts(tx, viewer.accounts)
    views = []
    for place, entry in enumerate(found):
        if params.before is not None and entry.version >= params.before:
            break
        last = found[place - 1] if place else None
        views.append(_version(entry, other[0] if other else last, _new_in(entry, last, said)))
    return HistoryResult(views[-params.limit :], [])


def _new_in(
    entry: Profile, last: Profile | None, said: list[ProfileStatement]
) -> list[StatementView]:
    after = last.learned_until if last else 0
    return [
        StatementView(one.statement, to_text(one.created_at) or "")
        for one in said
        if after < one.id <= entry.learned_until
    ]


def require_user(viewer: Viewer) -> int:
    """Return the account whose profile it is.

    Raises:
        errors.InvalidParams: a group has none.
    """
    if viewer.group or viewer.account is None:
        raise errors.InvalidParams(
            "A group has no profile.", "Name the user's private scope, without chat_id."
        )
    return viewer.account


def _set(tx: Tx, call: Call, given: dict[str, str], max_tokens: int) -> SetResult:
    viewer = call.enter(tx)
    owner = require_user(viewer)
    before = profiles.newest(tx, viewer.accounts)
    texts = {name: getattr(before, name, "") for name in ("text", "notes", "learned")} | given
    if before and all(getattr(before, name) == value for name, value in texts.items()):
        return SetResult(_view(before))
    tokens = estimate(profile_text.whole(**texts))
    if tokens > max_tokens:
        raise errors.TooLarge(
            f"The profile would have about {tokens} tokens; it has at most {max_tokens}.",
            "Shorten it: what is only sometimes needed is better stored as memories.",
        )
    made = profiles.insert(
        tx,
        owner=owner,
        version=before.version + 1 if before else 1,
        source=call.actor.source,
        learned_until=profile_rebuild.taken_until(tx, viewer.persons[0], before),
        **texts,
    )
    call.record(tx)
    return SetResult(_view(made))


def _view(entry: Profile) -> ProfileView:
    return ProfileView(
        version=entry.version,
        text=entry.text,
        learned=entry.learned,
        notes=entry.notes,
        token_count=estimate(_whole(entry)),
        source=entry.source,
        created_at=to_text(entry.created_at) or "",
    )


def _version(
    entry: Profile, before: Profile | None, statements: list[StatementView]
) -> VersionView:
    names = (f"version {before.version}" if before else "nothing", f"version {entry.version}")
    old = _whole(before) if before else ""
    shown = profile_text.difference(old, _whole(entry), names)
    return VersionView(
        **msgspec.structs.asdict(_view(entry)), difference=shown, statements=statements
    )
