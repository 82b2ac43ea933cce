"""Players that do not learn: random, optimal, search, human."""
