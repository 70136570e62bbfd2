"""Monster My Neighbor, for 3 to 8 players, as a PettingZoo AEC environment.

One player secretly holds the Monster; cards change hands, and so does the Monster. Whoever plays it
as a last card wins the round with the Friends; the others win by making its holder discard it, with
a Hunter or a Dog. The rules, numbered M1 to M30, are ``RULES.md`` in ``envs/monster_my_neighbor``.

| | |
| --- | --- |
| Import | ``from masked_monsters.envs import monster_my_neighbor_v0`` |
| Agents | ``player_0`` … ``player_{n-1}``, clockwise; n = 3 … 8 |
| Actions | ``Discrete(20)``, masked |
| Observation | ``{"observation", "action_mask"}``; the mask is int8, all 0 for a seat not deciding |
| Length | ``num_rounds`` rounds (and up to 5 more to break ties) of at most 4n turns |
| Rewards | VP at each round's end (0 to 3 a seat), or the match's win shares at its end |

**Actions.** 0 to 11: a card type, WANTED, HUNTER, HIDE, VILLAGER, DOG, RUMOR, GOSSIP, STEAL, FRIEND,
FOG, DEAL, MONSTER. 12 to 18: the 1st … 7th seat to my left. 19: FOLD. The mask forbids a Hunter on
one's first turn (M8) and the Monster except as the last card or by its own condition (M9).

**Phases.** ``play``: a playable card, or FOLD alone. ``target``: whom a Hunter, Dog, Steal or Deal is
aimed at. ``give``: the card to pass on, for Gossip each in turn, for Deal its player, then the target.
``return``: what the Steal player gives back. ``dog_discard``, ``friend_discard``: what goes face down.
An info or observation of a seat that is not deciding has an empty mask.

**Observations.** ``compact``: a flat int8 vector (its segments: ``docs/observations``). ``history``:
rows ``[kind, who, whom, what]`` of what the seat saw in this round, padded with zeros, with a
``token_mask``; enough for perfect recall of the round. ``env.unwrapped.information_state_string(agent)``
is the same as text. ``observe`` is right for every seat at every time.

**The environment.** ``raw_env`` raises ``ValueError`` at an illegal action and changes nothing;
``env`` adds PettingZoo's checks: an illegal action ends the match with -1 for its player.
``env.unwrapped`` has ``god_view()`` (the whole hidden state), ``save()`` and ``restore(data)``.
Pickled, deep-copied or restored in mid-match, an environment goes on identically. When a match is
played out, every info holds the ``god_view``. ``reset(seed)`` begins the match of that seed, a bare
``reset()`` the next one of the same sequence.

**Version history.** The version goes up when the same seed and actions would give another game.

- v0: first version.
"""

from collections.abc import Mapping
from typing import Any

from masked_monsters.envs.adapters.aec import AEC, Checked
from masked_monsters.envs.registry import get_game

__all__ = ["env", "raw_env"]


class raw_env(AEC):  # noqa: N801  # the name PettingZoo's users expect
    """The environment without PettingZoo's checks."""

    def __init__(
        self,
        *,
        num_players: int = 4,
        num_rounds: int = 5,
        hand_size: int = 4,
        deck: Mapping[str, int] | None = None,
        reward: str = "vp",
        tiebreak: str = "share",
        observation: str = "compact",
        render_mode: str | None = None,
    ) -> None:
        """Prepare a table; ``ValueError`` names an option that is out of range.

        Args:
            num_players: 3 to 8 (M1).
            num_rounds: 1 to 5 (M30).
            hand_size: 2 to 4 (M4).
            deck: the general deck's cards by name, or None for the default (M2).
            reward: ``"vp"``, or ``"win"`` for the match's win shares less 1/n (M30).
            tiebreak: ``"share"``, or ``"rounds"`` for up to 5 more while the lead is tied (M30).
            observation: ``"compact"`` or ``"history"``.
            render_mode: None, ``"ansi"`` (``render`` returns text) or ``"human"`` (it prints).
        """
        game = get_game(
            "monster_my_neighbor",
            num_players=num_players,
            num_rounds=num_rounds,
            hand_size=hand_size,
            deck=deck,
            reward=reward,
            tiebreak=tiebreak,
        )
        super().__init__(game, observation=observation, render_mode=render_mode)


def env(**options: Any) -> Any:
    """The environment with PettingZoo's checks (``Checked``); the options are those of ``raw_env``."""
    return Checked(raw_env(**options))
