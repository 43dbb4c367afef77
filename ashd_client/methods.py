"""The methods of a client at run time; `methods.pyi` has their names, params and results.

`client.memory.search("tea")` calls `memory.search`; what must be given may go by place. A trailing
underscore keeps a name out of the language's way: `client.db.import_`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ashd_client.wire_values import REQUIRED


class _Namespace:
    """The methods of a namespace."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def __getattr__(self, name: str) -> Any:
        method = f"{self._name}.{name.removesuffix('_')}"
        if method not in REQUIRED:
            raise AttributeError(f"The daemon has no method {method}.")
        return partial(_call, self._client, method)

    def __dir__(self) -> list[str]:
        return [name.rpartition(".")[2] for name in REQUIRED if name.startswith(f"{self._name}.")]


class Methods:
    """The methods of the daemon, by namespace."""

    def __getattr__(self, name: str) -> Any:
        if not any(method.startswith(f"{name}.") for method in REQUIRED):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        return _Namespace(self, name)


AsyncMethods = Methods


def _call(client: Any, method: str, /, *given: Any, **params: Any) -> Any:
    """Call a method, with params that fit the daemon's limits."""
    from ashd_client.fitting import FITTED  # noqa: PLC0415  few calls need it

    if len(given) > len(REQUIRED[method]):
        raise TypeError(f"{method} takes {len(REQUIRED[method])} params by place, others by name.")
    params |= zip(REQUIRED[method], given, strict=False)
    for name, fit in FITTED.get(method, {}).items():
        if name in params:
            params[name] = fit(params[name])
    return client.call(method, **params)
