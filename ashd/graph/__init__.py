"""Entities, and dated relations between them."""
