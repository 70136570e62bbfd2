"""Under My Bed, for 3 to 8 players, as a PettingZoo AEC environment.

A line-up of monsters lies open on the table; one of them hides under the bed, the others and one kid
are dealt out in secret. The players question each other about their looks: monsters must say some
version of the truth, the kid may lie. The monsters win by agreeing on who the kid is, the kid by
naming who lies under the bed, or by lasting until the questions run out. The rules, numbered B1 to
B16, are ``RULES.md`` in ``envs/under_my_bed``.

| | |
| --- | --- |
| Import | ``from masked_monsters.envs import under_my_bed_v0`` |
| Agents | ``player_0`` … ``player_{n-1}``, clockwise; n = 3 … 8 |
| Actions | ``Discrete(66)``, masked; ``32 + Q`` with another catalogue, whose bank has Q questions |
| Observation | ``{"observation", "action_mask"}``; the mask is int8, all 0 for a seat not deciding |
| Length | at most ``max_questions`` questions, each with at most 2n + 2 decisions |
| Rewards | at the end: +1 to the kid and -1 to every monster, or -1 to the kid and +1 to every monster |

**Actions.** 0 to 6: the 1st … 7th seat to my left. 7 to 40: a question of the bank; first the 8 open
ones ("what is your ATTRIBUTE?"), then the 26 closed ones ("is your ATTRIBUTE VALUE?"), in the order of
attributes and values. 41 to 54: a claim, the set of values with bit mask 1 … 14. 55: PASS. 56: AGREE.
57: DISAGREE. 58 to 65: CHECK the slot 0 … 7 of the line-up. The mask holds monsters to the truth (B8)
and leaves the kid free.

**Phases.** ``ask_player``: whom to ask. ``ask_question``: what. ``answer``: the claim. ``window``: after
each answer every player is polled once, and passes or accuses. ``vote``: on an accusal. The kid may
also check under the bed in ``ask_player``, ``answer`` and ``window``. An info or observation of a seat
that is not deciding has an empty mask.

**Observations.** ``compact``: a flat int8 vector (its segments: ``docs/observations``). ``history``:
rows ``[kind, who, whom, what]`` of what the seat has seen, padded with zeros, with a ``token_mask``;
enough for perfect recall. ``env.unwrapped.information_state_string(agent)`` is the same as text.
``observe`` is right for every seat at every time.

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
        max_questions: int | str | None = "3n",
        window_order: str = "random",
        first_asker: int | None = None,
        catalogue: Mapping[str, Any] | None = None,
        hedging: bool = True,
        observation: str = "compact",
        render_mode: str | None = None,
    ) -> None:
        """Prepare a table; ``ValueError`` names an option that is out of range.

        Args:
            num_players: 3 to 8 (B1).
            max_questions: 1 or more, ``"3n"`` for three a player, or None for as many as the bank
                has, which is also the most that counts (B15).
            window_order: ``"random"`` or ``"clockwise"`` (B10).
            first_asker: a seat, or None for a random one (B4).
            catalogue: None for the game's 16 monsters, or others (B2): ``{"attributes": {name:
                [value, ...], ...}, "monsters": {name: {attribute: value, ...}, ...}}``.
            hedging: True if an open question may be answered by several values (B7).
            observation: ``"compact"`` or ``"history"``.
            render_mode: None, ``"ansi"`` (``render`` returns text) or ``"human"`` (it prints).
        """
        game = get_game(
            "under_my_bed",
            num_players=num_players,
            max_questions=max_questions,
            window_order=window_order,
            first_asker=first_asker,
            catalogue=catalogue,
            hedging=hedging,
        )
        super().__init__(game, observation=observation, render_mode=render_mode)


def env(**options: Any) -> Any:
    """The environment with PettingZoo's checks (``Checked``); the options are those of ``raw_env``."""
    return Checked(raw_env(**options))
