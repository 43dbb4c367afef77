"""Retrieval: from a question to ranked memories and turns, as decisions over what the store finds."""
