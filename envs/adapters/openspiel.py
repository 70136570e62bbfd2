"""Any game as a game of OpenSpiel (Lanctot et al. 2019), for its solvers and agents.

Importing this module makes the names of ``SHORT_NAMES`` known to ``pyspiel.load_game``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE, MAX_PLAYERS, OVER
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
CHANCE_PLAYER, OVER_PLAYER = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


def openspiel_game(game: Game) -> "OpenSpielGame":
    """OpenSpiel's game with the options of ``game``; its own attribute ``game`` leads back."""
    check_choice("game", game.name, tuple(SHORT_NAMES.values()))
    (short_name,) = (short for short, name in SHORT_NAMES.items() if name == game.name)
    return pyspiel.load_game(short_name, spell_options(game))  # pyright: ignore[reportReturnType]


# ---------------------------------------------------------------- options as parameters


def spell_options(game: Game) -> dict[str, Any]:
    """The options that differ from the defaults, as OpenSpiel's parameters.

    ``num_players`` is called ``players`` there. An option whose default is a number or a truth value
    is just that. All others are texts: a word as it is, ``None``, a number in single quotes, and a
    mapping as JSON with ``;`` for each comma, which a game string has for itself.
    """
    defaults = get_game(game.name).options
    return {
        _parameter(option): value if isinstance(defaults[option], bool | int) else _spell(value)
        for option, value in game.options.items()
        if value != defaults[option]
    }


def read_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options that OpenSpiel's parameters spell: the reverse of ``spell_options``."""
    return {_option(name): _read(value) for name, value in parameters.items()}


def _parameter(option: str) -> str:
    return "players" if option == "num_players" else option


def _option(parameter: str) -> str:
    return "num_players" if parameter == "players" else parameter


def _spell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return f"'{value}'"  # bare digits would be of another type than the other texts
    text = json.dumps(value, separators=("\n", ":"))  # no other line break is left in JSON
    for character in ",;()='":  # in a name
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.replace("\n", ";")


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip("'")
    if text == "None":
        return None
    try:
        return json.loads(text.replace(";", ","))
    except ValueError:
        return text  # a word, or what the game will refuse by name


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
    def _start(self) -> "Position":
        states = self.game.new_states(1)
        self.game.kernels.start_match(states, 0, False)
        return Position(self.game, states, (0.0,) * self.game.num_players, ())

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
    defaults = get_game(game.name).options.items()
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
        parameter_specification={
            _parameter(option): value if isinstance(value, bool | int) else _spell(value)
            for option, value in defaults
        },
    )


# ---------------------------------------------------------------- a match


class FinishedRound(NamedTuple):
    """What is left of a round once the next one has begun."""

    tokens: tuple[np.ndarray, ...]
    """By seat, its ``history`` rows at the round's last decision."""
    texts: tuple[str, ...]
    """By seat, what it saw of that decision's action."""
    seat: int
    """Who decided."""
    action: int


