"""Conversations: turns kept with their dates and speakers, and found again."""
