"""Conversations: turns stored with their dates and speakers, and searched."""
