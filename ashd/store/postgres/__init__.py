"""The engine for a PostgreSQL server: `pip install 'ashd[postgres]'` brings what it needs.

The statements are those of the rest of the store. `translation` writes them in PostgreSQL's way,
`connection` runs them, `schema` makes the tables, `full_text` finds words, and `engine` puts it
together.
"""
