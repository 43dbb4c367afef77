"""Adapters that give agent frameworks this memory; each needs its framework, an extra."""
