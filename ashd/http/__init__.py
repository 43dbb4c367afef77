"""`ashd http`: a gateway for OpenAI-compatible clients, MCP and JSON-RPC over HTTP.

A process of its own and a client of the daemon's sockets: it can be down, slow or attacked without
the daemon noticing.
"""
