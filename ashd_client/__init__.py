"""Clients of the daemon for host agents, on the standard library: `sync`, and `aio` for asyncio.

Both speak JSON-RPC over one Unix socket and share `exchange`, the steps of a call. They have every
method of the daemon, as `client.memory.search("tea")`; `make docs` writes those and the `types` of
results from the daemon's table. Results are plain dicts; failures are `AshCallError`.
"""
