"""People: who is meant by a name or a word, what they are to whom, and who they are to a reader."""
