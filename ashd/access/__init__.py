"""Access control: the actor, the scope, grants and the one disclosure policy."""
