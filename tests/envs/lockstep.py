"""A game's compiled rules and their slow twin, played in step."""

import copy
import random
from typing import Any, ClassVar, Self

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

MAX_OUTCOMES = 2000


class Lockstep:
    """A match of both, waiting for its first chance event; a subclass names the game and its twin."""

    name: ClassVar[str]
    twin_class: ClassVar[type]

    def __init__(self, *, seed: int = 0, rules_only: dict[str, Any] | None = None, **options: Any):
        self.twin = self.twin_class(**options)
        self.game: Game = get_game(self.name, **options, **(rules_only or {}))
        self.states = self.game.new_states(1)
        self.states["stream"] = seed
        self.kernels = self.game.kernels
        self.kernels.start_match(self.states, 0, False)

    def twins_outcome(self, code: int) -> tuple[str, Any]:
        """The twin's word for a code of the pending chance event."""
        raise NotImplementedError

    def check_rewards(self) -> None:
        """Both pay the same, at the same time."""
        raise NotImplementedError

    @property
    def state(self) -> Any:
        return self.states[0]

    def check(self) -> None:
        """Everything that both can say of the position is the same."""
        assert self.game.words.god_view(self.state) == self.twin.god_view()
        assert self.legal_actions() == self.twin.legal_actions()
        self.check_rewards()

    def legal_actions(self) -> list[int]:
        mask = np.zeros(self.game.num_actions, np.int8)
        self.kernels.list_legal(self.states, 0, mask)
        return np.flatnonzero(mask).tolist()

    def outcomes(self) -> dict[int, float] | None:
        """The codes of what chance can do, with their probabilities; None if they are very many."""
        codes, weights = np.zeros(MAX_OUTCOMES, np.int64), np.zeros(MAX_OUTCOMES)
        found = self.kernels.list_chance(self.states, 0, codes, weights)
        if found > MAX_OUTCOMES:
            return None
        return dict(zip(codes[:found].tolist(), weights[:found].tolist(), strict=True))

    def check_outcomes(self) -> None:
        """Both give chance the same outcomes with the same probabilities."""
        outcomes = self.outcomes()
        if outcomes is None:
            return
        ours = {self.twins_outcome(code): weight for code, weight in outcomes.items()}
        theirs = dict(self.twin.chance_outcomes())
        assert len(ours) == len(outcomes) == len(theirs)
        assert ours.keys() == theirs.keys()
        assert all(abs(ours[outcome] - theirs[outcome]) < 1e-12 for outcome in ours)

    def draw(self) -> None:
        """Chance decides, by the record's own generator."""
        self.resolve(self.kernels.draw_chance(self.states, 0))

    def resolve(self, code: int) -> None:
        """Chance decides so; what the last action has paid is forgotten, as the twin does."""
        self.twin.resolve(self.twins_outcome(code))
        self.kernels.resolve_chance(self.states, 0, code)
        self.states["reward"], self.states["cut"] = 0, 0

    def step(self, action: int) -> None:
        self.twin.step(action)
        self.kernels.step(self.states, 0, action, False)

    def clone(self) -> Self:
        other = copy.copy(self)
        other.twin = self.twin.clone()
        # As bytes: numpy copies a record field by field.
        other.states = np.frombuffer(bytearray(self.states), self.states.dtype)
        return other

    def recall(self, seat: int) -> str:
        tokens = np.zeros((self.game.max_tokens, len(self.game.token_highs)), np.int8)
        used = self.kernels.recollect(self.states, 0, seat, tokens)
        return self.game.words.information_state(tokens[:used])

    def play_randomly(self, chooser: random.Random, *, list_chance: bool) -> None:
        """Play to the end, comparing at every event."""
        self.check()
        while not self.twin.over:
            if self.twin.phase == "chance":
                if list_chance:
                    self.check_outcomes()
                self.draw()
            else:
                self.step(self.choose(chooser))
            self.check()

    def choose(self, chooser: random.Random) -> int:
        """A random legal action; a subclass may prefer some."""
        return chooser.choice(self.twin.legal_actions())

    def check_tree(self) -> tuple[int, int, int]:
        """Compare at every node of the whole tree, and what seats recall at their decisions.

        Returns the numbers of terminal histories, of decisions, and of information states.
        """
        terminal = decisions = 0
        twins_name: dict[tuple[int, str], object] = {}
        our_name: dict[object, tuple[int, str]] = {}
        total = 0.0
        waiting: list[tuple[Lockstep, float]] = [(self, 1.0)]
        while waiting:
            node, reach = waiting.pop()
            node.check()
            if node.twin.over:
                terminal += 1
                total += reach
            elif node.twin.phase == "chance":
                node.check_outcomes()
                for code, weight in (node.outcomes() or {}).items():
                    child = node.clone()
                    child.resolve(code)
                    waiting.append((child, reach * weight))
            else:
                decisions += 1
                ours = (node.twin.to_move, node.recall(node.twin.to_move))
                twins = node.twin.information_state(node.twin.to_move)
                assert twins_name.setdefault(ours, twins) == twins
                assert our_name.setdefault(twins, ours) == ours
                legal = node.legal_actions()
                for action in legal:
                    child = node.clone()
                    child.step(action)
                    waiting.append((child, reach / len(legal)))
        assert abs(total - 1) < 1e-9
        return terminal, decisions, len(our_name)


def count_tree(twin: Any) -> tuple[int, int, int]:
    """The same numbers by the twin alone, which knows nothing of the compiled rules."""
    terminal = decisions = 0
    information_states = set()
    waiting = [twin.clone()]
    while waiting:
        node = waiting.pop()
        if node.over:
            terminal += 1
            continue
        if node.phase == "chance":
            step, choices = type(node).resolve, [outcome for outcome, _ in node.chance_outcomes()]
        else:
            decisions += 1
            information_states.add((node.to_move, node.information_state(node.to_move)))
            step, choices = type(node).step, node.legal_actions()
        for choice in choices:
            child = node.clone()
            step(child, choice)
            waiting.append(child)
    return terminal, decisions, len(information_states)
