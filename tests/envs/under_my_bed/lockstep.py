"""Under My Bed's compiled rules and their slow twin, played in step."""

import random
from typing import Any

from masked_monsters.envs.under_my_bed import state as S
from tests.envs import lockstep
from tests.reference.under_my_bed import Twin


class Lockstep(lockstep.Lockstep):
    name = "under_my_bed"
    twin_class = Twin
    patient = False
    """Few check or accuse: for long matches."""

    def choose(self, chooser: random.Random) -> int:
        action = super().choose(chooser)
        if not self.patient or chooser.random() < 0.05:
            return action
        bold = range(self.twin.first_check, self.twin.num_actions)
        if self.twin.phase == "window":
            bold = (*range(self.twin.first_question), *bold)
        return chooser.choice([a for a in self.twin.legal_actions() if a not in bold])

    def check_rewards(self) -> None:
        paid = self.state["reward"][: self.twin.num_players].tolist()
        assert paid == (self.twin.rewards or [0] * self.twin.num_players)
        assert bool(self.state["cut"]) == self.twin.over

    def twins_outcome(self, code: int) -> tuple[str, Any]:
        event = self.state["chance"]
        if event == S.DRAW_LINEUP:
            return "lineup", tuple(bit for bit in range(code.bit_length()) if (code >> bit) & 1)
        if event == S.DEAL_CARD:
            return "card", "kid" if code == S.KID else code
        kinds = {S.DRAW_BED: "bed", S.DRAW_ASKER: "first_asker", S.DRAW_POLLED: "polled"}
        return kinds[int(event)], code
