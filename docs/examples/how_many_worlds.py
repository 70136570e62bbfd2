"""How many worlds a belief takes: ``python docs/examples/how_many_worlds.py 200 1000 2000``."""

import argparse
from unittest.mock import patch

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.bluff import monster_my_neighbor
from masked_monsters.evaluation.bluff.profile import keep_ledger, mean_of


def main() -> None:
    """Print the mean belief shift where observers know how all play: it should not be below 0."""
    parser = argparse.ArgumentParser()
    parser.add_argument("worlds", type=int, nargs="+")
    parser.add_argument("--matches", type=int, default=60)
    args = parser.parse_args()
    game = get_game("monster_my_neighbor")
    player = load_agent("mastermind", game)
    for worlds in args.worlds:
        with patch.object(monster_my_neighbor, "WORLDS", worlds):
            ledger = keep_ledger(
                game, player, player, matches=args.matches, close_matches=args.matches, rollouts=0
            )
        shift = mean_of(ledger.rows, "shift")
        assert shift is not None
        print(f"{worlds} worlds: {shift.mean:+.3f} ± {shift.half_width:.3f} bits an act")


if __name__ == "__main__":
    main()
