"""Export and import: what is stored, as lines of JSON."""
