"""Memories: what they are, how they enter, what replaces what."""
