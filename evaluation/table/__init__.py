"""A table to sit at: matches of people and agents, in the browser and in the terminal."""
