"""The system prompts of the tasks: a file a task and version, ``<task>_v<number>.md``.

A prompt that changes its meaning gets a new version; what was made with it records that number.
The line ``Task: <name>`` is put before it by `LanguageModel`.
"""

from functools import cache
from importlib import resources


@cache
def load(task: str, version: int) -> str:
    """The text of a prompt."""
    file = resources.files(__name__).joinpath(f"{task}_v{version}.md")
    return file.read_text(encoding="utf-8").strip()
