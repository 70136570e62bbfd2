"""Runs, tournaments and measurements as one page: HTML that needs nothing else, and Markdown."""
