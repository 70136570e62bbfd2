"""What holds in every state that play can reach, whatever the table and the deck."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from masked_monsters.envs.engine.chance import MAX_COUNT
from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.monster_my_neighbor import state as S
from masked_monsters.envs.monster_my_neighbor import view as V
from tests.envs.monster_my_neighbor.invariants import FAULTS, fault_of
from tests.envs.monster_my_neighbor.lockstep import GAME

EFFECTS = ("dog", "rumor", "gossip", "steal", "friend", "fog", "deal", "villager", "hunter")


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A table size and a deck, often of few types, so that rare things become common."""
    num_players = draw(st.integers(3, 8))
    hand_size = draw(st.integers(2, 4))
    kinds = draw(st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=4, unique=True))
    deck = {"wanted": 1, "hunter": 1, "hide": draw(st.integers(1, 5))}
    least = num_players * hand_size - 1
    missing = least - sum(deck.values()) + draw(st.integers(0, 4))
    for index in range(max(0, missing)):
        kind = kinds[index % len(kinds)]
        deck[kind] = min(MAX_COUNT, deck.get(kind, 0) + 1)
    deck["hide"] += max(0, least - sum(deck.values()))  # one kind alone may not be enough
    return {"num_players": num_players, "hand_size": hand_size, "deck": deck}


def check_state(state: Any) -> None:
    fault = fault_of(state)
    assert not fault, FAULTS[fault - 1]


@given(tables(), st.integers(0, 2**64 - 1), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_match_keeps_its_invariants_and_always_ends(
    table: dict[str, Any], seed: int, chooser: Any
) -> None:
    states = GAME.with_options(num_rounds=2, **table).new_states(1)
    states["stream"] = seed
    GAME.kernels.start_match(states, 0, True)
    state = states[0]
    mask = np.zeros(GAME.num_actions, np.int8)
    view = np.zeros(1, GAME.view)
    compact = np.zeros(1, GAME.compact)
    tokens = np.zeros((GAME.max_tokens, len(GAME.token_highs)), np.int8)
    while state["phase"] != OVER:
        check_state(state)
        for seat in range(table["num_players"]):
            GAME.kernels.observe(states, 0, seat, view, compact, 0)
            flat = compact.view(np.int8)
            assert ((flat >= 0) & (flat <= GAME.compact_highs)).all()
            assert GAME.kernels.recollect(states, 0, seat, tokens) <= V.MAX_TOKENS
            assert ((tokens >= 0) & (tokens <= GAME.token_highs)).all()
        GAME.kernels.list_legal(states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        assert legal
        GAME.kernels.step(states, 0, chooser.choice(legal), True)
        assert state["num_events"] <= S.MAX_EVENTS
    check_state(state)
    if state["vp"].max() == 0:  # M28: a betrayal pays nobody whose every other player is a Friend
        assert state["last_end"] == S.BETRAYED
        friends = state["friend"][: table["num_players"]].tolist()
        assert sum(friends) >= len(friends) - 1
        friends[state["last_monster_player"]] = 1
        assert all(friends)


def test_the_longest_rounds_fit_into_the_records() -> None:
    """8 players and little but one card that moves everybody's cards."""
    longest = 0
    for kind in ("fog", "rumor", "gossip", "steal"):
        deck = {"wanted": 1, "hunter": 1, "hide": 1, kind: 28}
        states = GAME.with_options(num_players=8, num_rounds=1, deck=deck).new_states(1)
        tokens = np.zeros((GAME.max_tokens, 4), np.int8)
        mask = np.zeros(GAME.num_actions, np.int8)
        for seed in range(30):
            states["stream"] = seed
            GAME.kernels.start_match(states, 0, True)
            while states["phase"][0] != OVER:
                GAME.kernels.list_legal(states, 0, mask)
                used = GAME.kernels.recollect(states, 0, int(states["to_move"][0]), tokens)
                assert used <= V.MAX_TOKENS
                GAME.kernels.step(states, 0, int(np.flatnonzero(mask)[-1]), True)
                longest = max(longest, int(states["num_events"][0]))
    assert 200 < longest <= S.MAX_EVENTS
