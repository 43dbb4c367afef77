"""Erasing: which rows go together, how they are removed, and how their traces are removed."""
