"""Monster My Neighbor's compiled rules and their slow twin, played in step."""

import random
from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import count_in
from masked_monsters.envs.monster_my_neighbor import state as S
from masked_monsters.envs.registry import get_game
from tests.reference.monster_my_neighbor import Twin

GAME = get_game("monster_my_neighbor")
MAX_OUTCOMES = 2000


class Lockstep:
    """A match of both, waiting for its first chance event."""

    def __init__(self, *, seed: int = 0, reward: str = "vp", **options: Any) -> None:
        self.twin = Twin(**options)
        self.states = GAME.new_states(1, reward=reward, **options)
        self.states["stream"] = seed
        self.kernels = GAME.kernels
        self.kernels.start_match(self.states, 0, False)

    @property
    def state(self) -> Any:
        return self.states[0]

    def check(self) -> None:
        """Everything that both can say of the position is the same."""
        assert GAME.words.god_view(self.state) == self.twin.god_view()
        assert self.legal_actions() == self.twin.legal_actions()
        assert self.state["reward"][: self.twin.num_players].tolist() == (
            self.twin.last_gains or [0] * self.twin.num_players
        )
        cuts = self.twin.over or self.twin.tiebreak == "share"
        assert bool(self.state["cut"]) == (self.twin.last_gains is not None and cuts)

    def legal_actions(self) -> list[int]:
        mask = np.zeros(GAME.num_actions, np.int8)
        self.kernels.list_legal(self.states, 0, mask)
        return np.flatnonzero(mask).tolist()

    def outcomes(self) -> dict[int, float] | None:
        """The codes of what chance can do, with their probabilities; None if they are very many."""
        codes, weights = np.zeros(MAX_OUTCOMES, np.int64), np.zeros(MAX_OUTCOMES)
        found = self.kernels.list_chance(self.states, 0, codes, weights)
        if found > MAX_OUTCOMES:
            return None
        return dict(zip(codes[:found].tolist(), weights[:found].tolist(), strict=True))

    def twins_outcome(self, code: int) -> tuple[str, Any]:
        """The twin's word for a code."""
        event = self.state["chance"]
        if event == S.DRAW_MONSTER:
            return "monster", S.MONSTERS[code]
        if event in (S.DRAW_STARTING_DECK, S.DEAL_HAND):
            counts = [count_in(code, card) for card in range(S.NUM_CARDS)]
            if event == S.DEAL_HAND:
                return "hand", tuple(counts)
            for card in (S.WANTED, S.HUNTER, S.HIDE, S.MONSTER):
                counts[card] += 1
            return "starting_deck", tuple(counts)
        kinds = {S.RUMOR_DRAW: "rumor", S.STEAL_DRAW: "steal", S.FRIEND_DRAW: "friend"}
        return kinds[int(event)], code

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
        self.twin.resolve(self.twins_outcome(code))
        self.kernels.resolve_chance(self.states, 0, code)

    def step(self, action: int) -> None:
        self.twin.step(action)
        self.kernels.step(self.states, 0, action, False)

    def clone(self) -> "Lockstep":
        other = object.__new__(Lockstep)
        other.twin, other.states, other.kernels = (
            self.twin.clone(),
            self.states.copy(),
            self.kernels,
        )
        return other

    def recall(self, seat: int) -> str:
        tokens = np.zeros((GAME.max_tokens, len(GAME.token_highs)), np.int8)
        used = self.kernels.recollect(self.states, 0, seat, tokens)
        return GAME.words.information_state(tokens[:used])


def play_random_match(match: Lockstep, chooser: random.Random, *, list_chance: bool) -> None:
    """Play to the end, comparing at every event."""
    match.check()
    while not match.twin.over:
        if match.twin.phase == "chance":
            if list_chance:
                match.check_outcomes()
            match.draw()
            # The reward stays what the action brought; the twin clears its gains by then.
            match.states["reward"], match.states["cut"] = 0, 0
        else:
            match.step(chooser.choice(match.twin.legal_actions()))
        match.check()
