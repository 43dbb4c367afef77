"""Erasing: which rows go with which, how they are removed, and that no trace of them is left."""
