"""How lists and sentences are laid out in the terminal."""

import re

from masked_monsters.evaluation.table.moves import opening
from masked_monsters.evaluation.table.paper import ascii_of, in_columns


def test_a_list_is_in_columns_only_where_it_is_long_and_fits() -> None:
    rows = [f"{number:>3}  {'x' * 20}" for number in range(1, 35)]
    lines = in_columns(rows, 80)
    assert max(map(len, lines)) <= 80
    assert len(lines) == 17
    assert " ".join(lines).split() == [word for line in lines for word in line.split()]
    assert sorted(row.split()[0] for row in rows) == sorted(re.findall(r"\d+", " ".join(lines)))
    assert in_columns(rows, 40) == rows
    assert in_columns(rows[:8], 80) == rows[:8]


def test_what_all_moves_share_is_said_once_up_to_a_quotation() -> None:
    assert opening(["player_0 plays dog", "player_0 plays deal"]) == "player_0 plays"
    assert (
        opening(['player_0 answers: "One."', 'player_0 answers: "One or."']) == "player_0 answers:"
    )
    assert opening(["player_0 folds", "player_0 plays dog"]) == "player_0"
    assert ascii_of("a–\n") == r"a\u2013\n"
