"""What the games share and no game is named in: compilation, random numbers, chance, the batch loop."""
