"""Turn records into rows, with everything derived from them: a function for each kind of record.

Rows that exist already stay unchanged: a record is recognised by its id, or by its fields if it has
none. A known account has a person, which also stands for the file's person of it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from ashd import errors, limits, token_estimate
from ashd.access import quota
from ashd.clock import FOREVER
from ashd.clock import to_micros as micros
from ashd.graph import model as graph_model
from ashd.language.fingerprint import content_key
from ashd.language.people.first_person import first_person
from ashd.language.words import normalise
from ashd.ops.transfer import records
from ashd.ops.transfer.checking import Checked
from ashd.ops.transfer.record_types import AccountRef
from ashd.ops.transfer.references import References
from ashd.search import indexing
from ashd.search.indexing import TextVectors
from ashd.store import (
    chats,
    conversations,
    embeddings,
    meant,
    memories,
    memory_links,
    merges,
    passages,
    transfer,
    transfer_kinds,
)
from ashd.store import subjects as stored_subjects
from ashd.store.meant import Meant
from ashd.store.transaction import Tx

Outcome = Literal["imported", "duplicate"]
_NOTHING: Final = TextVectors()


def _plain(refs: References, tx: Tx, entry: Checked) -> Outcome:
    """Store a record that is a single row."""
    return _insert(refs, tx, entry, {})


def _insert(refs: References, tx: Tx, entry: Checked, derived: dict[str, Any]) -> Outcome:
    values = refs.columns(tx, entry) | derived
    found = transfer.find(tx, entry.kind, values)
    row = transfer.insert(tx, entry.kind, values) if found is None else found
    if isinstance(entry.record, records.Alias | records.Relationship):
        refs.map_to(entry.kind, entry.record.number, row)
    return "imported" if found is None else "duplicate"


def _person(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Person)
    if transfer.by_uuid(tx, "person", record.id) is not None:
        return "duplicate"
    for name in record.own_accounts:
        account = chats.account(tx, name.provider, name.user_id)
        if account is not None:
            refs.map_to("person", record.id, account.own_person)
            return "duplicate"
    said_at = _said_at(entry.columns, "named_at")
    transfer.insert(tx, "person", entry.columns | {"active_at": 0} | said_at)
    return "imported"


def _person_origin(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.PersonOrigin)
    person = transfer.by_uuid(tx, "person", record.person)
    if person is None:  # the person of a known account, which has its origin
        refs.row(tx, "person", record.person)
        return "duplicate"
    values = refs.columns(tx, entry)
    origin = (values["created_by"], values["learned_in"], values["merged_into"])
    if not transfer.set_origin(tx, person, *origin):
        return "duplicate"
    transfer.set_active(tx, person, values["active_at"])
    return "imported"


def _chat(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Chat)
    is_owned = record.user_id is not None
    if is_owned == (record.chat_id is not None) or (is_owned and record.chat_type == "group"):
        raise errors.InvalidParams(
            "A chat has a chat_id, or it is private and has a user_id.", "Leave the record out."
        )
    values = refs.columns(tx, entry)
    whose = values["account"]
    if record.user_id is not None:
        whose = refs.row(tx, "account", AccountRef(record.provider, record.user_id))
    if transfer.chat(tx, record.chat_type, record.provider, whose, record.chat_id) is not None:
        return "duplicate"
    transfer.insert(tx, "chat", values)
    return "imported"


def _participation(refs: References, tx: Tx, entry: Checked) -> Outcome:
    values = refs.columns(tx, entry)
    if values["left_at"] is None and transfer.takes_part(tx, values["chat"], values["account"]):
        return "duplicate"
    return _plain(refs, tx, entry)


def _alias(refs: References, tx: Tx, entry: Checked) -> Outcome:
    derived = {"key": normalise(entry.columns["value"])}
    return _insert(refs, tx, entry, derived | _said_at(entry.columns, "created_at"))


def _relationship(refs: References, tx: Tx, entry: Checked) -> Outcome:
    return _insert(refs, tx, entry, _said_at(entry.columns, "created_at"))


def _said_at(columns: Mapping[str, Any], stored_at: str) -> dict[str, Any]:
    """Return when a statement was said; early exports have only when it was stored."""
    said_at = columns["said_at"]
    return {"said_at": columns[stored_at] if said_at is None else said_at}


def _grant(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Grant)
    closed = {"revoked_at": entry.columns["revoked_at"] or tx.now}
    return _insert(refs, tx, entry, closed | {"owner": quota.owner_of(record.scope)})


def _memory(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Memory)
    if transfer.by_uuid(tx, "memory", record.id) is not None:
        return "duplicate"
    values = refs.columns(tx, entry)
    content = values["content"]
    subjects = [refs.row(tx, "person", subject.person) for subject in record.subjects]
    persons = [person for person in subjects if person is not None]
    values |= {
        "content_key": content_key(content),
        "first_person": (
            first_person(content[: limits.STATEMENT_CHARS]) if values["stated_by"] else None
        ),
        "ends_at": FOREVER if values["ends_at"] is None else values["ends_at"],
        # Hidden until its `supersession` names the winner.
        "superseded_at": None if record.superseded_at is None else micros(record.superseded_at),
        "superseded_until": 0 if record.superseded_at is None else FOREVER,
        "superseded_by": None,
    }
    are_read = any(subject.is_read for subject in record.subjects)
    number = memories.insert(tx, values, persons, are_read=are_read)
    stored_subjects.set_references(
        tx,
        number,
        {
            person: subject.reference
            for person, subject in zip(persons, record.subjects, strict=True)
            if subject.reference is not None
        },
    )
    means = [
        Meant(refs.row(tx, "person", one.person) or 0 if one.person else 0, one.unsure)
        for one in record.meant
    ]
    meant.set_subjects(tx, number, means)
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


def _supersession(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Supersession)
    loser = refs.row(tx, "memory", record.memory)
    winner = refs.row(tx, "memory", record.superseded_by)
    assert loser is not None
    assert winner is not None
    until = FOREVER if record.until is None else micros(record.until)
    return "imported" if transfer.set_winner(tx, loser, winner, until) else "duplicate"


def _merge(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Merge)
    moved: dict[str, object] = {
        "accounts": [refs.row(tx, "account", one) or 0 for one in record.accounts],
        "added_alias": (
            None if record.added_alias is None else refs.number("alias", record.added_alias)
        ),
    }
    if record.subjects is not None:  # a file of a version that listed what a merge moved
        moved |= {
            "aliases": [refs.number("alias", one) for one in record.aliases],
            "claims": [refs.number("relationship", one) for one in record.relationships],
            "claims_to": [refs.number("relationship", one) for one in record.relationships_to],
            "subjects": [
                [refs.row(tx, "memory", memory) or 0, position, int(was_there)]
                for memory, position, was_there in record.subjects
            ],
        }
    return _insert(refs, tx, entry, {"moved": merges.encode(moved)})


def _conversation(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Conversation)
    if transfer.by_uuid(tx, "conversation", record.id) is not None:
        return "duplicate"
    values = refs.columns(tx, entry)
    same = conversations.by_name(tx, values["chat"], values["external_id"])
    if same is not None:
        refs.map_to("conversation", record.id, same)
        return "duplicate"
    transfer.insert(tx, "conversation", values)
    return "imported"


def _message(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Message)
    values = refs.columns(tx, entry)
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
        names=[values["speaker"]] if record.names_speaker and values["speaker"] else [],
        at=values["said_at"],
        vectors=_NOTHING,
    )
    return "imported"


def _summary(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Summary)
    # In a conversation that existed before, positions differ.
    is_other = refs.has_another_id("conversation", record.conversation)
    if is_other or transfer.by_uuid(tx, "summary", record.id) is not None:
        return "duplicate"
    values = refs.columns(tx, entry)
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


def _override(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.Override)
    if (record.owner is None) == (record.chat is None):
        raise errors.InvalidParams(
            "A pinned fact has an owner or a chat, and not both.", "Leave the record out."
        )
    return _insert(refs, tx, entry, {"content_key": content_key(entry.columns["content"])})


def _profile_version(refs: References, tx: Tx, entry: Checked) -> Outcome:
    record = entry.record
    assert isinstance(record, records.ProfileVersion)
    values = refs.columns(tx, entry)
    if transfer.find(tx, entry.kind, values) is None and transfer.has_version(
        tx, values["owner"], values["version"]
    ):
        raise errors.InvalidParams(
            "The account has another profile of this version.", "Its profile stays as it is."
        )
    until = transfer.last_statement(tx, values["owner"], record.statements)
    return _insert(refs, tx, entry, {"learned_until": until})


def _entity(refs: References, tx: Tx, entry: Checked) -> Outcome:
    return _insert(refs, tx, entry, {"key": graph_model.key(entry.columns["name"])})


def _entity_alias(refs: References, tx: Tx, entry: Checked) -> Outcome:
    return _insert(refs, tx, entry, {"key": graph_model.key(entry.columns["value"])})


def _relation(refs: References, tx: Tx, entry: Checked) -> Outcome:
    names = {
        f"{end}_key": graph_model.key(entry.columns[f"{end}_name"]) for end in ("source", "target")
    }
    return _insert(refs, tx, entry, names)


PUT: Final[dict[str, Callable[[References, Tx, Checked], Outcome]]] = {
    **dict.fromkeys(transfer_kinds.KINDS, _plain),
    "person": _person,
    "person_origin": _person_origin,
    "chat": _chat,
    "participation": _participation,
    "alias": _alias,
    "relationship": _relationship,
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
"""The function that stores a record of each kind."""
