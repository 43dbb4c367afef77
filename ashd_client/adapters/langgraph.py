"""LangGraph's `BaseStore` on the daemon: what a graph stores is found by meaning, and by `ash`.

An item is a memory whose content is the item's text; its key, namespace and value are in the
metadata. Items of the same words share a memory. A new value supersedes the former one.
"""

import asyncio
import json
import operator
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ashd_client import fitting
from ashd_client.sync import AshCallError, Client

_TAG: Final = "langgraph"
_MADE: Final = "made_by"
_TEXT_FIELDS: Final = ("content", "text", "memory", "data")
_PAGE: Final = 100
_ATTEMPTS: Final = 100
_TIMES: Final = ("created_at", "updated_at")
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class AshStore(BaseStore):
    """A store for `graph.compile(store=…)`; `client` says on whose behalf it stores."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._putting = threading.Lock()
        """Held while an item is put, so that only other programs change its memory meanwhile."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, PutOp):
            with self._putting:
                self._put_at_last(op)
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(op)

    def _get(self, op: GetOp) -> Item | None:
        tag = _key_tag(op.namespace, op.key)
        known = self._holding(tag)
        return _item(known[0], _entries(known[0])[tag]) if known else None

    def _put_at_last(self, op: PutOp) -> None:
        """Put an item; again if another program has changed its memory since it was read."""
        for _ in range(_ATTEMPTS):
            try:
                return self._put(op)
            except AshCallError as error:
                if error.kind != "conflict":
                    raise
        return self._put(op)

    def _put(self, op: PutOp) -> None:
        tag = _key_tag(op.namespace, op.key)
        if op.value is None:
            for memory in self._holding(tag):
                self._drop(memory, tag)
            return
        known = self._newest(tag)
        entry = {
            "namespace": list(op.namespace),
            "key": op.key,
            "value": dict(op.value),
            **(_times(known, tag) if known else {}),
        }
        content = _text(op.value)
        # The words of a memory that another item's words have replaced cannot be changed.
        former = known if known and _is_active(known) else None
        if former and former["content"] == content:
            self._describe(former, {**_entries(former), tag: entry})
        elif former and _is_ours(former) and set(_entries(former)) == {tag}:
            self._change(former, {"content": content, **_described({tag: entry}, former)})
        else:
            if former:
                self._drop(former, tag)
            try:
                self._add(content, tag, entry)
            except AshCallError:
                if former:  # a refused value leaves the former one
                    self._add(former["content"], tag, _entries(former)[tag])
                raise
            self._newest(tag)

    def _add(self, content: str, tag: str, entry: dict[str, Any]) -> None:
        made = _described({tag: entry}, {"metadata": {_MADE: _TAG}, "tags": []})
        (added,) = self._client.call("memory.add", content=content, **made)["memories"]
        if added["outcome"] == "duplicate":
            memory = added["memory"]
            self._describe(memory, {**_entries(memory), tag: entry})

    def _drop(self, memory: dict[str, Any], tag: str) -> None:
        """Take an item from a memory; the memory goes with the last item that made it."""
        left = {name: entry for name, entry in _entries(memory).items() if name != tag}
        if left or not _is_ours(memory):
            self._describe(memory, left)
            return
        known = memory["revision"]
        self._client.call("memory.delete", id=memory["id"], expected_revision=known)

    def _newest(self, tag: str) -> dict[str, Any] | None:
        """Return the memory of an item; older ones, which other programs made, lose it."""
        known = self._holding(tag)
        for memory in known[1:]:
            if _is_active(memory):
                self._drop(memory, tag)
        return known[0] if known else None

    def _holding(self, tag: str) -> list[dict[str, Any]]:
        """Return the memories that hold an item, the one with the newest value first.

        It need not be the newest memory: the words of a value may have been remembered before.
        """
        listed = self._memories([tag], include_superseded=True)
        # Another program may take the item out while the daemon lists.
        found = [one for one in listed if tag in _entries(one)]
        return sorted(found, key=lambda one: _put_at(one, tag), reverse=True)

    def _describe(self, memory: dict[str, Any], entries: dict[str, Any]) -> None:
        self._change(memory, _described(entries, memory))

    def _change(self, memory: dict[str, Any], changes: dict[str, Any]) -> None:
        known = memory["revision"]
        self._client.call(
            "memory.update", id=memory["id"], changes=changes, expected_revision=known
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tags = [_prefix_tag(op.namespace_prefix)]
        wanted = op.offset + op.limit
        found: list[SearchItem] = []
        seen = set[str]()
        for memory, score in self._ranked(op, tags) if op.query else self._listed(tags):
            for tag, entry in _entries(memory).items():
                if tag in seen or not _starts(entry["namespace"], op.namespace_prefix):
                    continue
                if not memory["superseded_at"] or self._is_newest(memory, tag):
                    seen.add(tag)
                    if _fits(entry, op.filter):
                        found.append(_search_item(memory, entry, score))
            if len(found) >= wanted:
                break
        return found[op.offset : wanted]

    def _listed(self, tags: list[str]) -> Iterator[tuple[dict[str, Any], None]]:
        """Yield the memories with these tags, the newest of an item first.

        An item is there until it is deleted, even if the memory of another replaced its own.
        """
        for memory in self._memories(tags, include_superseded=True):
            yield memory, None

    def _ranked(self, op: SearchOp, tags: list[str]) -> Iterator[tuple[dict[str, Any], float]]:
        """Yield the memories that a query finds, and those that the daemon takes for repeats."""
        limit = min(_PAGE, op.offset + op.limit if not op.filter else _PAGE)
        results = self._client.call(
            "memory.search", query=op.query, tags=tags, limit=limit, include_superseded=True
        )
        for one in results["results"]:
            yield one["memory"], one["score"]
            for repeat in one["repeats"]:
                yield self._client.call("memory.get", id=repeat)["memory"], one["score"]

    def _is_newest(self, memory: dict[str, Any], tag: str) -> bool:
        return [memory["id"]] == [one["id"] for one in self._holding(tag)[:1]]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {
            tuple(entry["namespace"][: op.max_depth])
            for memory in self._memories([_TAG], include_superseded=True)
            for entry in _entries(memory).values()
            if all(_matches(entry["namespace"], one) for one in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _memories(self, tags: list[str], **more: Any) -> Iterator[dict[str, Any]]:
        """Yield the memories with these tags, newest first."""
        cursor = None
        while True:
            if cursor:
                more["cursor"] = cursor
            page = self._client.call("memory.list", tags=tags, limit=_PAGE, **more)
            yield from page["memories"]
            cursor = page["next_cursor"]
            if not cursor:
                return


def _text(value: Mapping[str, Any]) -> str:
    """Return the words by which a value is found: its text, else all of it as JSON; cut if long."""
    texts = (value[name] for name in _TEXT_FIELDS if isinstance(value.get(name), str))
    named = next((text for text in texts if text.strip()), None)
    return fitting.text(named or json.dumps(value, ensure_ascii=False, sort_keys=True))


def _key_tag(namespace: Iterable[str], key: str) -> str:
    return _tag("item", *namespace, key)


def _prefix_tag(prefix: tuple[str, ...]) -> str:
    return _tag("in", *prefix) if prefix else _TAG


def _tag(*parts: str) -> str:
    """Return a tag for names of any length and any signs."""
    return f"{_TAG}-{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(parts))}"


def _entries(memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return the items of a memory by the tags of their keys."""
    texts = (memory["metadata"] or {}).get(_TAG, {})
    names = ("namespace", "key", "value", *_TIMES)  # without times if it was put once
    return {tag: dict(zip(names, json.loads(text), strict=False)) for tag, text in texts.items()}


def _times(memory: Mapping[str, Any], tag: str) -> dict[str, str]:
    """Return the times of an item that has a new value now."""
    entry = _entries(memory).get(tag, {})
    created_at = entry.get("created_at") or memory["created_at"]
    return {"created_at": created_at, "updated_at": datetime.now(UTC).isoformat()}


def _is_ours(memory: Mapping[str, Any]) -> bool:
    return bool((memory["metadata"] or {}).get(_MADE) == _TAG)


def _is_active(memory: Mapping[str, Any]) -> bool:
    return memory["superseded_at"] is None and memory["archived_at"] is None


def _described(entries: Mapping[str, Any], memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tags and metadata of a memory with these items."""
    prefixes = {
        _prefix_tag(tuple(entry["namespace"][:end]))
        for entry in entries.values()
        for end in range(len(entry["namespace"]) + 1)
    }
    others = [tag for tag in memory["tags"] if tag.partition("-")[0] != _TAG]
    # Without the word "key" before a name that looks like one.
    texts = {
        tag: json.dumps([*entry.values()], ensure_ascii=False) for tag, entry in entries.items()
    }
    rest = {name: one for name, one in (memory["metadata"] or {}).items() if name != _TAG}
    return {
        "tags": [*others, *sorted(prefixes), *entries],
        "metadata": {**rest, _TAG: texts} if texts else rest,
    }


def _item(memory: Mapping[str, Any], entry: Mapping[str, Any]) -> Item:
    return Item(
        value=entry["value"],
        key=entry["key"],
        namespace=tuple(entry["namespace"]),
        created_at=_time(memory, entry, "created_at"),
        updated_at=_time(memory, entry, "updated_at"),
    )


def _search_item(
    memory: Mapping[str, Any], entry: Mapping[str, Any], score: float | None
) -> SearchItem:
    return SearchItem(
        value=entry["value"],
        key=entry["key"],
        namespace=tuple(entry["namespace"]),
        created_at=_time(memory, entry, "created_at"),
        updated_at=_time(memory, entry, "updated_at"),
        score=score,
    )


def _time(memory: Mapping[str, Any], entry: Mapping[str, Any], name: str) -> datetime:
    """Return a time of an item; one that was put once has those of its memory."""
    return datetime.fromisoformat(entry.get(name) or memory["created_at"])


def _put_at(memory: Mapping[str, Any], tag: str) -> datetime:
    """Return the time at which an item got the value that a memory holds."""
    return _time(memory, _entries(memory)[tag], "updated_at")


def _starts(namespace: list[str], prefix: tuple[str, ...]) -> bool:
    return tuple(namespace[: len(prefix)]) == prefix


def _fits(entry: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_compares(entry["value"].get(name), one) for name, one in (wanted or {}).items())


def _compares(value: Any, wanted: Any) -> bool:
    """Return whether a value fits a filter, as in LangGraph's own stores.

    An object is compared by the fields that the filter has; what has no order is in none.

    Raises:
        ValueError: there is no such operator.
    """
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_is_so(name, value, other) for name, other in wanted.items())
        is_object = isinstance(value, dict)
        return is_object and all(_compares(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        is_list = isinstance(value, list) and len(value) == len(wanted)
        return is_list and all(map(_compares, value, wanted))
    return bool(value == wanted)


def _is_so(name: str, value: Any, other: Any) -> bool:
    if name not in _COMPARED:
        raise ValueError(f"There is no operator {name}; there are: {', '.join(_COMPARED)}.")
    try:
        return bool(_COMPARED[name](value, other))
    except TypeError:
        return False


def _matches(namespace: list[str], condition: MatchCondition) -> bool:
    path = list(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(one in {"*", other} for one, other in zip(path, part, strict=True))
