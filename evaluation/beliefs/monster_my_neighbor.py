"""Worlds of Monster My Neighbor by sequential Monte Carlo (Gordon et al. 1993; Doucet et al. 2001).

Many worlds play through what the seat has seen of the round, by the game's own rules and in step with
each other. What the seat has seen is made to happen; what it has not (hands, draws, secret choices) is
drawn when it happens, by proposals that look ahead at the cards that the seat will see come from
each hand (``monster_my_neighbor_draws.py``). Every event multiplies a world's weight by the
probability of what happened, by the rules or the profile, over that of drawing it so. When few worlds
carry most of the weight, they are drawn anew in proportion to it.
"""

from collections.abc import Sequence

import numpy as np

from masked_monsters.envs.engine.chance import BITS
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import (
    DEAL_HAND,
    DOG,
    DOG_DISCARD,
    DRAW_MONSTER,
    DRAW_STARTING_DECK,
    FIRST_PLAYER_ACTION,
    FRIEND_DISCARD,
    FRIEND_DRAW,
    GIVE,
    HIDE,
    HUNTER,
    MONSTER,
    NUM_CARDS,
    NUM_MONSTERS,
    PLAY,
    RETURN,
    RUMOR_DRAW,
    TARGET,
    WANTED,
)
from masked_monsters.envs.policy import Policy, reads_history
from masked_monsters.evaluation.beliefs import NothingFitsError, Worlds, copied
from masked_monsters.evaluation.beliefs import monster_my_neighbor_draws as draws
from masked_monsters.evaluation.beliefs.monster_my_neighbor_script import (
    Needs,
    Script,
    Turn,
    cards,
    needs_of,
    read_script,
)
from masked_monsters.evaluation.decisions import decisions_at

FEW = 0.5
"""Worlds are drawn anew when their effective number falls below this part of them."""
MORE = 8
"""Times as many worlds are drawn if none is left, up to ``MOST``."""
MOST = 64_000


def resample(
    game: Game,
    seat: int,
    history: np.ndarray,
    policies: Sequence[Policy | None],
    count: int,
    random: np.random.Generator,
) -> Worlds:
    """See ``beliefs.resample``. Of the rounds before only what is public is in the worlds.

    If no world is left, more are drawn.
    """
    script = read_script(history, seat, game.num_players)
    size = count
    while True:
        worlds = _Worlds(game, script, policies, size, random)
        while len(worlds.states) and not worlds.at_present():
            worlds.go_on()
            worlds.thin_out()
        if len(worlds.states):
            return worlds.result()
        if size >= MOST:
            raise NothingFitsError(
                f"history: nothing fits it that the profile would do, as far as {size:,} worlds can tell"
            )
        size = min(MORE * size, MOST)


