"""The Model Context Protocol: its revisions, and its methods, which are rows of `rpc.methods`."""
