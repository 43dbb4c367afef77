"""What goes to a model: everything that is known, put together."""
