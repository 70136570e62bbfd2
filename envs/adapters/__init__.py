"""One file an ecosystem; none of them names a game."""
