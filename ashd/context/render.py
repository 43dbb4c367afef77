"""The block for the prompt, as text: fenced, and marked as data. Pure.

Memories were said by somebody, perhaps to mislead: inside the fence no line can begin like our
headings or the fence itself.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice
from typing import Final

from ashd.access.text_cleaning import one_line
from ashd.context.budget import Filled
from ashd.conversation.echo import CLOSE, LEAD, OPEN
from ashd.token_estimate import estimate

OVERHEAD_TOKENS: Final = estimate(f"{OPEN}\n{LEAD}\n{CLOSE}")
"""Tokens of the block before its first section."""

_FENCE_WORD: Final = "memory"
_OPENS: Final = re.compile(
    "([<\\ufe64\\uff1c\\u2039\\u2329\\u27e8\\u3008\\u276e\\u1438\\u02c2])((?:\\s*[/\\\\\\u2044\\u2215\\uff0f\\u29f8])*)\\s*"
)
"""Anything that looks like the sign that begins a tag, and the strokes after it."""
_WORD_CHARS: Final = 40
"""The distance within which the fence's word may follow, with marks and spaces in it."""
_LOOKALIKES: Final = str.maketrans(
    "\u043c\u0442\u0435\u043e\u0433\u0443\u03bf\u03b5\u03c1\u03b3\u0280\u1d0d\u1d07\u1d0f\u028f\u04af",
    "mmeoryoeryrmeoyy",
)
"""Letters of other scripts, in lower case, that look like letters of the fence's word."""
_LABEL_ENDS: Final = str.maketrans("[]", "()")


def block(sections: Sequence[Filled]) -> str:
    """Return the whole block; empty without sections."""
    if not sections:
        return ""
    parts = [OPEN, LEAD]
    for section in sections:
        parts.append(f"\n## {safe(section.heading)}\n")
        parts += [item.text for item in section.items]
    return "\n".join([*parts, CLOSE])


def line(content: str, label: str) -> str:
    """Return an item: its label, which the content cannot end, and its content on one line."""
    return f"- [{safe(label).translate(_LABEL_ENDS)}] {safe(content)}"


def safe(content: str) -> str:
    """Return content that can neither end the fence nor begin a line of its own."""
    return _OPENS.sub(_apart, one_line(content))


def _apart(opening: re.Match[str]) -> str:
    """Return a sign that begins a tag, with a space after it if it would read as the fence."""
    following = opening.string[opening.end() : opening.end() + _WORD_CHARS]
    if not _reads_as_fence(following):
        return opening[0]
    return f"{opening[1]}{''.join(opening[2].split())} "


def _reads_as_fence(text: str) -> bool:
    """Return whether a text begins with the fence's word, look-alike letters included."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKALIKES)
    letters = (char for char in plain if not (char.isspace() or unicodedata.combining(char)))
    return "".join(islice(letters, len(_FENCE_WORD))) == _FENCE_WORD
