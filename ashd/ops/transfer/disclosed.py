"""Everything that one scope may see, for its export: by the same policy as every read.

References to rows that are not shown (another speaker, another chat) are left out.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from ashd.people import model
from ashd.store import transfer, transfer_disclosure, transfer_kinds
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
"""The references without which a record means nothing."""


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
        self._params = transfer_disclosure.parameters(tx, viewer)
        self._params["people"] = json.dumps(list(self._known))
        self._names: dict[str, set[str]] = {target: set() for target in _TARGETS}
        """Names of the records shown, by kind, as other records refer to them."""

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
            return self._among(kind, shown | set(self._viewer.accounts))
        if kind == "alias":
            return self._among(kind, [alias.id for one in known for alias in one.aliases])
        if kind == "relationship":
            return self._among(kind, [claim.id for one in known for claim in one.relationships])
        condition = transfer_disclosure.CONDITIONS.get(kind)
        if condition is None:
            return iter(())
        return transfer.each(self._tx, kind, condition(self._viewer), self._params)

    def _among(self, kind: str, numbers: Collection[int]) -> Iterator[_Row]:
        among = {"among": json.dumps(list(numbers))}
        return transfer.each(self._tx, kind, transfer_disclosure.AMONG, among)

    def _without_hidden(self, kind: str, row: _Row) -> _Row | None:
        """Return the record without hidden references; None if it is meaningless without them."""
        if kind == "person":
            self._limit_person(row)
        elif kind == "memory":
            row["grant_id"] = None  # the host's own business
            row["meant"] = "[]"  # nobody but an operator can tell who was merged
            row["subjects"] = _json(
                [one for one in json.loads(row["subjects"]) if one[0] in self._by_uuid]
            )
        elif kind == "account" and row["own_person"] not in self._names["person"]:
            row["own_person"] = row[
                "person"
            ]  # a merged person is known as the one it was merged into
        elif kind in {"alias", "relationship"}:
            row |= dict.fromkeys(_OF_MERGES & row.keys())
            row["unsure"] = 0
        for field, target in transfer_kinds.KINDS[kind].refs.items():
            if row[field] is not None and row[field] not in self._names[target]:
                if field in _NEEDED.get(kind, ()):
                    return None
                row[field] = None
        return row

    def _limit_person(self, row: _Row) -> None:
        """Return a person with the name and details that the viewer knows."""
        known = self._by_uuid[row["id"]]
        row["name"] = known.name
        row["named"] = known.knows_name and row["named"]
        own = set(self._viewer.accounts)
        if not own & {known.person.created_by, *(account.id for account in known.accounts)}:
            row["metadata"] = None
        row["own_accounts"] = _json(
            [
                [account.provider, account.user_id]
                for account in known.accounts
                if account.own_person == known.person.id
            ]
        )


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
