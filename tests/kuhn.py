"""Kuhn poker (Kuhn 1950) for two, as a ``Game``: small enough that its equilibria are published."""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, COMMON_FIELDS, FIRST_DECISION, OVER
from masked_monsters.envs.engine.random import below, next_match, start_generator
from masked_monsters.envs.engine.segments import Segment, segments_dtype
from masked_monsters.envs.game import Bounds, Game, Rules

CHECK, BET = 0, 1  # after a bet: to fold, to call
NUM_CARDS = 3
STATE = np.dtype(
    [
        *COMMON_FIELDS,
        ("card", np.int8, 2),  # 0 … 2; -1 until dealt
        ("done", np.int8, 3),  # what has been done, in turn
        ("num_done", np.int8),
    ],
    align=True,
)
VIEW = np.dtype([("seat", np.int8), ("card", np.int8), ("done", np.int8, 3), ("num_done", np.int8)])
SEGMENTS = (
    Segment("card", (NUM_CARDS,), 1, "my card"),
    Segment("done", (3, 2), 1, "what has been done"),
)
COMPACT = segments_dtype(SEGMENTS)


class KuhnPoker(Game):
    """Without options, and not in the registry."""

    def with_options(self, /, **options: Any) -> Game:
        assert not options
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return kuhn_poker, ()


@compiled
def start(state: Any) -> None:
    next_match(state)
    start_generator(state, 1)
    state["round"] = 1
    state["cut"] = 0
    state["card"][:] = -1
    state["num_done"] = 0
    state["reward"][:] = 0
    state["phase"] = CHANCE
    state["to_move"] = -1


@compiled
def chance(state: Any, codes: Any, weights: Any) -> int:
    found = 0
    for card in range(NUM_CARDS):
        if card != state["card"][0]:
            codes[found] = card
            found += 1
    weights[:found] = 1.0 / found
    return found


@compiled
def draw(state: Any) -> int:
    if state["card"][0] < 0:
        return below(state, NUM_CARDS)
    return (int(state["card"][0]) + 1 + below(state, NUM_CARDS - 1)) % NUM_CARDS


@compiled
def resolve(state: Any, code: int) -> None:
    if state["card"][0] < 0:
        state["card"][0] = code
    else:
        state["card"][1] = code
        state["phase"] = FIRST_DECISION
        state["to_move"] = 0


@compiled
def legal(state: Any, mask: Any) -> None:
    mask[:] = 1


@compiled
def apply(state: Any, action: int) -> None:
    done = int(state["num_done"])
    bet_before = done > 0 and state["done"][done - 1] == BET
    state["done"][done] = action
    state["num_done"] += 1
    if not bet_before and (done == 0 or action == BET):
        state["to_move"] = 1 - state["to_move"]
        return
    seat = int(state["to_move"])
    better = 0 if state["card"][0] > state["card"][1] else 1
    winner = 1 - seat if bet_before and action == CHECK else better
    stake = 2.0 if bet_before and action == BET else 1.0
    state["reward"][winner] = stake
    state["reward"][1 - winner] = -stake
    state["phase"] = OVER
    state["to_move"] = -1
    state["cut"] = 1


@compiled
def look(state: Any, seat: int, view: Any) -> None:
    view["seat"] = seat
    view["card"] = state["card"][seat]
    view["done"][:] = state["done"]
    view["num_done"] = state["num_done"]


@compiled
def recall(state: Any, seat: int, tokens: Any) -> int:
    tokens[0, 0] = 1 + state["card"][seat]
    for i in range(state["num_done"]):
        tokens[1 + i, 0] = 4 + state["done"][i]
    return 1 + int(state["num_done"])


@compiled
def encode(view: Any, out: Any) -> None:
    out["card"][:] = 0
    out["card"][view["card"]] = 1
    out["done"][:] = 0
    for i in range(view["num_done"]):
        out["done"][i, view["done"][i]] = 1


def kuhn_poker() -> Game:
    """For two players, who ante 1 and may bet 1 more."""
    record = np.zeros(1, STATE)
    record["num_players"] = 2
    return KuhnPoker(
        name="kuhn_poker",
        title="Kuhn poker",
        version=0,
        state=STATE,
        view=VIEW,
        segments=SEGMENTS,
        compact=COMPACT,
        token_highs=(5,),
        max_tokens=4,
        actions=("CHECK", "BET"),
        options={},
        record=record,
        rules=Rules(start, legal, apply, chance, draw, resolve, look, recall, encode),
        bounds=Bounds(
            rounds=1,
            decisions=3,
            chances=2,
            outcomes=3,
            least_score=-2,
            most_score=2,
            zero_sum=True,
            pays_at_end=True,
        ),
        words=None,  # type: ignore[arg-type]  # nobody reads it
    )
