"""Reduced games, enumerated whole: exact values, best responses, NashConv and equilibria."""
