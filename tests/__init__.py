"""The tests. A package, since Pgx installs one of this name that would be found first."""
