"""The answering models of Under My Bed."""

from collections import Counter

import numpy as np
import pytest

from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    CLAIM,
    KID,
)
from masked_monsters.evaluation.beliefs.answering import ANSWERING, Mimic
from tests.evaluation.beds import bed_game, decision, eager, played, words_of


def test_a_mimic_claims_what_one_of_the_monsters_that_it_may_be_might() -> None:
    game, model = bed_game(4, 6), Mimic()
    words = words_of(game)
    seen = Counter()
    for seed in range(40):
        for _, states in played(game, seed, eager(game, 0)):
            now = states[0]
            if now["phase"] != ANSWER or now["role"][now["to_move"]] != KID:
                continue
            seen_by = decision(game, states, model)
            row = model.probabilities(seen_by)[0]
            fits = [slot for slot in range(4) if now["fits"][now["to_move"], slot]] or range(4)
            attribute = now["about"][now["questions"][now["num_asked"] - 1], 0]
            expected = np.zeros(game.num_actions)
            for slot in fits:
                value = now["looks"][slot, attribute]
                true = [
                    claim
                    for claim in range(1, 15)
                    if seen_by.action_mask[0, words + CLAIM + claim] and claim >> value & 1
                ]
                for claim in true:
                    expected[words + CLAIM + claim] += 1 / len(true) / len(fits)
            np.testing.assert_allclose(row, expected, atol=1e-12)
            seen[len(fits)] += 1
    assert len(seen) > 2


@pytest.mark.parametrize("name", ANSWERING)
def test_an_answering_model_plays_whole_matches_by_the_rules(name: str) -> None:
    game, model = bed_game(4), ANSWERING[name]()
    for seed in range(5):
        *_, (events, _) = played(game, seed, model)
        *_, (again, _) = played(game, seed, model)
        assert events == again
    assert model.name == name
