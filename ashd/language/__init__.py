"""Reads text: languages, dates, persons, relationships, words. Pure functions of text."""
