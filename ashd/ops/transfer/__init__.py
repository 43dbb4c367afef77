"""Export and import the database as lines of JSON."""
