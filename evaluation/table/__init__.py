"""A table to sit at: matches of people and agents, in the browser and in the terminal.

Where to look:

- ``command``: ``masked-monsters play``; starts ``serve``, or ``terminal`` (with ``moves``, ``paper``).
- ``serve``: the server of ``page/``; ``lobby``, ``roster``: what can be opened, who can sit there.
- ``tables``, ``table``, ``eyes``: all matches that go on, one of them, and those who look at it.
- ``seen``: what a seat, or whoever watches, is shown; ``about_GAME``: what explains it.
- ``replays``: what the page asks of a replay; ``film``: what all saw; ``analysis``: what players would
  have done and believed, with a module a game, ``analysis_GAME``.
"""
