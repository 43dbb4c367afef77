"""A conversation as input of a language model: speaker, time and text, one turn a group of lines.

No text can forge a turn: only a turn's first line is not indented, and it begins with the number
and the label, which are ours. Pure.
"""

from collections.abc import Sequence
from typing import Final

from ashd.access.text_cleaning import one_line
from ashd.clock import from_micros
from ashd.store.transcripts import Said

_INDENT: Final = "    "
_STRUCTURE: Final = str.maketrans(dict.fromkeys("[]():,@", " "))
"""Characters that structure a label, each replaced by a space: a name must not contain them."""


def label(said: Said) -> str:
    """Return the speaker's label for the model: ``@handle (Name)``, ``@name`` or ``assistant``."""
    if said.role == "assistant":
        return "assistant"
    name = _plain(said.speaker or said.display_name or "")
    handle = _plain(said.handle or "") or name or said.role
    handle = "_".join(handle.split())
    return f"@{handle} ({name})" if name and name != handle else f"@{handle}"


def render(turns: Sequence[Said], first_number: int = 1) -> str:
    """Return the turns with numbers, as in ``[3] @david (David), 2026-05-04T18:30Z: text``."""
    return "\n".join(
        f"[{number}] {label(said)}, {from_micros(said.said_at):%Y-%m-%dT%H:%MZ}:"
        f" {_indented(said.content)}"
        for number, said in enumerate(turns, start=first_number)
    )


def _indented(text: str) -> str:
    return f"\n{_INDENT}".join(text.splitlines())


def _plain(name: str) -> str:
    return one_line(name.translate(_STRUCTURE))
