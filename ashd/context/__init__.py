"""The context for a model: everything known that is relevant, put together."""
