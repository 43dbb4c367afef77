"""The system prompts of the tasks: a file a task and version, ``<task>_v<number>.md``.

A prompt whose meaning changes gets a new version; results record that number. The line ``Task:
<name>`` is put before it by `LanguageModel`.
"""

from functools import cache
from importlib import resources


@cache
def load(task: str, version: int) -> str:
    """Return the text of a prompt."""
    file = resources.files(__name__).joinpath(f"{task}_v{version}.md")
    return file.read_text(encoding="utf-8").strip()
