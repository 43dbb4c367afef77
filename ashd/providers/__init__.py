"""What lies outside the daemon: embedders, the language model, and the breaker before them."""
