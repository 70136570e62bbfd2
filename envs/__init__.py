"""Hidden-role card games as environments.

Importing this makes them known to ``pettingzoo.make("aec", "masked_monsters/<game>_v<version>")`` and to
``gymnasium.make("masked_monsters/<Game>-v<version>")``.
"""

from masked_monsters.envs.adapters.aec import register_games
from masked_monsters.envs.adapters.gymnasium_ids import register_single_seats
from masked_monsters.envs.registry import GAMES

register_games(GAMES)
register_single_seats(GAMES)
