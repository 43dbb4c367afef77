"""Records enter the database, each in its own savepoint, with what is derived from them.

What is there already stays as it is: a record is known again by its id, or by what it says where it
has none. An account that is known has its person; the file's person for it is that one.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ashd import errors, limits, token_estimate
from ashd.access import quota
from ashd.clock import FOREVER
from ashd.clock import to_micros as micros
from ashd.graph import model as graph_model
from ashd.language.fingerprint import fingerprint
from ashd.language.first_person import first_person
from ashd.language.words import normalise
from ashd.ops.transfer import records
from ashd.ops.transfer.checking import Checked, Refused
from ashd.ops.transfer.records import AccountRef, ChatRef
from ashd.search import indexing
from ashd.search.indexing import TextVectors
from ashd.store import (
    chats,
    conversations,
    embeddings,
    memories,
    memory_links,
    merges,
    passages,
    transfer,
)
from ashd.store.transaction import Tx
from ashd.store.transfer import Target

Outcome = Literal["imported", "duplicate"]
_NOTHING: Final = TextVectors()
_CACHED: Final = 100_000


@dataclass(slots=True)
class Storing:
    """An import on its way; it knows which rows the file's records are."""

    imported: int = 0
    duplicates: int = 0
    refused: list[Refused] = field(default_factory=list)
    refused_count: int = 0
    _rows: dict[tuple[str, Any], int] = field(default_factory=dict)
    """Rows by what records say where they refer to them; looked up again where it is forgotten."""
    _same: dict[tuple[str, Any], int] = field(default_factory=dict)
    """The same of records that stand for a row with another id, and of the file's numbers."""

    def put_some(self, tx: Tx, batch: Sequence[Checked | Refused], start: int) -> int:
        """Store records from a position on, for a moment; the position of the next."""
        until = time.monotonic() + limits.IMPORT_WRITE_SECONDS
        for position in range(start, len(batch)):
            self.put(tx, batch[position])
            if time.monotonic() > until:
                return position + 1
        return len(batch)

    def put(self, tx: Tx, entry: Checked | Refused) -> None:
        """Store one record, or note why not."""
        if isinstance(entry, Refused):
            self.refuse(entry)
            return
        try:
            with tx.savepoint():
                outcome = _PUT[entry.kind](self, tx, entry)
        except errors.StorageError:
            raise
        except errors.AshError as error:
            self.refuse(Refused(entry.line, error))
            return
        if outcome == "imported":
            self.imported += 1
        else:
            self.duplicates += 1

    def refuse(self, refused: Refused) -> None:
        """Note a line that was not stored."""
        self.refused_count += 1
        if len(self.refused) < limits.IMPORT_REFUSALS:
            self.refused.append(refused)

    # References ------------------------------------------------------------------------------

    def row(self, tx: Tx, target: Target, name: Any) -> int | None:
        """The row that a record refers to; None where it refers to none.

        Raises:
            errors.InvalidParams: there is no such row.
        """
        if name is None:
            return None
        key = (target, name)
        known = self._same.get(key) or self._rows.get(key)
        if known is None:
            known = self._look_up(tx, target, name)
            if known is None:
                raise errors.InvalidParams(
                    f"It refers to a {target} that is not there.",
                    "It stands earlier in the file, and was refused, or is missing.",
                )
            if len(self._rows) >= _CACHED:
                self._rows.clear()
            self._rows[key] = known
        return known

    def _look_up(self, tx: Tx, target: Target, name: Any) -> int | None:
        if isinstance(name, AccountRef):
            account = chats.account(tx, name.provider, name.user_id)
            return account.id if account else None
        if isinstance(name, ChatRef):
            whose = None
            if name.user_id is not None:
                whose = self.row(tx, "account", AccountRef(name.provider, name.user_id))
            return transfer.chat(tx, name.chat_type, name.provider, whose, name.chat_id)
        return transfer.by_uuid(tx, target, name)

    def columns(self, tx: Tx, entry: Checked) -> dict[str, Any]:
        """The columns of a record, its references as row numbers."""
        refs = transfer.KINDS[entry.kind].refs
        return entry.columns | {
            column: self.row(tx, target, getattr(entry.record, column))
            for column, target in refs.items()
        }

    def stands_for(self, target: str, name: Any, row: int) -> None:
        """Remember that a record of the file is a row of another id, or which number it has."""
        self._same[target, name] = row

    def stands_for_another(self, target: str, name: Any) -> bool:
        """Whether a record of the file is a row that was here before, with another id."""
        return (target, name) in self._same

    def number(self, kind: str, number: int) -> int:
        """The row of an alias or relationship that the file gives a number.

        Raises:
            errors.InvalidParams: there is none.
        """
        row = self._same.get((kind, number))
        if row is None:
            raise errors.InvalidParams(
                f"It refers to a {kind} that is not there.", "It stands earlier in the file."
            )
        return row