@dataclass(frozen=True, eq=False)
class Position:
    """A point in a match; never changes, so that states can share it."""

    game: Game
    states: np.ndarray
    """``(1,)`` of ``game.state``."""
    paid: tuple[float, ...]
    """By seat, what was paid before the last action."""
    finished: tuple[FinishedRound, ...]
    """The rounds before this one, which the record has forgotten."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.game, self.states, self.paid, self.finished)

    @cached_property
    def player(self) -> int:
        """Who decides, as OpenSpiel numbers them."""
        phase = self.states["phase"][0]
        if phase == CHANCE:
            return CHANCE_PLAYER
        return OVER_PLAYER if phase == OVER else int(self.states["to_move"][0])

    @cached_property
    def legal(self) -> list[int]:
        """What the seat to move may do."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.kernels.list_legal(self.states, 0, mask)
        return np.flatnonzero(mask).tolist()

    @cached_property
    def outcomes(self) -> tuple[list[int], list[float]]:
        """The codes of the pending chance event and their probabilities, in canonical order."""
        most = self.game.bounds.outcomes
        codes, weights = np.empty(most, np.int64), np.empty(most)
        found = self.game.kernels.list_chance(self.states, 0, codes, weights)
        return codes[:found].tolist(), weights[:found].tolist()

    @cached_property
    def rewards(self) -> list[float]:
        """By seat, what the last action and the chance events after it have paid."""
        return [_exact(paid) for paid in self.states["reward"][0, : self.game.num_players].tolist()]

    @cached_property
    def returns(self) -> list[float]:
        """By seat, what has been paid so far."""
        return [before + now for before, now in zip(self.paid, self.rewards, strict=True)]

    def after_outcome(self, index: int) -> "Position":
        """Chance decides for the outcome of that place in ``outcomes``."""
        codes, _ = self.outcomes
        if not 0 <= index < len(codes):
            raise ValueError(f"outcome={index}: must be an integer from 0 to {len(codes) - 1}")
        states = self.states.copy()
        self.game.kernels.resolve_chance(states, 0, codes[index])
        return Position(self.game, states, self.paid, self.finished)

    def after_action(self, action: int) -> "Position":
        """The seat to move does ``action``."""
        check_choice("action", action, self.legal)
        states = self.states.copy()
        self.game.kernels.step(states, 0, action, False)
        finished = self.finished
        if states["round"][0] != self.states["round"][0]:
            finished = (*finished, self._finish(action))
        return Position(self.game, states, tuple(self.returns), finished)

    def _finish(self, action: int) -> FinishedRound:
        seats = range(self.game.num_players)
        state, words = self.states[0], self.game.words
        return FinishedRound(
            tuple(self.recall(seat) for seat in seats),
            tuple(words.action_seen(state, action, seat) or "" for seat in seats),
            self.player,
            action,
        )

    def recall(self, seat: int) -> np.ndarray:
        """The rows of the seat's ``history`` that are in use."""
        tokens = np.zeros((self.game.max_tokens, len(self.game.token_highs)), np.int8)
        return tokens[: self.game.kernels.recollect(self.states, 0, seat, tokens)]

    def view(self, seat: int) -> tuple[Any, np.ndarray]:
        """The seat's view, and its ``compact`` observation."""
        views, compact = np.zeros(1, self.game.view), np.zeros(1, self.game.compact)
        self.game.kernels.observe(self.states, 0, seat, views, compact, 0)
        return views[0], compact.view(np.int8)

    def information_state(self, seat: int) -> str:
        """All that the seat has seen in the match: round by round, each with its last action."""
        words = self.game.words
        before = (
            f"{words.information_state(each.tokens[seat])} > {each.texts[seat]} / "
            for each in self.finished
        )
        return f"player_{seat}: {''.join(before)}{words.information_state(self.recall(seat))}"


@cache
def _exact(paid: float) -> float:
    """A payment to the last bit: records hold fractions of few parts in single precision."""
    return float(Fraction(paid).limit_denominator(MAX_PLAYERS**2))


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
        return self.position.player

    def is_terminal(self) -> bool:
        """Is the match over?"""
        return self.position.player == OVER_PLAYER

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The pending chance event's outcomes, numbered from 0, and their probabilities."""
        return list(enumerate(self.position.outcomes[1]))

    def _apply_action(self, action: int) -> None:
        position = self.position
        after = (
            position.after_outcome if position.player == CHANCE_PLAYER else position.after_action
        )
        self.position = after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        words, state = self.position.game.words, self.position.states[0]
        if player == CHANCE_PLAYER:
            return words.outcome(state, self.position.outcomes[0][action])
        return words.action(state, action)

    def rewards(self) -> list[float]:
        """By seat, what the last action and the chance events after it have paid."""
        return self.position.rewards

    def returns(self) -> list[float]:
        """By seat, what has been paid so far."""
        return self.position.returns

    def __str__(self) -> str:
        """The whole hidden state, as JSON."""
        return json.dumps(self.position.game.words.god_view(self.position.states[0]))


# ---------------------------------------------------------------- what a seat sees


class Observer:
    """What a seat sees of a state, as OpenSpiel's observers give it: a string and a tensor.

    With perfect recall the string is all that the seat has seen in the match, and the tensor has the
    pieces ``player`` (n: which seat, one-hot), ``history`` (rounds x rows x 4: the ``history``
    observation of each round so far, rounds in order) and, if there can be several rounds, ``ends``
    (rounds - 1 x 2: of each finished round the seat that acted last, relative to this one and plus
    1, and its action plus 1; 0 where the round is not finished or the seat did not see the action).
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
        self.tensor = np.zeros(ends[-1], np.float32)
        pieces = np.split(self.tensor, ends[:-1])
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
            if each.texts[player]:
                seat = (each.seat - player) % self._game.num_players
                self.dict["ends"][number] = seat + 1, each.action + 1
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
