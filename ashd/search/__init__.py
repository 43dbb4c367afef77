"""Retrieval: from a question to ranked memories and turns."""
