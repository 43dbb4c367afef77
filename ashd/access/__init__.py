"""Who may what: the actor, the scope, the grants, the one disclosure policy."""
