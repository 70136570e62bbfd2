"""Any game as a Gymnasium environment: a learner in one seat, opponents in the others."""

from collections import UserDict
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Discrete

from masked_monsters.envs.adapters.aec import RENDER_MODES, observation_space, show_table
from masked_monsters.envs.adapters.tables import Observation, Opponents, Tables, check_options
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game


class SingleSeat(Env[Observation, int]):
    """One match an episode, as its learner sees it; between its decisions the opponents play.

    - Observations are those of the PettingZoo environment: ``{"observation", "action_mask"}``, with
      ``observation="history"`` also ``"token_mask"``, all int8. The mask is mirrored in
      ``info["action_mask"]``; it is all 0 when the match has ended.
    - The reward is all that the learner's seat was paid since its last decision, before its first one
      since the match began: an episode's rewards add up to its score.
    - An illegal action loses the match: ``ILLEGAL_REWARD``, and no next decision.
    - The info at the end has also ``god_view`` (the whole hidden state), ``seat`` (the learner's) and
      ``illegal_action`` (bool); infos before hold no secret.
    - ``reset(seed=s)`` begins the match of that seed, a bare ``reset()`` the next one of the same
      sequence, as the PettingZoo environment does. The seat that is drawn by lot and the scripted
      opponents' play come from the seed too, but not from the game's random numbers. A match that ends
      before the learner has decided anything is left out.

    Arrays are the caller's own. Pickled or copied in mid-match, the environment goes on identically.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as in Gymnasium

    def __init__(
        self,
        game: Game | str,
        *,
        opponents: Opponents = "random",
        seat: int | None = None,
        observation: str = "compact",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Prepare the table.

        Args:
            game: a game or its name.
            opponents: the name of a scripted player or a policy, for all the other seats; or a list
                of them, one for each, counted from the learner's left. A policy that is not scripted
                is asked through ``act``, and ``reset`` with each seeded reset.
            seat: the learner's, from 0; None: drawn by lot for each match.
            observation: ``"compact"`` or ``"history"``.
            render_mode: None, ``"ansi"`` (``render`` returns text) or ``"human"`` (it prints).
            options: of the game, to change, for example ``num_players``.

        Raises:
            ValueError: naming an option, its value and what is allowed.
        """
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self._tables = Tables(game, 1, opponents, seat, observation, **options)
        self.game = self._tables.game
        self.observation_space = observation_space(self.game, observation)
        self.action_space = Discrete(self.game.num_actions)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match, up to the learner's first decision; there are no ``options``."""
        check_options(options)
        if seed is not None:
            seed = check_range("seed", seed, 0, 2**64 - 1)
            self._tables.seed(np.array([seed], np.uint64))
        super().reset(seed=seed)
        self._tables.begin(self._tables.lanes)
        self._begun = True
        return self._show()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner acts, then the opponents, up to its next decision or the match's end.

        Raises:
            ValueError: if ``action`` is no action at all; one that is illegal now loses the match.
            RuntimeError: if no match is being played.
        """
        if self._tables.ended[0]:
            raise RuntimeError("no match is being played: call reset() first")
        self._tables.act(np.array([check_range("action", action, 0, self.game.num_actions - 1)]))
        reward = float(self._tables.take_pay()[0])
        ended = bool(self._tables.ended[0])
        observation, info = self._show()
        if ended:
            info |= self._last_facts()
        return observation, reward, ended, False, info

    def _show(self) -> tuple[Observation, dict[str, Any]]:
        rows = self._tables.observe(self._tables.lanes, self._tables.new_observations(1))
        observation = {name: row[0] for name, row in rows.items()}
        if self.render_mode == "human":
            self.render()
        return observation, {"action_mask": observation["action_mask"].copy()}

    def _last_facts(self) -> dict[str, Any]:
        """What the info says at the end of a match alone."""
        return {
            # No dict: Gymnasium's vector environments would take those of its lanes apart.
            "god_view": UserDict(self.game.words.god_view(self._tables.states[0])),
            "seat": int(self._tables.tables["seat"][0]),
            "illegal_action": bool(self._tables.tables["illegal"][0]),
        }

    def action_masks(self) -> np.ndarray:
        """``(num_actions,)`` bool, true for each legal action; all false when there is no match."""
        return self._tables.action_masks()[0]

    def render(self) -> str | None:
        """What everybody at the table sees, in ASCII: returned (``ansi``) or printed (``human``)."""
        if not self._begun:
            raise RuntimeError("no match has begun: call reset() first")
        return show_table(self.game, self._tables.states[0], self.render_mode)