class _Worlds:
    """Worlds in step with each other: all but their secrets are the same in all."""

    def __init__(
        self,
        game: Game,
        script: Script,
        policies: Sequence[Policy | None],
        count: int,
        random: np.random.Generator,
    ) -> None:
        self.game = game
        self.script = script
        self.policies = policies
        self.count = count
        self.random = random
        self.needs = needs_of(script, int(game.record["hand_size"][0]))
        self.turns_begun = 0
        self.states = copied(_round_begins(game, script), np.zeros(count, np.int64))
        self.weights = np.ones(count)
        self.origins = np.arange(count)

    def at_present(self) -> bool:
        """Has all been done that the seat has seen?"""
        state = self.states[0]
        return (
            self.turns_begun == len(self.script.turns)
            and state["phase"] == self.script.phase
            and state["to_move"] == self.script.to_move
        )

    def go_on(self) -> None:
        """The next event."""
        if self.states["phase"][0] == CHANCE:
            self._draw(int(self.states["chance"][0]), int(self.states["chance_seat"][0]))
        else:
            self._decide(int(self.states["phase"][0]), int(self.states["to_move"][0]))

    def thin_out(self) -> None:
        """Drop worlds in which what was seen cannot be; draw anew if few of the rest count."""
        lives = self.weights > 0
        lives &= self.states["round"] == len(self.script.gone) + 1
        lives &= self.states["phase"] != OVER
        if not lives.all():
            self._keep(np.flatnonzero(lives), self.weights[lives])
        if len(self.states) == 0:
            return
        self.weights /= self.weights.sum()
        if self.states["phase"][0] == PLAY and not self.at_present():  # between two turns
            self._draw_anew()

    def _draw_anew(self) -> None:
        """By weight and promise, if few worlds have much of both."""
        promise = np.zeros(len(self.states))
        needs = self._needs_now
        draws.foresee(self.states, self.script.seat, needs.all, needs.sure, promise)
        worth = self.weights * promise
        total = worth.sum()
        if total > 0 and total**2 < FEW * self.count * (worth**2).sum():
            ends = worth.cumsum()  # systematic resampling (Kitagawa 1996)
            lots = (self.random.random() + np.arange(self.count)) / self.count * total
            chosen = np.minimum(ends.searchsorted(lots, side="right"), len(ends) - 1)
            self._keep(chosen, 1 / promise[chosen])

    def _keep(self, lanes: np.ndarray, weights: np.ndarray) -> None:
        self.states, self.origins = copied(self.states, lanes), self.origins[lanes]
        self.weights = weights

    def result(self) -> Worlds:
        """The worlds that are left."""
        size = len(self.states)
        self.states["random"] = self.random.integers(2**64, size=size, dtype=np.uint64)
        self.states["stream"] = self.random.integers(2**64, size=size, dtype=np.uint64)
        return Worlds(self.states, self.weights / self.weights.sum(), self.origins)

    # ------------------------------------------------------------ chance

    def _draw(self, event: int, seat: int) -> None:
        me = self.script.seat
        if event == DRAW_MONSTER:
            self._draw_monster()
        elif event == DRAW_STARTING_DECK:
            own = cards(self.script.dealt)
            least, wanted = self.needs[0].sure[-1] + own, self.needs[0].all[-1] + own
            for counts in (least, wanted):
                counts[[WANTED, HUNTER, HIDE, MONSTER]] -= 1  # which are in it anyway
                np.maximum(counts, 0, out=counts)
            draws.draw_deck(self.states, least, wanted, self._lots(), self.weights)
        elif event == DEAL_HAND:
            dealt = self._turn.dealt if self.turns_begun else self.script.dealt
            if seat == me:
                if len(dealt) != (size := int(self.states["hand_sizes"][0, seat])):
                    raise NothingFitsError(f"history: {len(dealt)} cards are dealt, not {size}")
                code = sum(1 << (BITS * card) for card in dealt)
                draws.deal_hands(self.states, code, self.weights)
            else:
                self._draw_hand(seat, cards(dealt if seat < me else []))
        elif event == FRIEND_DRAW:
            known = self._turn.drawn if seat == me else None
            self._draw_card(-1, seat, known)
        else:
            giver = self._right_of(seat) if event == RUMOR_DRAW else int(self.states["target"][0])
            self._draw_card(giver, seat, self._turn.moved.get((giver, seat)))

    def _draw_monster(self) -> None:
        monsters = np.flatnonzero(self.states["monster_deck"][0])
        if self.script.monster is not None:
            draws.happen(self.states, self.script.monster)
            return
        which = self.random.choice(monsters, len(self.states))
        for monster in monsters:
            lanes = np.flatnonzero(which == monster)
            some = copied(self.states, lanes)
            draws.happen(some, int(monster))
            self.states[lanes] = some

    def _draw_hand(self, seat: int, kept: np.ndarray) -> None:
        needs = self._needs_now
        later = needs.all[seat + 1 : -1].sum(axis=0) + kept
        kept = needs.sure[seat + 1 : -1].sum(axis=0) + kept
        draws.draw_hands(
            self.states, needs.sure[seat], needs.all[seat], kept, later, self._lots(), self.weights
        )

    def _draw_card(self, giver: int, taker: int, known: int | None) -> None:
        draws.draw_cards(
            self.states,
            -1 if known is None else known,
            self.script.seat,
            giver,
            taker,
            self._needs_now.all,
            self.random.random(len(self.states)),
            self.weights,
        )

    def _lots(self) -> np.ndarray:
        return self.random.random((len(self.states), NUM_CARDS))

    # ------------------------------------------------------------ decisions

    def _decide(self, phase: int, seat: int) -> None:
        if phase == PLAY:
            if self.turns_begun == len(self.script.turns):
                raise NothingFitsError("history: nothing fits how it ends")
            self.turns_begun += 1
        known = self._known_action(phase, seat)
        probabilities = self._probabilities(seat)
        if known is not None:
            self.weights *= probabilities[:, known]
            actions = np.full(len(self.states), known)
        else:
            actions = np.zeros(len(self.states), np.int64)
            needs = self._needs_now
            keeps = np.zeros(NUM_CARDS, np.int64)
            if phase in (RETURN, DOG_DISCARD, FRIEND_DISCARD):  # gains nothing more unseen
                keeps += needs.sure[seat]
            if phase == DOG_DISCARD:  # M15: takes the Dog after that
                keeps[DOG] = max(keeps[DOG] - 1, 0)
            draws.draw_actions(
                self.states,
                probabilities,
                self.script.seat,
                seat,
                -1 if phase in (DOG_DISCARD, FRIEND_DISCARD) else self._taker_from(seat),
                needs.all,
                keeps,
                self.random.random(len(self.states)),
                self.weights,
                actions,
            )
        lives = np.flatnonzero(self.weights > 0)
        self._keep(lives, self.weights[lives])
        draws.act(self.states, actions[lives])
        if phase == PLAY and self._turn.drawn is not None:
            # Of the oldest card under the deck (M21): no chance, but not the same in all worlds.
            drew = self.states["phase"] == FRIEND_DISCARD
            last = self.states["events"][np.arange(len(lives)), self.states["num_events"] - 1]
            self.weights[drew & (last[:, 3] != self._turn.drawn)] = 0

    def _known_action(self, phase: int, seat: int) -> int | None:
        """What the seat has seen be done, or has done itself; None if it was secret."""
        turn = self._turn
        if phase == PLAY:
            return turn.action
        if phase == TARGET:
            if turn.target is None:
                raise NothingFitsError(f"history: a card is aimed at nobody: {turn}")
            steps = (turn.target - seat) % self.game.num_players
            return FIRST_PLAYER_ACTION + steps - 1
        own = seat == self.script.seat
        if phase in (GIVE, RETURN):
            seen = turn.moved.get((seat, self._taker_from(seat)))
            return turn.chosen if own and seen is None else seen
        return turn.laid if own else None

    def _probabilities(self, seat: int) -> np.ndarray:
        """``(worlds, actions)``: of what the seat may do; its own choices say nothing new."""
        policy = self.policies[seat]
        if seat != self.script.seat and policy is not None:
            decisions = decisions_at(self.game, self.states, reads_history(policy))
            return policy.probabilities(decisions) * decisions.action_mask
        masks = np.zeros((len(self.states), self.game.num_actions), np.int8)
        draws.list_legal(self.states, masks)
        if seat == self.script.seat:
            return masks.astype(np.float64)
        return masks / masks.sum(axis=1, keepdims=True)

    @property
    def _turn(self) -> Turn:
        return self.script.turns[self.turns_begun - 1]

    @property
    def _needs_now(self) -> Needs:
        """After the turn that is being played."""
        return self.needs[self.turns_begun]

    def _right_of(self, seat: int) -> int:
        return (seat - 1) % self.game.num_players

    def _taker_from(self, seat: int) -> int:
        """Who gets the card: of a Gossip the left neighbor, of a Deal or Steal the other of the two."""
        by, target = int(self.states["by"][0]), int(self.states["target"][0])
        if target < 0:
            return (seat + 1) % self.game.num_players
        return target if seat == by else by


def _round_begins(game: Game, script: Script) -> np.ndarray:
    """``(1,)``: the match at the beginning of the round, as far as it is public."""
    states = game.new_states(1)
    game.kernels.start_match(states, 0, False)
    state = states[0]
    rounds_before = len(script.gone)
    state["round"] = rounds_before + 1
    state["vp"][: len(script.vp)] = script.vp
    state["monsters_seen"][:rounds_before] = script.gone
    state["monster_deck"][script.gone[rounds_before - rounds_before % NUM_MONSTERS :]] = 0
    return states
