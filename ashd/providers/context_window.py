"""The window of a model, as its endpoint states it. Pure but for the requests.

vLLM and gateways state it in their list of models, llama.cpp in `/props`, LM Studio and Ollama in
lists of their own, there only while the model is loaded.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

_FIELDS: Final = ("max_model_len", "loaded_context_length", "context_length", "context_window")
_LEAST: Final = 512
_MOST: Final = 100_000_000

Get = Callable[[str], Awaitable[Any]]
"""Returns the JSON document of an address; any error counts as no answer."""


async def stated(base_url: str, model: str, get: Get) -> int | None:
    """Return the tokens that a model's window holds; None if the endpoint says nothing."""
    for address in _addresses(base_url):
        found = None
        with suppress(Exception):  # most endpoints have but one of the addresses
            found = window_in(await get(address), model)
        if found is not None:
            return found
    return None


def window_in(document: Any, model: str) -> int | None:
    """Return the window that a document states for a model."""
    if not isinstance(document, Mapping):
        return None
    settings = document.get("default_generation_settings")
    if isinstance(settings, Mapping):
        return _number(settings.get("n_ctx"))
    for listed in (document.get("data"), document.get("models")):
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, Mapping) and model in {entry.get("id"), entry.get("name")}:
                stated = (_number(entry.get(field)) for field in _FIELDS)
                return next((number for number in stated if number is not None), None)
    return None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and _LEAST <= value <= _MOST else None


def _addresses(base_url: str) -> list[str]:
    parts = urlsplit(base_url.rstrip("/"))
    root = parts.path.removesuffix("/v1")
    paths = (f"{parts.path}/models", f"{root}/props", f"{root}/api/v0/models", f"{root}/api/ps")
    return [urlunsplit(parts._replace(path=path, query="", fragment="")) for path in paths]
