"""Under My Bed: the rules, what a seat sees, and words for it."""
