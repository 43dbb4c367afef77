"""The RPC sockets: framing, envelope, dispatch, the servers and the method table."""
