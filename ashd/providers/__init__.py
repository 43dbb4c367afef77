"""External services: embedders, the language model, and their circuit breaker."""
