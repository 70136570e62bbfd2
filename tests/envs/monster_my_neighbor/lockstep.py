"""Monster My Neighbor's compiled rules and their slow twin, played in step."""

from typing import Any

from masked_monsters.envs.engine.chance import count_in
from masked_monsters.envs.monster_my_neighbor import state as S
from masked_monsters.envs.registry import get_game
from tests.envs import lockstep
from tests.reference.monster_my_neighbor import Twin

GAME = get_game("monster_my_neighbor")


class Lockstep(lockstep.Lockstep):
    name = "monster_my_neighbor"
    twin_class = Twin

    def __init__(self, *, seed: int = 0, reward: str = "vp", **options: Any) -> None:
        super().__init__(seed=seed, rules_only={"reward": reward}, **options)

    def check_rewards(self) -> None:
        assert self.state["reward"][: self.twin.num_players].tolist() == (
            self.twin.last_gains or [0] * self.twin.num_players
        )
        cuts = self.twin.over or self.twin.tiebreak == "share"
        assert bool(self.state["cut"]) == (self.twin.last_gains is not None and cuts)

    def twins_outcome(self, code: int) -> tuple[str, Any]:
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
