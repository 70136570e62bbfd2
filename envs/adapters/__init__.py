"""The games as other ecosystems know environments; no file names a game."""
