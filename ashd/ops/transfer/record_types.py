"""Ids, times and references of which an export's records are made; its first and last line."""

import datetime as dt
from typing import Annotated, Final, Literal

import msgspec

from ashd import limits
from ashd.ids import Identifier

VERSION: Final = 1

Id = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
At = Annotated[dt.datetime, msgspec.Meta(tz=True)]
Count = Annotated[int, msgspec.Meta(ge=0, le=limits.IMPORT_COUNT)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
ChatType = Literal["private", "group"]
Name = Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)]


class AccountRef(msgspec.Struct, frozen=True, array_like=True):
    """[provider, user id]."""

    provider: Identifier
    user_id: Identifier


class ChatRef(msgspec.Struct, frozen=True, array_like=True):
    """[type, provider, user id of a private chat's owner, chat id]."""

    chat_type: ChatType
    provider: Identifier
    user_id: Identifier | None
    chat_id: Identifier | None


class Subject(msgspec.Struct, frozen=True, array_like=True):
    """[person, the words that named it, whether they were read from the memory]."""

    person: Id
    reference: Name | None
    is_read: Literal[0, 1] = 0


class MeantSubject(msgspec.Struct, frozen=True, array_like=True):
    """[the person whom a subject means when nobody is merged, how unsure that is]."""

    person: Id | None
    unsure: Count


class Record(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    """A line of the file."""


class Start(Record, frozen=True, tag="export"):
    """The first line."""

    version: Count
    exported_at: At


class End(Record, frozen=True, tag="end"):
    """The last line; without it the file was cut off."""

    records: Count


def kind_of(record: type[Record]) -> str:
    """Return the name of a kind of record in the file."""
    return str(record.__struct_config__.tag)
