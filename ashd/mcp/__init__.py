"""The Model Context Protocol: versions, and tools in its form. The methods are in `rpc`."""
