from pathlib import Path
from typing import Any

import pytest

from masked_monsters.evaluation.page.bluffing import bluffing
from masked_monsters.evaluation.page.collect import Collected, Source
from masked_monsters.evaluation.page.content import Block, Figure, Table
from masked_monsters.evaluation.page.records import Bluff

HALF = {"mean": 0.5, "half_width": 0.1}
AREA = {"mean": 0.7, "low": 0.6, "high": 0.8}
JUDGED = {
    "count": 40,
    "auroc": AREA,
    "calibration": [{"mean_score": 0.25, "share": AREA, "count": 40}],
}
ENTRY = {"role": "kid", "kind": "false", "acts": 40, "share": HALF}
DECEPTION = {"role": "kid", "truth": "the kid", "acts": 40, "away": HALF}
KEPT = {"share": 0, "rate": HALF, "score": HALF, "value": HALF}
PLAYER = {
    "agent": "trickster",
    "against": "honest",
    "observers": "all answer alike",
    "deals": 20,
    "close_deals": 4,
    "ledger": [ENTRY | {"measures": {"shift": HALF, "gain": None}}],
    "deception": [DECEPTION | {"shift": HALF, "gain_away": None, "gain_not_away": None}],
    "over_time": [{"role": "kid", "time": time, "truth": HALF} for time in (1, 2)],
    "lying": [{"forbidden": "false", "kept": [KEPT]}],
    "detection": {"votes": JUDGED, "accusals": JUDGED},
}


def blocks(**changed: Any) -> tuple[Block, ...]:
    """What is shown of one player."""
    record = Bluff(
        kind="bluff",
        command="masked-monsters bluff",
        game="under_my_bed",
        players=[PLAYER | changed],  # type: ignore[list-item]  # pydantic reads them
    )
    return bluffing(Collected(sources=[Source(Path("profile.json"), record)])).blocks


def names(shown: tuple[Block, ...]) -> list[str]:
    return [block.name for block in shown if isinstance(block, Figure)]


def test_a_profile_is_shown_in_tables_and_curves() -> None:
    shown = blocks()
    assert names(shown) == ["belief", "lying", "detection"]
    tables = [block for block in shown if isinstance(block, Table)]
    assert len(tables) == 4
    assert tables[0].header == ("as", "act", "acts", "share", "shift, bits")  # no gain was measured
    assert tables[0].rows == (("kid", "false", "40", "0.500 ± 0.100", "+0.500 ± 0.100"),)
    (figure, *_) = (block for block in shown if isinstance(block, Figure))
    assert figure.alt.startswith("trickster: 0.5")


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({"detection": None}, ["belief", "lying"]),
        ({"detection": {"votes": None, "accusals": JUDGED}}, ["belief", "lying"]),
        ({"over_time": []}, ["lying", "detection"]),
        ({"lying": []}, ["belief", "detection"]),
    ],
)
def test_what_was_not_measured_has_no_curve(changed: dict[str, Any], left: list[str]) -> None:
    assert names(blocks(**changed)) == left
