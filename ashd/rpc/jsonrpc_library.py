"""jsonrpcserver, without the schema library and the HTTP server that it loads.

Requests are checked before it sees them, so its own check is never used, and nothing here is served
over HTTP. Both libraries would cost every start 40 ms of CPU and keep 5 MiB, a twelfth of an idle
daemon. While jsonrpcserver is imported, empty modules take their places; later imports of them get
the real ones.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

_REPLACED: Final = ("jsonschema", "jsonschema.validators", "jsonrpcserver.server")


class _NoValidator:
    """A validator that is never used."""

    def __init__(self, _schema: Any) -> None: ...

    @staticmethod
    def check_schema(_schema: Any) -> None:
        """Accept the library's own schema."""

    def validate(self, _request: Any) -> None:
        """Refuse to be used: it would let everything pass."""
        raise NotImplementedError


@contextmanager
def _without_libraries() -> Iterator[None]:
    replaced = [name for name in _REPLACED if name not in sys.modules]
    for name in replaced:
        module = ModuleType(name)
        module.validator_for = lambda _schema: _NoValidator  # type: ignore[attr-defined]
        module.serve = None  # type: ignore[attr-defined]
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in replaced:
            del sys.modules[name]


with _without_libraries():
    from jsonrpcserver import Error, Success
    from jsonrpcserver.async_dispatcher import dispatch_request
    from jsonrpcserver.dispatcher import to_response
    from jsonrpcserver.request import Request
    from jsonrpcserver.response import to_serializable
    from jsonrpcserver.sentinels import NOCONTEXT, NOID

__all__ = [
    "NOCONTEXT",
    "NOID",
    "Error",
    "Request",
    "Success",
    "dispatch_request",
    "to_response",
    "to_serializable",
]
