"""Detect secrets that were refused inside an answer: a batch or a tool goes on without them."""

from typing import Any

from ashd.context.tools import CallResult
from ashd.conversation.ingest import IngestResult
from ashd.errors import ContentRefused
from ashd.memory.add_result import AddResult


def refused_content(result: Any) -> bool:
    """Return whether part of a call was not stored because it seemed to hold a secret."""
    match result:
        case AddResult():
            return any(_is_refusal(entry.error) for entry in result.memories)
        case IngestResult():
            return any(message.kind == ContentRefused.kind for message in result.refused)
        case CallResult():
            return _is_refusal(result.error) or refused_content(result.result)
    return False


def _is_refusal(error: Any) -> bool:
    return isinstance(error, dict) and error["data"]["kind"] == ContentRefused.kind
