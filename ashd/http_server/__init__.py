"""Servers of `ashd http` and `ash web`: their connections, and deadlines for clients.

Whoever can reach a port can take its places: with half a header, with a body that does not come,
with connections that ask nothing, or with answers that are not read. So a connection is sure of its
place only while an answer goes to somebody with a key.
"""
