"""Memories: storing, changing and searching them, and what a new fact does to older ones."""