def _plain(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    """A record whose columns are all there is to it."""
    return _insert(storing, tx, entry, {})


def _insert(storing: Storing, tx: Tx, entry: Checked, derived: dict[str, Any]) -> Outcome:
    values = storing.columns(tx, entry) | derived
    found = transfer.find(tx, entry.kind, values)
    row = transfer.insert(tx, entry.kind, values) if found is None else found
    if isinstance(entry.record, records.Alias | records.Relationship):
        storing.stands_for(entry.kind, entry.record.number, row)
    return "imported" if found is None else "duplicate"


def _person(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Person)
    if transfer.by_uuid(tx, "person", record.id) is not None:
        return "duplicate"
    for name in record.own_accounts:
        account = chats.account(tx, name.provider, name.user_id)
        if account is not None:
            storing.stands_for("person", record.id, account.own_person)
            return "duplicate"
    transfer.insert(tx, "person", entry.columns | {"active_at": 0})
    return "imported"


def _person_origin(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.PersonOrigin)
    person = transfer.by_uuid(tx, "person", record.person)
    if person is None:  # a known account's, which has its origin
        storing.row(tx, "person", record.person)
        return "duplicate"
    values = storing.columns(tx, entry)
    origin = (values["created_by"], values["learned_in"], values["merged_into"])
    if not transfer.set_origin(tx, person, *origin):
        return "duplicate"
    transfer.set_active(tx, person, values["active_at"])
    return "imported"


def _chat(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Chat)
    values = storing.columns(tx, entry)
    whose = values["account"]
    if record.user_id is not None:
        whose = storing.row(tx, "account", AccountRef(record.provider, record.user_id))
    if transfer.chat(tx, record.chat_type, record.provider, whose, record.chat_id) is not None:
        return "duplicate"
    transfer.insert(tx, "chat", values)
    return "imported"


def _participation(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    values = storing.columns(tx, entry)
    if values["left_at"] is None and transfer.takes_part(tx, values["chat"], values["account"]):
        return "duplicate"
    return _plain(storing, tx, entry)


def _alias(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    return _insert(storing, tx, entry, {"key": normalise(entry.columns["value"])})


def _grant(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Grant)
    closed = {"revoked_at": entry.columns["revoked_at"] or tx.now}
    return _insert(storing, tx, entry, closed | {"owner": quota.owner_of(record.scope)})


def _memory(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Memory)
    if transfer.by_uuid(tx, "memory", record.id) is not None:
        return "duplicate"
    values = storing.columns(tx, entry)
    content = values["content"]
    subjects = [storing.row(tx, "person", subject.person) for subject in record.subjects]
    persons = [person for person in subjects if person is not None]
    values |= {
        "content_key": fingerprint(content),
        "first_person": (
            first_person(content[: limits.STATEMENT_CHARS]) if values["stated_by"] else None
        ),
        "ends_at": FOREVER if values["ends_at"] is None else values["ends_at"],
        # Hidden until its `supersession` says by what.
        "superseded_at": None if record.superseded_at is None else micros(record.superseded_at),
        "superseded_until": 0 if record.superseded_at is None else FOREVER,
        "superseded_by": None,
    }
    number = memories.insert(tx, values, persons)
    memories.set_references(
        tx,
        number,
        {
            person: subject.reference
            for person, subject in zip(persons, record.subjects, strict=True)
            if subject.reference is not None
        },
    )
    if values["learned_in"] is not None:
        indexing.index(
            tx,
            kind=passages.MEMORY,
            item=number,
            chat=values["learned_in"],
            pieces=entry.pieces,
            at=values["observed_at"] or values["created_at"],
            vectors=_NOTHING,
        )
    if record.archived_at is not None:
        embeddings.drop_vectors(tx, passages.of_item(tx, passages.MEMORY, number))
    if record.judge_later:
        memory_links.judge_later(tx, number)
    return "imported"


def _supersession(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Supersession)
    loser = storing.row(tx, "memory", record.memory)
    winner = storing.row(tx, "memory", record.superseded_by)
    assert loser is not None
    assert winner is not None
    until = FOREVER if record.until is None else micros(record.until)
    return "imported" if transfer.set_winner(tx, loser, winner, until) else "duplicate"


def _merge(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Merge)
    moved = merges.Moved(
        aliases=[storing.number("alias", one) for one in record.aliases],
        claims=[storing.number("relationship", one) for one in record.relationships],
        claims_to=[storing.number("relationship", one) for one in record.relationships_to],
        accounts=[storing.row(tx, "account", one) or 0 for one in record.accounts],
        subjects=[
            [storing.row(tx, "memory", memory) or 0, position, int(was_there)]
            for memory, position, was_there in record.subjects
        ],
        added_alias=(
            None if record.added_alias is None else storing.number("alias", record.added_alias)
        ),
    )
    return _insert(storing, tx, entry, {"moved": merges.encode(moved)})


def _conversation(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Conversation)
    if transfer.by_uuid(tx, "conversation", record.id) is not None:
        return "duplicate"
    values = storing.columns(tx, entry)
    same = conversations.by_name(tx, values["chat"], values["external_id"])
    if same is not None:
        storing.stands_for("conversation", record.id, same)
        return "duplicate"
    transfer.insert(tx, "conversation", values)
    return "imported"


def _message(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Message)
    values = storing.columns(tx, entry)
    values["import_key"] = bytes.fromhex(record.import_key) if record.import_key else None
    conversation = values["conversation"]
    known = conversations.known(tx, conversation, values["external_id"], values["import_key"])
    if known is not None or transfer.find(tx, "message", values) is not None:
        return "duplicate"
    if conversations.is_taken(tx, conversation, record.position):
        values["position"] = conversations.next_position(tx, conversation)
    values["token_count"] = token_estimate.estimate(values["content"])
    number = transfer.insert(tx, "message", values)
    indexing.index(
        tx,
        kind=passages.MESSAGE,
        item=number,
        chat=conversations.chat_of(tx, conversation),
        pieces=entry.pieces,
        names=[values["speaker"]] if values["speaker"] else [],
        at=values["said_at"],
        vectors=_NOTHING,
    )
    return "imported"


def _summary(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Summary)
    # Of a conversation that was here already the positions are others.
    is_other = storing.stands_for_another("conversation", record.conversation)
    if is_other or transfer.by_uuid(tx, "summary", record.id) is not None:
        return "duplicate"
    values = storing.columns(tx, entry)
    values["ends_at"] = FOREVER if values["ends_at"] is None else values["ends_at"]
    number = transfer.insert(tx, "summary", values)
    indexing.index(
        tx,
        kind=passages.SUMMARY,
        item=number,
        chat=conversations.chat_of(tx, values["conversation"]),
        pieces=entry.pieces,
        at=values["said_until"],
        vectors=_NOTHING,
    )
    return "imported"


def _override(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    return _insert(storing, tx, entry, {"content_key": fingerprint(entry.columns["content"])})


def _profile_version(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    values = storing.columns(tx, entry)
    if transfer.find(tx, entry.kind, values) is None and transfer.has_version(
        tx, values["owner"], values["version"]
    ):
        raise errors.InvalidParams(
            "The account has another profile of this version.", "Its profile stays as it is."
        )
    return _plain(storing, tx, entry)


def _entity(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    return _insert(storing, tx, entry, {"key": graph_model.key(entry.columns["name"])})


def _entity_alias(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    return _insert(storing, tx, entry, {"key": graph_model.key(entry.columns["value"])})


def _relation(storing: Storing, tx: Tx, entry: Checked) -> Outcome:
    names = {
        f"{end}_key": graph_model.key(entry.columns[f"{end}_name"]) for end in ("source", "target")
    }
    return _insert(storing, tx, entry, names)


_PUT: Final[dict[str, Callable[[Storing, Tx, Checked], Outcome]]] = {
    **dict.fromkeys(transfer.KINDS, _plain),
    "person": _person,
    "person_origin": _person_origin,
    "chat": _chat,
    "participation": _participation,
    "alias": _alias,
    "grant": _grant,
    "memory": _memory,
    "supersession": _supersession,
    "merge": _merge,
    "conversation": _conversation,
    "message": _message,
    "summary": _summary,
    "override": _override,
    "profile_version": _profile_version,
    "entity": _entity,
    "entity_alias": _entity_alias,
    "relation": _relation,
}
