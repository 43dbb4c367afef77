"""The block for the prompt, as text: fenced, and marked as data. Pure.

Memories were said by somebody, perhaps to mislead: inside the fence no line can begin like our
headings, the fence itself or the tokens of a chat template.
"""

from collections.abc import Sequence
from typing import Final

from ashd.access.text_cleaning import clean, one_line
from ashd.context.budget import Filled
from ashd.conversation.echoed_context import CLOSE, LEAD, OPEN
from ashd.language.template_tokens import defuse
from ashd.token_estimate import estimate

OVERHEAD_TOKENS: Final = estimate(f"{OPEN}\n{LEAD}\n{CLOSE}")
"""Tokens of the block before its first section."""

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
    """Return content that can neither end the fence, begin a line nor look like a template."""
    return one_line(defuse(clean(content)))  # what is removed could hide a token
