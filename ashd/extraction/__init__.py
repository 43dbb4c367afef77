"""Extract facts from conversations: ask a language model, check the evidence, store the facts."""
