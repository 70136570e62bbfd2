"""The reference agents, a file for each game, and what is known of them."""
