"""`person.list`: the people that a caller knows, filtered, ordered, page by page."""

from collections import Counter
from typing import Annotated, Literal

import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.ids import no_cursor
from ashd.language.people import references
from ashd.language.people.relationship_groups import MEMBERS
from ashd.language.words import normalise
from ashd.people import model
from ashd.people.model import Known, PersonView
from ashd.store import people, person_activity
from ashd.store.database import Query, Tx
from ashd.store.visibility import Viewer

_Name = Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)]


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """People whose name or relationship matches `query`; without it, all.

    `relationship` keeps those with that relationship to somebody now ("son"), or with one of
    several ("family"). `connections` orders by the number of current relationships, most first.
    `count` adds how many current relationships there are of each kind, among all that `query`
    finds.
    """

    query: _Name | None = None
    relationship: _Name | None = None
    order: Literal["recent", "name", "connections"] = "recent"
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 50
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None
    count: bool = False


class ListResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page of people; `total` counts all pages, `next_cursor` gets the page after this one."""

    people: list[PersonView]
    next_cursor: str | None
    total: int
    relationships: dict[str, int] | msgspec.UnsetType = msgspec.UNSET


def page(tx: Tx, call: Call, params: ListParams) -> ListResult:
    """Return a page of the people that the caller knows.

    Raises:
        errors.InvalidParams: the cursor is none.
    """
    viewer = call.look(tx)
    found = shown(tx, viewer)
    if params.query:
        found = [known for known in found if _fits(known, params.query)]
    counted = _counted(found) if params.count else msgspec.UNSET
    if params.relationship:
        words = _words(params.relationship)
        found = [known for known in found if not words.isdisjoint(_is_what(known))]
    found = _ordered(found, params.order)
    first = _after(found, params.cursor) if params.cursor is not None else 0
    listed = found[first : first + params.limit]
    more = first + len(listed) < len(found)
    return ListResult(
        people=[model.to_wire(tx, known, viewer) for known in listed],
        next_cursor=listed[-1].known_as.uuid if listed and more else None,
        total=len(found),
        relationships=counted,
    )


def queries(viewer: Viewer) -> list[Query]:
    """Return the queries of `shown` that need no others before them."""
    if viewer.everything or viewer.group:
        return []
    return [people.own_query(viewer.accounts), person_activity.spoken_of_query(viewer.accounts)]


def shown(tx: Tx, viewer: Viewer) -> list[Known]:
    """Return the people that the viewer knows here, most recently active first."""
    found = list(model.load(tx, viewer, model.listed(tx, viewer)).values())
    if viewer.everything:
        return sorted(found, key=lambda known: known.person.active_at, reverse=True)
    # A group must not learn who is spoken of elsewhere, nor anybody mentioned only elsewhere.
    latest = {} if viewer.group else person_activity.spoken_of(tx, viewer.accounts)

    def spoken_of(known: Known) -> int:
        return max(model.known_since(known, viewer), latest.get(known.person.id, 0))

    return sorted(found, key=spoken_of, reverse=True)


def _fits(known: Known, query: str) -> bool:
    key = normalise(query)
    words = [known.name, *(alias.value for alias in known.aliases)]
    return (
        any(key in normalise(word) or references.matches(query, word) for word in words)
        or any(key == claim.relationship for claim in known.relationships)
        or any(key == normalise(account.username or "") for account in known.accounts)
    )


def _words(text: str) -> frozenset[str]:
    """Return the relationships that a word means: one, or several for a word such as "family"."""
    word = references.parse_reference(f"my {text}").relationship or normalise(text)
    return MEMBERS.get(word, frozenset({word}))


def _is_what(known: Known) -> list[str]:
    return [claim.relationship for claim in known.relationships if claim.ended_at is None]


def _counted(found: list[Known]) -> dict[str, int]:
    counted = Counter(word for known in found for word in _is_what(known))
    return dict(counted.most_common())


def _ordered(found: list[Known], order: str) -> list[Known]:
    """Return the people in another order; equal ones keep their order."""
    if order == "name":
        return sorted(found, key=lambda known: normalise(known.name))
    if order == "recent":
        return found
    degree: Counter[int] = Counter()
    for known in found:
        ends = {claim.to_person for claim in known.relationships if claim.ended_at is None}
        degree[known.person.id] += len(ends)
        degree.update(ends)
    return sorted(found, key=lambda known: degree[known.person.id], reverse=True)


def _after(found: list[Known], cursor: str) -> int:
    """Return the position in the list after the person whom a cursor names.

    Raises:
        errors.InvalidParams: nobody in the list has this id.
    """
    for place, known in enumerate(found, 1):
        if known.known_as.uuid == cursor:
            return place
    raise no_cursor()
