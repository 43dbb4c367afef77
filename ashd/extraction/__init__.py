"""Facts out of conversations: asked of a language model, checked against what was said, stored."""
