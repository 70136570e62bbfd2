"""The agents that are shipped."""

import hashlib
from pathlib import Path

import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import reference
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.match import evaluate

FOLDER = Path(reference.__path__[0])


@pytest.mark.parametrize("players", range(3, 9))
def test_one_agent_plays_tables_of_all_sizes_better_than_random_ones(
    name: str, players: int
) -> None:
    game = get_game(name, num_players=players)
    agent = load_agent(f"reference:{name}", game)
    assert agent.name == "reference"
    gain = evaluate(game, agent, load_agent("random", game), matches=200).gain
    assert gain.low > 0


def test_the_model_card_is_that_of_the_file_which_is_small(name: str) -> None:
    content = (FOLDER / f"{name}.zip").read_bytes()
    card = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert hashlib.sha256(content).hexdigest() in card
    assert len(content) < 2_000_000
    assert all(baseline in card for baseline in baselines(get_game(name)))


def test_a_reference_agent_plays_its_own_game_only() -> None:
    with pytest.raises(ValueError, match="game is 'under_my_bed', must be 'monster_my_neighbor'"):
        load_agent("reference:under_my_bed", get_game("monster_my_neighbor"))
    with pytest.raises(ValueError, match="reference:monster_my_neighbor, or the path"):
        load_agent("reference:chess", get_game("monster_my_neighbor"))


def test_the_shipped_agent_beats_three_of_the_strongest_scripted_players() -> None:
    game = get_game("monster_my_neighbor")
    agent, strongest = load_agent("reference:monster_my_neighbor", game), baselines(game)[-1]
    gain = evaluate(game, agent, load_agent(strongest, game), matches=4000, seed=7).gain
    assert gain.low > 0.06
