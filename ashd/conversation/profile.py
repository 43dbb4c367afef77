"""The profile of a user: what is written of them, in versions that can be compared.

Two texts: `text`, which may come to be rebuilt from what was said, and `notes`, which are the
user's own. It is the user's alone: a group sees none of it (features.md, section C).
"""

import difflib
import re
from typing import Annotated, Final

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean
from ashd.clock import to_text
from ashd.memory.filters import Notice
from ashd.store import profiles
from ashd.store.database import Database, Tx
from ashd.store.profiles import Profile
from ashd.store.visibility import Viewer
from ashd.token_estimate import estimate

_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])")  # noqa: RUF001  other scripts' own
_NOTES_HEADING: Final = "Notes:"
_IN_A_GROUP: Final = Notice("no_profile_in_group", "A profile is shown in private chats only.")


class SetParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text, the user's notes, or both; what is left out stays, an empty text is none."""

    text: Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)] | None = None
    notes: Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)] | None = None


class GetParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to choose: the profile of the scope's user."""


class HistoryParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last `limit` versions, each compared with the one before, or with version `against`."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    against: Annotated[int, msgspec.Meta(ge=1)] | None = None


class ProfileView(msgspec.Struct, frozen=True):
    """A version of the profile."""

    version: int
    text: str
    notes: str
    token_count: int
    source: str
    created_at: str


class VersionView(ProfileView, frozen=True):
    """A version, and what it changed, as a unified difference of its sentences."""

    difference: str


class GetResult(msgspec.Struct, frozen=True):
    """The version in force; null when nothing is written, and in a group."""

    profile: ProfileView | None
    notices: list[Notice]


class SetResult(msgspec.Struct, frozen=True):
    """The version in force now; a text that was there already makes no new one."""

    profile: ProfileView


class HistoryResult(msgspec.Struct, frozen=True):
    """Versions, oldest first."""

    versions: list[VersionView]
    notices: list[Notice]


class Profiles:
    """Keeps profiles."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, call: Call, _params: GetParams) -> GetResult:
        """What is written of the scope's user."""
        return await self._db.read(lambda tx: _get(tx, call))

    async def history(self, call: Call, params: HistoryParams) -> HistoryResult:
        """What was written, and what changed.

        Raises:
            errors.NotFound: there is no version `against`.
        """
        return await self._db.read(lambda tx: _history(tx, call, params))

    async def set(self, call: Call, params: SetParams) -> SetResult:
        """Write text or notes.

        Raises:
            errors.InvalidParams: neither is given, or it is a group.
            errors.ContentRefused: a secret in them.
            errors.TooLarge: together more tokens than a profile may have.
        """
        if params.text is None and params.notes is None:
            raise errors.InvalidParams("Give text or notes.", "An empty text takes it away.")
        text, notes = _checked(params.text, "text"), _checked(params.notes, "notes")
        return await self._db.write(lambda tx: _set(tx, call, text, notes))


def text_for(tx: Tx, viewer: Viewer) -> str | None:
    """The profile and notes as they go into a prompt; None where there are none to show."""
    found = _shown(tx, viewer)
    return (_whole(found.text, found.notes) or None) if found else None


def difference(older: str, newer: str, names: tuple[str, str]) -> str:
    """A unified difference of two texts by sentence; empty when they are the same. Pure."""
    lines = difflib.unified_diff(_sentences(older), _sentences(newer), *names, lineterm="", n=1)
    return "\n".join(lines)


def _sentences(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in _SENTENCE_END.split(line) if part]


def _checked(text: str | None, field: str) -> str | None:
    if text is None:
        return None
    cleaned = clean(text)
    require_no_secret(cleaned, field)
    return cleaned


def _whole(text: str, notes: str) -> str:
    """Text and notes in one, the notes under a line that says so."""
    return "\n".join(part for part in (text, notes and f"{_NOTES_HEADING}\n{notes}") if part)


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


def _history(tx: Tx, call: Call, params: HistoryParams) -> HistoryResult:
    viewer = call.look(tx)
    if viewer.group and not viewer.everything:
        return HistoryResult([], _notices(viewer))
    found = profiles.versions(tx, viewer.accounts)
    other = [entry for entry in found if entry.version == params.against]
    if params.against is not None and not other:
        raise errors.NotFound("There is no such version.", "`ash profile history` lists them.")
    views = []
    for place, entry in enumerate(found):
        before = other[0] if other else found[place - 1] if place else None
        views.append(_version(entry, before))
    return HistoryResult(views[-params.limit :], [])


def _set(tx: Tx, call: Call, text: str | None, notes: str | None) -> SetResult:
    viewer = call.enter(tx)
    if viewer.group or viewer.account is None:
        raise errors.InvalidParams(
            "A group has no profile.", "Set it in the user's private scope, without chat_id."
        )
    before = profiles.newest(tx, viewer.accounts)
    if text is None:
        text = before.text if before else ""
    if notes is None:
        notes = before.notes if before else ""
    if before and (before.text, before.notes) == (text, notes):
        return SetResult(_view(before))
    tokens = estimate(_whole(text, notes))
    if tokens > limits.PROFILE_TOKENS:
        raise errors.TooLarge(
            f"Text and notes have about {tokens} tokens; a profile has at most "
            f"{limits.PROFILE_TOKENS}.",
            "Shorten them: what is only sometimes needed is better stored as memories.",
        )
    made = profiles.insert(
        tx,
        owner=viewer.account,
        version=before.version + 1 if before else 1,
        text=text,
        notes=notes,
        source=call.actor.source,
    )
    call.record(tx)
    return SetResult(_view(made))


def _view(entry: Profile) -> ProfileView:
    return ProfileView(
        version=entry.version,
        text=entry.text,
        notes=entry.notes,
        token_count=estimate(_whole(entry.text, entry.notes)),
        source=entry.source,
        created_at=to_text(entry.created_at) or "",
    )


def _version(entry: Profile, before: Profile | None) -> VersionView:
    names = (f"version {before.version}" if before else "nothing", f"version {entry.version}")
    old = _whole(before.text, before.notes) if before else ""
    shown = difference(old, _whole(entry.text, entry.notes), names)
    return VersionView(**msgspec.structs.asdict(_view(entry)), difference=shown)
