"""Monster My Neighbor, 3 to 8 players. Its rules: ``RULES.md`` beside this file, numbered M1 to M30."""
