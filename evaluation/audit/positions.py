"""Positions to audit: decisions of random matches, as many of every phase as there are."""

from collections import Counter
from itertools import chain, islice, zip_longest

import numpy as np

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game

PLAYED = 50
"""Decisions that are played for each that is chosen, and at least ``LEAST``: some phases are rare."""
LEAST = 2000
HASTE = 0.05
"""How often an action that ends the match is done at once; else others are tried, too."""
TRIES = 8


def random_positions(game: Game, count: int, random: np.random.Generator) -> list[np.ndarray]:
    """``count`` records of ``(1,)``, each waiting for a decision."""
    found: dict[int, list[np.ndarray]] = {}
    met: Counter[int] = Counter()
    states = game.new_states(1)
    states["stream"] = random.integers(2**64, dtype=np.uint64)
    states["phase"] = OVER
    for _ in range(max(PLAYED * count, LEAST)):
        if states["phase"][0] == OVER:
            game.kernels.start_match(states, 0, True)
        phase = int(states["phase"][0])
        met[phase] += 1
        kept = found.setdefault(phase, [])
        if len(kept) < count:
            kept.append(states.copy())
        elif (place := int(random.integers(met[phase]))) < count:  # each is as likely to be kept
            kept[place] = states.copy()
        states = _after_any_action(game, states, random)
    for kept in found.values():
        random.shuffle(kept)  # type: ignore[arg-type]  # a list is a sequence that can be changed
    in_turn = chain.from_iterable(zip_longest(*(found[phase] for phase in sorted(found))))
    return list(islice((one for one in in_turn if one is not None), count))


def _after_any_action(game: Game, states: np.ndarray, random: np.random.Generator) -> np.ndarray:
    mask = np.zeros(game.num_actions, np.int8)
    game.kernels.list_legal(states, 0, mask)
    legal = np.flatnonzero(mask)
    after = states
    for _ in range(1 if random.random() < HASTE else TRIES):
        after = states.copy()
        game.kernels.step(after, 0, int(legal[random.integers(len(legal))]), True)
        if after["phase"][0] != OVER:
            break
    return after
