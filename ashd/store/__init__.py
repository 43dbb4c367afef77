"""SQLite: the only place with SQL. A module an aggregate; decisions are made elsewhere."""
