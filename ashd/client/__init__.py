"""Clients of the daemon for host agents: `sync` on the standard library, `aio` on anyio.

Both speak JSON-RPC over one Unix socket and share `protocol`, their pure part. Results are plain
dicts with the shapes of `types`; failures are `AshCallError`.
"""
