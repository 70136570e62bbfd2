"""How good sampled beliefs are in Monster My Neighbor: ``python docs/examples/effective_size.py``."""

import argparse
import time
from collections import defaultdict

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.evaluation.beliefs import history_of, resample


def main() -> None:
    """Print the effective size of samples at random moments of random matches, by turns taken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--moments", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    batch = Batch("monster_my_neighbor", 64, args.seed, num_players=args.players)
    sizes, seconds = defaultdict(list), 0.0
    for moment in range(args.moments):
        batch.step((random.random(batch.action_mask.shape) * batch.action_mask).argmax(axis=1))
        lane, seat = int(random.integers(64)), int(random.integers(args.players))
        history = history_of(batch.game, batch.states, lane, seat)
        begun = time.perf_counter()
        try:
            found = resample(batch.game, seat, history, count=args.count, seed=moment)
            size = found.effective_size
        except ValueError:
            size = 0.0
        seconds += time.perf_counter() - begun
        sizes[int(batch.states["turns"][lane].sum()) // args.players].append(size)
    for turns, found in sorted(sizes.items()):
        low, median, high = np.quantile(found, (0.1, 0.5, 0.9))
        print(f"{turns} turns each: {median:.0f} ({low:.0f} to {high:.0f}), {len(found)} moments")
    print(f"{1000 * seconds / args.moments:.0f} ms a call; the middle 80 % in brackets, 0: refused")


if __name__ == "__main__":
    main()
