"""The reference memory server of MCP: one JSON object per line, each an entity or a relation.

An observation is a fact about its entity. A relation of the user is a fact, too: whose partner
somebody is makes a person known, and no entity stands for the user. The server keeps no dates.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ashd.language.people.vocabulary import relationships_in
from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    BadItem,
    EntityItem,
    FactItem,
    Item,
    RelationItem,
    entity_type,
    text_of,
)

_USER: Final = frozenset({"default_user", "user"})
"""Names that the server's own instructions give the user."""
_MARRIED: Final = "married"
_MUTUAL: Final = frozenset(
    {"spouse", "partner", "friend", "colleague", "neighbour", "sibling", "twin", "cousin"}
)
"""Relationships that hold in both directions."""


def read(path: Path) -> Iterator[Item]:
    """Yield the entities, observations and relations of a file."""
    for found in json_file.objects(path, ["memory.jsonl"]):
        if isinstance(found, BadItem):
            yield found
        else:
            yield from _items(*found)


def _items(line: int, value: dict[str, Any]) -> Iterator[Item]:
    if value.get("type") == "relation":
        yield _relation(line, text_of(value, "from"), value, text_of(value, "to"))
        return
    name, kind = _name(text_of(value, "name")), entity_type(text_of(value, "entityType"))
    is_user = text_of(value, "name").casefold() in _USER
    if not is_user:
        yield EntityItem(line, name, kind)
    observations = value.get("observations")
    for observation in observations if isinstance(observations, list) else []:
        text = observation if isinstance(observation, str) else ""
        says_whom = is_user or name.casefold() in text.casefold()
        yield FactItem(
            line=line,
            identifier=_identity(name, text),
            content=text if says_whom or not text else f"{name}: {text}",
            at=None,
            subjects=(name,) if kind == "person" and not is_user else (),
        )


def _relation(line: int, source: str, value: dict[str, Any], target: str) -> Item:
    relation = _name(text_of(value, "relationType"))
    ends = (_name(source), _name(target))
    of_user = [end.casefold() in _USER for end in (source, target)]
    if not any(of_user) or all(of_user):
        return RelationItem(line, ends[0], relation, ends[1])
    other = ends[0] if of_user[1] else ends[1]
    role = _role(relation, of_source=of_user[1])
    subjects: tuple[str, ...] = ()
    if role is not None:
        content, subjects = f"My {role} is {other}.", (f"my {role} {other}",)
    else:
        named = ["the user" if is_user else end for is_user, end in zip(of_user, ends, strict=True)]
        text = f"{named[0]} {relation} {named[1]}."
        content = text[:1].upper() + text[1:]
    return FactItem(line, _identity(*ends, relation), content, None, subjects=subjects)


def _role(relation: str, *, of_source: bool) -> str | None:
    """Return the other person's role for the user ("partner"); None if no role is named."""
    folded = relation.casefold()
    roles = {"spouse"} if _MARRIED in folded else relationships_in(folded)
    if len(roles) != 1:
        return None
    (role,) = roles
    # "Anna mother of user" tells of Anna, "user has mother Anna" of her as well.
    return role if role in _MUTUAL or folded.endswith(" of") == of_source else None


def _identity(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def _name(identifier: str) -> str:
    """Return a name as people write it: identifiers have underscores for spaces."""
    return identifier.replace("_", " ").strip()
