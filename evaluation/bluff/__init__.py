"""The bluff lab: what players do with what only they know, who believes it, and what it pays."""
