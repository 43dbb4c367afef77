"""People: identifying them by names and relationships, and what each reader may know of them."""
