"""Any game as a game of OpenSpiel (Lanctot et al. 2019), for its solvers and agents.

Importing this module makes the names of ``SHORT_NAMES`` known to ``pyspiel.load_game``.
"""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from masked_monsters.envs.adapters.openspiel_parameters import (
    read_options,
    spell_defaults,
    spell_options,
)
from masked_monsters.envs.adapters.position import CHANCE_DECIDES, NOBODY_DECIDES, Position
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "open_spiel is not installed: pip install 'masked-monsters[openspiel]'"
    ) from error

SHORT_NAMES = {
    "masked_monsters_mmn": "monster_my_neighbor",
    "masked_monsters_umb": "under_my_bed",
}
"""OpenSpiel's name of each game."""

MIN_PLAYERS = 3
PLAYERS = {
    CHANCE_DECIDES: int(pyspiel.PlayerId.CHANCE),
    NOBODY_DECIDES: int(pyspiel.PlayerId.TERMINAL),
}


def openspiel_game(game: Game) -> "OpenSpielGame":
    """OpenSpiel's game with the options of ``game``; its own attribute ``game`` leads back."""
    check_choice("game", game.name, tuple(SHORT_NAMES.values()))
    (short_name,) = (short for short, name in SHORT_NAMES.items() if name == game.name)
    made = pyspiel.load_game(short_name, spell_options(game))
    return made  # pyright: ignore[reportReturnType]  # its stub knows no subclass


# ---------------------------------------------------------------- the game


class OpenSpielGame(pyspiel.Game):
    """A game of this package with its options, as ``pyspiel.load_game`` makes it.

    Attributes:
        short_name: OpenSpiel's name of the game; a subclass each.
        game: the same as ``Game``.
    """

    short_name: ClassVar[str]

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Make the game; ``ValueError`` names a bad option, its value and what is allowed."""
        game = get_game(SHORT_NAMES[self.short_name], **read_options(parameters))
        bounds = game.bounds
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=bounds.outcomes,
            num_players=game.num_players,
            min_utility=bounds.least_score,
            max_utility=bounds.most_score,
            utility_sum=0.0 if bounds.zero_sum else None,
            max_game_length=bounds.decisions,
        )
        super().__init__(_game_type(self.short_name, game), info, spell_options(game))
        self.game = game

    @cached_property
    def _start(self) -> Position:
        return Position.start(self.game)

    def new_initial_state(self) -> "OpenSpielState":
        """A match that waits for its first chance event."""
        return OpenSpielState(self, self._start)

    def max_chance_nodes_in_history(self) -> int:
        """The most chance events of a match."""
        return self.game.bounds.chances

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "Observer":
        """What observes states so; ``ValueError`` if nothing can."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.game, kind, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)


def _load(text: str) -> pyspiel.Game:
    """A game of this module; whoever unpickles one has imported it by this function."""
    return pyspiel.load_game(text)


def _game_type(short_name: str, game: Game) -> pyspiel.GameType:
    """How OpenSpiel sorts the game: with its options, or with the defaults where it is registered."""
    kinds = pyspiel.GameType
    bounds = game.bounds
    return kinds(
        short_name=short_name,
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if bounds.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=(
            kinds.RewardModel.TERMINAL if bounds.pays_at_end else kinds.RewardModel.REWARDS
        ),
        max_num_players=MAX_PLAYERS,
        min_num_players=MIN_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=spell_defaults(game.name),
    )


# ---------------------------------------------------------------- a match


class OpenSpielState(pyspiel.State):
    """A match. ``clone`` copies nothing but the history's integers.

    Attributes:
        position: all there is; another one after each action.
    """

    def __init__(self, game: OpenSpielGame, position: Position) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        """A seat, or OpenSpiel's number for chance or for the end."""
        decider = self.position.decider
        return decider if decider >= 0 else PLAYERS[decider]

    def is_terminal(self) -> bool:
        """Is the match over?"""
        return self.position.decider == NOBODY_DECIDES

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The pending chance event's outcomes, numbered from 0, and their probabilities."""
        return list(enumerate(self.position.outcomes[1]))

    def _apply_action(self, action: int) -> None:
        position = self.position
        chance = position.decider == CHANCE_DECIDES
        self.position = (position.after_outcome if chance else position.after_action)(action)

    def _action_to_string(self, player: int, action: int) -> str:
        words, state = self.position.game.words, self.position.states[0]
        if player == pyspiel.PlayerId.CHANCE:
            return words.outcome(state, self.position.outcomes[0][action])
        return words.action(state, action)

    def rewards(self) -> list[float]:
        """By seat, what the last action and the chance events after it have paid."""
        return self.position.rewards

    def returns(self) -> list[float]:
        """By seat, what has been paid so far."""
        return self.position.returns

    def __deepcopy__(self, memo: dict[int, Any]) -> pyspiel.State:
        return self.clone()

    def __str__(self) -> str:
        """The whole hidden state, as JSON."""
        return json.dumps(self.position.game.words.god_view(self.position.states[0]))


