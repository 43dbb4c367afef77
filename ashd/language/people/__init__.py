"""People in sentences: names, roles, references, and statements about who is who."""
