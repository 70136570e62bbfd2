"""Hidden-role card games as environments.

Importing this makes them known to ``pettingzoo.make("aec", "masked_monsters/<game>_v<version>")``.
"""

from masked_monsters.envs.adapters.aec import register_games
from masked_monsters.envs.registry import GAMES

register_games(GAMES)