# ---------------------------------------------------------------- what a seat sees


class Observer:
    """What a seat sees of a state, as OpenSpiel's observers give it: a string and a tensor.

    With perfect recall the string is all that the seat has seen in the match, and the tensor has the
    pieces ``player`` (n: which seat, one-hot), ``history`` (rounds x rows x 4: the ``history``
    observation of each round so far, rounds in order) and, if there can be several rounds, ``ends``
    (rounds - 1 x 2: see ``FinishedRound``; 0 of rounds that are not finished).
    Without, the string is what the seat sees now, and the tensor ``player`` and the ``compact``
    observation. Of what is public alone, or private alone, there is a string.

    Attributes:
        tensor: float32, or None.
        dict: its pieces by name, views of it.
    """

    def __init__(
        self, game: Game, kind: pyspiel.IIGObservationType, params: Mapping[str, Any] | None
    ) -> None:
        if params:
            raise ValueError(f"params={params!r}: an observer has none")
        privates = pyspiel.PrivateInfoType
        self._private = kind.private_info == privates.SINGLE_PLAYER
        self._public = kind.public_info
        self._recalls = kind.perfect_recall
        whole = self._private and self._public
        if kind.private_info == privates.ALL_PLAYERS or (self._recalls and not whole):
            raise ValueError(
                "iig_obs_type: must have private_info SINGLE_PLAYER or NONE, and with "
                "perfect_recall SINGLE_PLAYER and public_info"
            )
        self._game = game
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if whole:
            self._lay_out(self._shapes())

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        game = self._game
        if not self._recalls:
            return {"player": (game.num_players,), "compact": (game.compact_size,)}
        rounds = game.bounds.rounds
        shapes: dict[str, tuple[int, ...]] = {
            "player": (game.num_players,),
            "history": (rounds, game.max_tokens, len(game.token_highs)),
        }
        return shapes if rounds == 1 else {**shapes, "ends": (rounds - 1, 2)}

    def _lay_out(self, shapes: dict[str, tuple[int, ...]]) -> None:
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        tensor = np.zeros(int(ends[-1]), np.float32)
        self.tensor = tensor
        pieces = np.split(tensor, ends[:-1])
        for (name, shape), piece in zip(shapes.items(), pieces, strict=True):
            self.dict[name] = piece.reshape(shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what the seat ``player`` sees of ``state`` into ``tensor``."""
        if self.tensor is None:
            return
        self.tensor[:] = 0
        self.dict["player"][player] = 1
        position = state.position
        if not self._recalls:
            self.dict["compact"][:] = position.view(player)[1]
            return
        for number, each in enumerate(position.finished):
            tokens = each.tokens[player]
            self.dict["history"][number, : len(tokens)] = tokens
            self.dict["ends"][number] = each.ends[player]
        tokens = position.recall(player)
        self.dict["history"][len(position.finished), : len(tokens)] = tokens

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What the seat ``player`` sees of ``state``."""
        position = state.position
        if self._recalls:
            return position.information_state(player)
        words = self._game.words
        public = words.table(position.states[0]) if self._public else ""
        private = words.seat(position.view(player)[0]) if self._private else ""
        return "\n".join(text for text in (public, private) if text)


def _register(short_name: str, name: str) -> None:
    """With a class of its own: OpenSpiel drops it after Python has ended, which only classes survive."""
    made = type(short_name, (OpenSpielGame,), {"short_name": short_name})
    pyspiel.register_game(_game_type(short_name, get_game(name)), made)


for _short_name, _name in SHORT_NAMES.items():
    _register(_short_name, _name)
