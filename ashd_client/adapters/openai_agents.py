"""A `Session` of the OpenAI Agents SDK: the daemon keeps its conversation and learns from it.

What the person and the agent said is stored as they said it. Any other item, such as a call of a
tool, is stored as JSON in a message of the role `system`, which no search and no model reads. An
item with a secret in it is stored without its texts.
"""

import asyncio
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import resolve_session_limit

from ashd_client import fitting
from ashd_client.aio import AshCallError, AsyncClient

_ROLES: Final = frozenset({"user", "assistant"})
_PART_CHARS: Final = 9_000
_PAGE: Final = 500
_OURS: Final = re.compile(r"[0-9a-f]{32}#\d+/(\d+)")
"""The name of a part, with the number of parts of its item."""
_SPACE: Final = re.compile(r"\s")
_WITHHELD: Final = "(not stored: it held a secret)"


class AshSession(SessionABC):
    """A session for `Runner.run(…, session=…)`, on the daemon's control socket."""

    def __init__(
        self,
        session_id: str,
        client: AsyncClient,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._client = client

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, or the last `limit` of them, oldest first.

        Without a limit that of the session's settings holds.
        """
        limit = resolve_session_limit(limit, self.session_settings)
        items = [item for _, item in _items(await self._messages())]
        return items if limit is None else items[max(0, len(items) - limit) :]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items after the others."""
        for item in items:
            refused = await self._ingest(_messages(item))
            if refused:
                await self._ingest(_messages(_without_texts(item)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the last item and return it."""
        messages = await self._messages()
        items = list(_items(messages))
        if not items:
            return None
        last, popped = items[-1]
        left = [
            {name: one[name] for name in ("role", "content", "at", "external_id")}
            for one in messages
            if _name(one) != last
        ]
        # Cancelled between the two, it would have deleted them all.
        rewriting = asyncio.ensure_future(self._rewrite(left))
        try:
            await asyncio.shield(rewriting)
        except asyncio.CancelledError:
            await rewriting
            raise
        return popped

    async def _rewrite(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Store these messages in the place of all others."""
        await self.clear_session()
        for start in range(0, len(messages), _PAGE):
            await self._ingest(messages[start : start + _PAGE], skip_extraction=True)

    async def clear_session(self) -> None:
        """Remove all items."""
        try:
            await self._client.call("conversation.delete", conversation_id=self.session_id)
        except AshCallError as error:
            if error.kind != "not_found":
                raise

    async def _ingest(self, messages: Sequence[Mapping[str, Any]], **more: Any) -> bool:
        """Store messages; return whether one was refused."""
        done = await self._client.call(
            "conversation.ingest",
            conversation_id=self.session_id,
            messages=list(messages),
            **more,
        )
        return bool(done["refused"])

    async def _messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        before: dict[str, Any] = {}
        while True:
            try:
                page = await self._client.call(
                    "conversation.get", conversation_id=self.session_id, limit=_PAGE, **before
                )
            except AshCallError as error:
                if error.kind == "not_found":
                    return []
                raise
            found = [*page["messages"], *found]
            if len(page["messages"]) < _PAGE:
                return found
            before = {"before": page["messages"][0]["index"]}


def _messages(item: TResponseInputItem) -> list[dict[str, Any]]:
    """Return an item as messages of one name; a long one as several."""
    fields = cast("dict[str, Any]", item)
    role, text = fields.get("role"), _text(fields.get("content"))
    if role not in _ROLES or text is None:
        # Without spaces, since the daemon takes those around a message away.
        role, text = "system", json.dumps(fields, separators=(",", ":")).replace(" ", "\\u0020")
    name, parts = uuid.uuid4().hex, list(_parts(text))
    return [
        {"role": role, "content": part, "external_id": f"{name}#{number}/{len(parts)}"}
        for number, part in enumerate(parts)
    ]


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts that neither begin nor end with a space or a line end."""
    while len(text) > _PART_CHARS:
        ends = (n for n in range(_PART_CHARS, 0, -1) if not _SPACE.search(text[n - 1 : n + 1]))
        end = next(ends, _PART_CHARS)
        yield text[:end]
        text = text[end:]
    yield text


def _text(content: Any) -> str | None:
    """Return the text of a message as the daemon takes it; None for none, or more than text."""
    if isinstance(content, str):
        return fitting.whole(content) if content.strip() else None
    parts = content if isinstance(content, list) else []
    if not all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        return None
    text = fitting.whole("\n".join(part["text"] for part in parts))
    return text if text.strip() else None


def _without_texts(item: TResponseInputItem) -> TResponseInputItem:
    fields = dict(cast("dict[str, Any]", item))
    if "content" in fields:
        fields["content"] = _WITHHELD
    if "output" in fields:
        fields["output"] = _WITHHELD
    if "arguments" in fields:
        fields["arguments"] = "{}"
    return cast("TResponseInputItem", fields)


def _name(message: Mapping[str, Any]) -> str:
    return str(message["external_id"] or message["id"]).partition("#")[0]


def _items(messages: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, TResponseInputItem]]:
    """Yield the items with their names; the parts of a long one together.

    An item that lacks a part is left out: it held a secret, and follows without its texts.
    """
    texts: dict[str, tuple[str, list[str]]] = {}
    counts: dict[str, int] = {}
    for message in messages:
        name, ours = _name(message), _OURS.fullmatch(message["external_id"] or "")
        role = message["role"] if ours or message["role"] in _ROLES else "developer"
        texts.setdefault(name, (role, []))[1].append(message["content"])
        counts[name] = int(ours[1]) if ours else 1
    for name, (role, parts) in texts.items():
        if len(parts) < counts[name]:
            continue
        text = "".join(parts)
        item = json.loads(text) if role == "system" else {"role": role, "content": text}
        yield name, cast("TResponseInputItem", item)
