"""Render the results of the `person` commands as lines."""

from __future__ import annotations

from ash_sb.text import an_object, count, flat, inline, moment, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]


def _resolved(result: Json, _params: Json) -> list[str]:
    created = "yes, nobody like that was known" if result.get("created") else "no, known before"
    return [
        f"person: {inline(result['person_id'])}",
        f"name: {inline(result.get('person_name'))}",
        f"created: {created}",
        f"matched by: {inline(result.get('matched_by'))}",
        *may_be(result),
    ]


def may_be(person: Json) -> list[str]:
    """List the other people who could be meant, one per line."""
    return [
        f"may be: {inline(one.get('name'))} (person {inline(one.get('id'))}"
        + (f", {inline(one['relationship'])})" if one.get("relationship") else ")")
        for one in map(an_object, person.get("may_be") or ())
    ]


def _people(result: Json, params: Json) -> list[str]:
    people = result["people"]
    shown = [f"person {at}: {_person_summary(person)}" for at, person in enumerate(people, 1)]
    return [*shown, count(len(people), "person", "people", params.get("limit", 50))]


def _person_summary(person: Json) -> str:
    pieces = [f"id {inline(person['id'])}", f"name {inline(person.get('name'))}"]
    for label, key in (("relationships", "relationship"), ("aliases", "value")):
        values = [an_object(one).get(key, one) for one in person.get(label) or ()]
        if values:
            pieces.append(f"{label} {names(values)}")
    return "; ".join(pieces)


def _person(result: Json, _params: Json) -> list[str]:
    person = result["person"]
    shown = [f"person: {inline(person['id'])}", f"name: {inline(person.get('name'))}"]
    for claim in person.get("relationships") or ():
        by, at = inline(claim.get("stated_by")), moment(claim.get("created_at"))
        shown.append(f"relationship: {inline(claim.get('relationship'))} (said by {by} at {at})")
    for alias in person.get("aliases") or ():
        by, at = inline(alias.get("added_by")), moment(alias.get("created_at"))
        shown.append(f"alias: {inline(alias.get('value'))} (added by {by} at {at})")
    shown += [f"account: {flat(account)}" for account in person.get("accounts") or ()]
    if person.get("merged_into"):
        shown.append(f"merged into: {inline(person['merged_into'])}")
    if person.get("metadata"):
        shown.append(f"metadata: {flat(person['metadata'])}")
    created, updated = moment(person.get("created_at")), moment(person.get("updated_at"))
    return [*shown, f"created: {created}", f"updated: {updated}"]


RENDERERS: dict[str, Callable[[Json, Json], list[str]]] = {
    "person resolve": _resolved,
    "person list": _people,
    "person show": _person,
}
