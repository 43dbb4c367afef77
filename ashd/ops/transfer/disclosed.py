"""Records that one scope may see, for its export: by the same policy as every read.

References to rows that are not shown (another speaker, another chat) are left out.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from ashd.people import met_accounts, model
from ashd.people.model import Known
from ashd.store import person_activity, transfer, transfer_disclosure, transfer_kinds
from ashd.store.transaction import Tx
from ashd.store.visibility import Viewer

_Row = dict[str, Any]
_TARGETS: Final = frozenset(
    {"person", "account", "chat", "memory", "conversation", "message", "entity"}
)
_NEEDED: Final = {
    "account": ("person", "own_person"),
    "participation": ("chat", "account"),
    "person_activity": ("account", "person"),
    "alias": ("person",),
    "relationship": ("person", "to_person"),
    "supersession": ("superseded_by",),
    "memory_link": ("newer", "older"),
    "memory_event": ("memory",),
    "conversation": ("chat",),
    "message": ("conversation",),
    "summary": ("conversation",),
    "profile_version": ("owner",),
    "profile_statement": ("account",),
    "entity": ("learned_in",),
    "entity_alias": ("entity", "learned_in"),
    "relation": ("source", "target", "learned_in"),
}
"""The references that a record needs to mean anything."""


_OF_MERGES: Final = {"meant", "to_meant", "ended_by"}
"""The fields that tell who was merged, or joined."""


class Disclosed:
    """The records that a viewer may see; ask for them in the order of the file."""

    def __init__(self, tx: Tx, viewer: Viewer) -> None:
        self._tx = tx
        self._viewer = viewer
        about = transfer_disclosure.subjects_of_shown(tx, viewer)
        self._known = model.load(tx, viewer, {*model.listed(tx, viewer), *about})
        self._by_uuid = {known.person.uuid: known for known in self._known.values()}
        self._by_account = {
            _json([account.provider, account.user_id]): known
            for known in self._known.values()
            for account in known.accounts
        }
        self._params = transfer_disclosure.parameters(tx, viewer)
        self._params["people"] = json.dumps(list(self._known))
        self._names: dict[str, set[str]] = {target: set() for target in _TARGETS}
        """Names of the records shown, by kind, as other records refer to them."""
        self._superseded = transfer_disclosure.superseded(tx, viewer)
        tellers = transfer_disclosure.tellers_of_shown(tx, viewer)
        met = met_accounts.among(tx, viewer, tellers.keys())
        self._met = {_json(list(name)) for number, name in tellers.items() if number in met}
        self._own = {_json(list(tellers[one])) for one in self._asking() if one in tellers}
        self._positions = transfer_disclosure.positions(tx, viewer)
        self._spoken_of = person_activity.spoken_of(tx, viewer.accounts)

    def each(self, kind: str) -> Iterator[_Row]:
        """Yield the records of a kind that are shown."""
        for row in self._rows(kind):
            shown = self._without_hidden(kind, row)
            if shown is not None:
                if kind in _TARGETS:
                    self._names[kind].add(_name(kind, shown))
                yield shown

    def _rows(self, kind: str) -> Iterator[_Row]:
        known = self._known.values()
        if kind == "account":
            shown = {account.id for one in known for account in one.accounts}
            return self._among(kind, shown | self._asking())
        if kind == "alias":
            return self._among(kind, [alias.id for one in known for alias in one.aliases])
        if kind == "relationship":
            return self._among(kind, [claim.id for one in known for claim in one.relationships])
        if kind == "supersession":
            return self._supersessions()
        condition = transfer_disclosure.CONDITIONS.get(kind)
        if condition is None:
            return iter(())
        return transfer.each(self._tx, kind, condition(self._viewer), self._params)

    def _asking(self) -> set[int]:
        """Return the accounts that ask: in a group the one there, without those joined to it."""
        if not self._viewer.group:
            return set(self._viewer.accounts)
        return set() if self._viewer.account is None else {self._viewer.account}

    def _among(self, kind: str, numbers: Collection[int]) -> Iterator[_Row]:
        among = {"among": json.dumps(list(numbers))}
        return transfer.each(self._tx, kind, transfer_disclosure.AMONG, among)

    def _supersessions(self) -> Iterator[_Row]:
        for uuid, winner in self._superseded.items():
            names = {"memory": _json(uuid), "superseded_by": _json(winner.by_uuid)}
            yield {**names, "until": winner.until}

    def _without_hidden(self, kind: str, row: _Row) -> _Row | None:
        """Return the record without hidden references; None if it is meaningless without them."""
        self._rename_people(kind, row)
        if kind in {"alias", "relationship"}:
            row |= dict.fromkeys(_OF_MERGES & row.keys())
            row["unsure"] = 0
        limit = getattr(self, f"_limit_{kind}", None)
        if limit is not None:
            limit(row)
        for field, target in transfer_kinds.KINDS[kind].refs.items():
            if row[field] is not None and row[field] not in self._names[target]:
                if field in _NEEDED.get(kind, ()):
                    return None
                row[field] = None
        return row

    def _rename_people(self, kind: str, row: _Row) -> None:
        """Replace ids of people by those that the viewer knows them by."""
        for field, target in transfer_kinds.KINDS[kind].refs.items():
            known = (
                self._by_uuid.get(json.loads(row[field] or '""')) if target == "person" else None
            )
            if known is not None:
                row[field] = _json(known.known_as.uuid)
        if kind == "person_origin" and (known := self._by_uuid.get(json.loads(row["person"]))):
            row["person"] = _json(known.known_as.uuid)
            row["active_at"] = self._active_at(known)
            if not known.knows_name:
                row["created_by"] = None

    def _active_at(self, known: Known) -> int:
        """Return when the viewer last mentioned a person; mentions by others stay hidden."""
        return self._spoken_of.get(known.person.id, model.known_since(known, self._viewer))

    def _limit_person(self, row: _Row) -> None:
        """Limit a person to the name, details and times that the viewer knows."""
        known = self._by_uuid[row["id"]]
        since = model.known_since(known, self._viewer)
        row["id"] = known.known_as.uuid
        row["name"] = known.name
        row["named"] = known.knows_name and row["named"]
        row["named_at"] = row["named_at"] if known.knows_name else since
        row["created_at"] = since
        own = set(self._viewer.accounts)
        is_own = own & {known.person.created_by, *(account.id for account in known.accounts)}
        if self._viewer.group or not is_own:
            row["metadata"] = None
            row["updated_at"] = since
        row["own_accounts"] = _json(
            [
                [account.provider, account.user_id]
                for account in known.accounts
                if account.own_person == known.known_as.id
            ]
        )

    def _limit_account(self, row: _Row) -> None:
        if row["own_person"] not in self._names["person"]:
            # A merged person is known as the one it was merged into.
            row["own_person"] = row["person"]
        known = self._by_account.get(_name("account", row))
        if known is not None and not (
            {account.id for account in known.accounts} & set(self._viewer.accounts)
        ):
            row["created_at"] = row["updated_at"] = model.known_since(known, self._viewer)

    def _limit_memory(self, row: _Row) -> None:
        """Limit a memory as `memory.wire` does, and to the winner that the viewer may read."""
        row["grant_id"] = None  # the host's own business
        row["meant"] = "[]"  # nobody but an operator can tell who was merged
        is_own = row["owner"] in self._own or row["stated_by"] in self._own
        row["subjects"] = _json(
            [
                [self._by_uuid[uuid].known_as.uuid, reference if is_own else None, is_read]
                for uuid, reference, is_read in json.loads(row["subjects"])
                if uuid in self._by_uuid
            ]
        )
        if row["stated_by"] not in self._met:
            row["source_username"] = row["source_display_name"] = None
        if row["learned_in"] not in self._names["chat"]:
            row["source_session_id"] = row["source_message_id"] = None
        winner = self._superseded.get(row["id"])
        row["superseded_at"] = None if winner is None else winner.at
        if row["archive_reason"] == "superseded" and (
            winner is None or winner.until <= self._tx.now
        ):
            row["archived_at"] = row["archive_reason"] = None

    def _limit_conversation(self, row: _Row) -> None:
        """Limit a conversation to what its shown messages reveal."""
        shown = self._positions[row["id"]]
        row["created_at"], row["updated_at"] = shown.said_from, shown.said_until
        row["summarised_until"] = shown.count_until(row["summarised_until"]) - 1

    def _limit_message(self, row: _Row) -> None:
        row["position"] = self._index(row["conversation"], row["position"])

    def _limit_summary(self, row: _Row) -> None:
        for field in ("first_position", "last_position"):
            row[field] = self._index(row["conversation"], row[field])

    def _index(self, conversation: str, position: int) -> int:
        """Return a position among the shown messages, which tells nothing of hidden ones."""
        return self._positions[json.loads(conversation)].count_until(position) - 1


def _name(kind: str, row: _Row) -> str:
    """Return the value by which other records refer to this one, as SQLite writes it."""
    if kind == "account":
        return _json([row["provider"], row["user_id"]])
    if kind == "chat":
        user = row["user_id"] or (json.loads(row["account"])[1] if row["account"] else None)
        return _json([row["chat_type"], row["provider"], user, row["chat_id"]])
    return _json(row["id"])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
