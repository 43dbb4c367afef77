"""Text that memory put into a prompt is cut out when it comes back, and nothing else is."""

import pytest

from ashd.conversation import echoed_context
from ashd.conversation.echoed_context import CLOSE, LEAD, OPEN, TOOL_LEAD

GIVEN = "- [2026-05-04, David] likes tea"
BLOCK = f"{OPEN}\n{LEAD}\n\n## Memories\n\n{GIVEN}\n- [x] another\n{CLOSE}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (BLOCK, ""),
        (f"{BLOCK}\n\nWhat do I like?", "What do I like?"),
        (f"Be brief.\n{BLOCK}\nWhat do I like?", "Be brief.\nWhat do I like?"),
        (f"{BLOCK}\nOne\n{BLOCK}\nTwo", "One\nTwo"),
        # A model repeated it in an answer.
        (f"I know this: {BLOCK}", "I know this:"),
        (f"I know this: {BLOCK} That is all.", "I know this:\n That is all."),
        (f"Use {OPEN} here.\n{BLOCK}", f"Use {OPEN} here."),
        # The host took the frame away, or indented the lines, or cut the block.
        (f"## Memories\n\n{GIVEN}\n\nWhat do I like?", "What do I like?"),
        (f"   {GIVEN}\nWhat do I like?", "What do I like?"),
        (f"{OPEN}\n{LEAD}\n\n## Memories\n{GIVEN}\nWhat?", "What?"),
        # Somebody's own words stay as they are.
        ("- [ ] buy milk\n- [x] call Ann", "- [ ] buy milk\n- [x] call Ann"),
        (f"{OPEN}\nI write XML.\n{CLOSE}", f"{OPEN}\nI write XML.\n{CLOSE}"),
        ("## Memories\n\nI had a good day.", "## Memories\n\nI had a good day."),
        ("David likes tea", "David likes tea"),
    ],
)
def test_a_prompt_is_freed_of_what_it_was_given(text: str, left: str) -> None:
    """The frame or its given lines identify the block; a user's own list stays."""
    assert left == echoed_context.without(text, echoed_context.lines_given(GIVEN))


def test_a_tools_answer_is_no_turn() -> None:
    """Recalled text is recognised alone and in a host's JSON; another tool's answer is a turn."""
    assert "" == echoed_context.without(f'{{"content": "{TOOL_LEAD}\\n{GIVEN}"}}', (), of_tool=True)
    assert "It rains." == echoed_context.without("It rains.", (), of_tool=True)
