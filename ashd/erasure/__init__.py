"""Forgetting: selections of what goes, one engine that takes what depends on it, one receipt."""
