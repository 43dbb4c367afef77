"""Phrases: texts and terms are split as the full-text index splits them."""

from ashd.store import full_text_tokens, migrations


def test_the_tokenizer_is_that_of_the_schema() -> None:
    """A passage is split as SQLite indexed it."""
    schema = "".join(text for _, text in migrations.schema_files())
    assert schema.count("using fts5 (") == schema.count(f'"{" ".join(full_text_tokens.TOKENIZER)}"')
