"""Clients of the daemon for host agents: `sync` on the standard library, `aio` on anyio.

Both speak JSON-RPC over one Unix socket and share their pure part, `protocol`. What comes back are
plain dicts with the shapes of `types`; what goes wrong is an `AshCallError`.
"""
