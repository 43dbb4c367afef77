"""Check incoming records: decode, clean and search them for secrets, before any transaction.

A file may come from anybody, so its records pass all the checks of a caller's.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from ashd import errors, json_text, validation_messages
from ashd.access import metadata, param_secrets
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean, clean_deep, one_line
from ashd.clock import to_micros
from ashd.conversation.summarise import pieces_of
from ashd.conversation.summary_text import SummaryText
from ashd.memory import validation
from ashd.ops.transfer import records
from ashd.ops.transfer.lines import Line
from ashd.ops.transfer.record_types import End, Record, Start, kind_of
from ashd.ops.transfer.tally import Refused
from ashd.search import indexing
from ashd.search.indexing import Piece
from ashd.store import transfer_kinds

_LONG_TEXTS: Final = frozenset({"content", "text", "notes", "overall", "statement", "learned"})
_LISTS_OF_TEXTS: Final = frozenset({"topics", "decisions", "key_dates", "action_items"})
_MAY_BE_EMPTY: Final = frozenset({"text", "notes", "learned"})
_BY_KIND: Final = {kind_of(record): record for record in (Start, End, *records.IN_ORDER)}


@dataclass(frozen=True, slots=True)
class Checked:
    """A record that may be stored: its columns, without its references."""

    line: int
    kind: str
    record: Record
    columns: dict[str, Any]
    pieces: tuple[Piece, ...]
    """The pieces of the record's text that are indexed."""


def check(line: Line) -> Checked | Refused:
    """Check the record of a line."""
    try:
        if isinstance(line.text, errors.AshError):
            raise line.text
        record = _decoded(line.text)
        return _checked(line.number, record)
    except errors.AshError as error:
        return Refused(line.number, error)


def _decoded(text: bytes) -> Record:
    value = json_text.decode(text)
    kind = value.get("kind") if isinstance(value, dict) else None
    record = _BY_KIND.get(kind) if isinstance(kind, str) else None
    if record is None:
        raise errors.InvalidParams(
            "This is no record of an export.", 'Each line is an object with a known "kind".'
        )
    try:
        return msgspec.convert(value, record)
    except (msgspec.ValidationError, RecursionError) as error:
        raise validation_messages.of(error, record) from error


def _checked(line: int, record: Record) -> Checked:
    kind = kind_of(type(record))
    spec = transfer_kinds.KINDS.get(kind)
    columns: dict[str, Any] = {}
    for field in record.__struct_fields__:
        value = getattr(record, field)
        if spec is not None and field in spec.columns:
            columns[spec.column(field)] = _column(field, value)
        else:
            _check_names(value, field)
    return Checked(line, kind, record, columns, _pieces(record, columns))


def _pieces(record: Record, columns: dict[str, Any]) -> tuple[Piece, ...]:
    if isinstance(record, records.Summary):
        return pieces_of(
            SummaryText(
                overall=columns["overall"],
                topics=record.topics,
                decisions=record.decisions,
                key_dates=record.key_dates,
                action_items=record.action_items,
            )
        )
    is_instruction = isinstance(record, records.Message) and record.role == "system"
    if isinstance(record, records.Memory | records.Message) and not is_instruction:
        return indexing.read(columns["content"])
    return ()


def _column(field: str, value: Any) -> Any:
    """Return the value of a field as it is stored.

    Raises:
        errors.AshError: it may not be.
    """
    if isinstance(value, dt.datetime):
        return to_micros(value)
    if field == "metadata":
        return metadata.encode(value)
    if field == "tags":
        return validation.tags(value)
    if field in _LISTS_OF_TEXTS:
        cleaned = clean_deep(msgspec.to_builtins(value))
        require_no_secret(cleaned, field)
        return msgspec.json.encode(cleaned).decode()
    if isinstance(value, msgspec.Struct | list):
        _check_names(value, field)
        return msgspec.json.encode(value).decode()
    if isinstance(value, str):
        return _text(field, value)
    return value


def _text(field: str, value: str) -> str:
    if field in _LONG_TEXTS:
        cleaned = clean(value)
        if not cleaned and field not in _MAY_BE_EMPTY:
            raise errors.InvalidParams(f"{field} is empty.", "Leave the record out.")
        require_no_secret(cleaned, field)
        return cleaned
    cleaned = one_line(value)
    if not cleaned:
        raise errors.InvalidParams(f"{field} is empty.", "Leave it null, or the record out.")
    param_secrets.check_name(cleaned, field)
    return cleaned


def _check_names(value: Any, field: str) -> None:
    """Look for secrets in the names by which a record refers to others."""
    if isinstance(value, str):
        param_secrets.check_name(value, field)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _check_names(getattr(value, name), name)
    elif isinstance(value, list | tuple):
        for one in value:
            _check_names(one, field)
