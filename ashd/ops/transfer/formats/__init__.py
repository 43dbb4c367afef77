"""Files of other memory systems, read as facts, conversations and a graph: a module a format."""
