"""The doors: framing, envelope, dispatch, the servers and the method table."""
