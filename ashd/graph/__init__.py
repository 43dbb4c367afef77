"""Entities and what they are to one another, from when to when."""
