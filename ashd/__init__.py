"""ashd: a daemon that owns a person's memories in one SQLite file."""

__version__ = "0.1.0"
