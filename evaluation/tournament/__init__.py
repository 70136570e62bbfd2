"""Tournaments: who plays whom, the store of all results, tables and ratings."""
