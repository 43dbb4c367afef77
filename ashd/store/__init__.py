"""The only place with SQL. A module an aggregate; decisions are made elsewhere.

Statements are written once, in words that SQLite and PostgreSQL both read; `dialect` has the rest.
`engine` is what the two have in common; `postgres` is the server's. These modules care for SQLite
alone: its connections, its file and the damage of one, what it keeps of erased words, and how it
describes its tables.

    checking checksums connection damage dead_pages encryption full_text health long_reads
    migrations opening osaurus page_format page_gaps rescue restoring row_numbers snapshot
    sqlite sqlite_catalog sqlite_dialect still_file verified_copy witness erasure/traces
"""
