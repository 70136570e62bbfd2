"""How long a match of Under My Bed can get, how widely it branches and what it pays."""

from math import comb
from typing import Any

from masked_monsters.envs.game import Bounds


def bounds(state: Any) -> Bounds:
    """Of a match with the options of a record of ``STATE``."""
    n, questions = int(state["num_players"]), int(state["max_questions"])
    # Whom and what to ask, the answer, all polls, the votes besides the accuser's, the kid's last word.
    decisions = questions * (3 + n + (n - 2) + 1)
    # The line-up, the bed, the cards, the first asker; who is polled.
    chances = 2 + n + (state["first_asker"] < 0) + (0 if state["clockwise"] else questions * n)
    return Bounds(
        rounds=1,
        decisions=decisions,
        chances=int(chances),
        outcomes=max(n, comb(int(state["num_monsters"]), n)),
        least_score=-1.0,
        most_score=1.0,
        zero_sum=False,
        pays_at_end=True,
    )
