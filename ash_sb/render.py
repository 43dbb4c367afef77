"""Results and errors as labelled lines for a reader that is a language model.

A line at column 0 begins with a label and is ours; stored text follows the mark of
`text.block` or goes through `text.inline`. Ids are whole, times absolute with their zone. A list
ends with its count; what is cut says how to get the rest.
"""

from __future__ import annotations

from ash_sb.client import endpoint
from ash_sb.text import MARK, NOTE, an_object, flat, generic, inline, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ash_sb.errors import Failure

    Json = dict[str, Any]


def lines(words: str, result: Json, params: Json) -> list[str]:
    """The lines for the result of a command (by its words, as in the table)."""
    group = words.partition(" ")[0]
    if group == "status":
        shown = _status(result)
    elif group == "memory":
        from ash_sb import show_memories

        shown = show_memories.RENDERERS[words](result, params)
    elif group == "person":
        from ash_sb import show_people

        shown = show_people.RENDERERS[words](result, params)
    else:
        from ash_sb import show_recall

        shown = show_recall.RENDERERS[words](result, params)
    if any(line.startswith(MARK) for line in shown):
        shown.insert(0, NOTE)
    return shown + _remarks(result)


def failure(error: Failure) -> list[str]:
    """An error: what happened and how to mend it in one line, then what else is known."""
    said = f"error: {inline(error.kind)}: {sentence(error.message)}"
    text = f"{said}. {sentence(error.hint)}".rstrip(". ")
    shown = [text if text.endswith("?") else f"{text}."]
    shown += [f"candidate: {flat(one)}" for one in error.data.get("candidates") or ()]
    known = ("kind", "hint", "retryable", "candidates")
    rest = {key: value for key, value in error.data.items() if key not in known}
    return shown + generic(rest)


def _remarks(result: Json) -> list[str]:
    """Return the remarks of a reply: weak matches hidden, parts unavailable, notices."""
    shown = []
    withheld = an_object(result.get("withheld")).get("below_threshold")
    if withheld:
        shown.append(f"withheld: {inline(withheld)} below the score cut; --min-score 0 shows them")
    if result.get("degraded"):
        shown.append(f"degraded: {flat(result['degraded'])} is not available; less is found")
    shown += [f"notice: {_notice(notice)}" for notice in result.get("notices") or ()]
    return shown


def _notice(notice: Any) -> str:
    if isinstance(notice, dict) and set(notice) == {"kind", "message"}:
        return f"{inline(notice['kind'])}: {sentence(str(notice['message']))}"
    return flat(notice)


def _status(result: Json) -> list[str]:
    return ["status: the daemon answers", f"socket: {inline(endpoint())}", *generic(result)]
