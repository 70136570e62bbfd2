from pathlib import Path

import pytest
import yaml

from masked_monsters import configs
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.training.config import (
    Config,
    config_file,
    make_config,
    read_config,
    write_config,
)

SMALL = "game: monster_my_neighbor\nrun: {name: small, decisions: 1000}\n"
SHIPPED = sorted(Path(configs.__path__[0]).glob("*.yaml"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small é.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def complaint(file: Path, *overrides: str) -> str:
    """What is said of a bad configuration: one line."""
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        read_config(file, overrides)
    return str(error.value)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_configurations_that_come_with_the_package_can_be_read(path: Path) -> None:
    config = read_config(path)
    assert config.game in GAMES
    assert set(config.evaluation.against) <= set(baselines(get_game(config.game)))


def test_every_game_has_a_configuration_of_its_name() -> None:
    assert {path.stem for path in SHIPPED} >= set(GAMES)


def test_what_is_not_said_has_a_default(file: Path) -> None:
    config = read_config(file)
    assert config.network.hidden == (256, 256)
    assert config.run.seed == 0


def test_overrides_are_read_as_yaml_and_may_name_sections_that_the_file_has_not(file: Path) -> None:
    config = read_config(
        file,
        [
            "run.seed=7",
            "run.decisions=2_000_000",
            "ppo.learning_rate=1e-4",
            "network.hidden=[64, 32]",
            "options.num_players=5",
            "options.reward=win",
            "evaluation.against=[]",
        ],
    )
    assert config.run.seed == 7
    assert config.run.decisions == 2_000_000
    assert config.ppo.learning_rate == 1e-4
    assert config.network.hidden == (64, 32)
    assert config.options == {"num_players": 5, "reward": "win"}
    assert config.evaluation.against == ()


def test_a_configuration_written_and_read_again_is_the_same(file: Path, tmp_path: Path) -> None:
    config = read_config(file, ["options={num_players: 3, num_rounds: 2}", "run.threads=1"])
    write_config(config, tmp_path / "again.yaml")
    assert read_config(tmp_path / "again.yaml") == config


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("ppo.lerning_rate=1", "ppo.lerning_rate: unknown key; did you mean ppo.learning_rate?"),
        ("pppo.gamma=1", "pppo: unknown key; did you mean ppo?"),
        ("seed=1", "seed: unknown key; did you mean run.seed?"),
        ("run.learning_rate=1", "run.learning_rate: unknown key; did you mean ppo.learning_rate?"),
        ("evaluation.xyz=1", "evaluation.xyz: unknown key; allowed: evaluation.every,"),
        ("options.num_player=4", "unknown option num_player; allowed: num_players,"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_the_likely_one(
    file: Path, override: str, said: str
) -> None:
    assert said in complaint(file, override)


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("ppo.gamma=1.5", "ppo.gamma=1.5: input should be less than or equal to 1"),
        ("ppo.clip_range=.inf", "ppo.clip_range=inf: input should be a finite number"),
        ("ppo.n_epochs=0", "ppo.n_epochs=0: input should be greater than 0"),
        ("ppo.n_epochs=two", "ppo.n_epochs='two': input should be a valid integer"),
        ("network.hidden=[]", "network.hidden=[]: "),
        ("network.hidden=[64, -1]", "network.hidden.1=-1: input should be greater than 0"),
        ("run.name=../elsewhere", "run.name='../elsewhere': "),
        ("run=5", "run=5: "),
        ("game=chess", "game='chess': must be one of 'monster_my_neighbor'"),
        ("options.num_players=9", "num_players=9: must be an integer from 3 to 8"),
        (
            "ppo.final_learning_rate=0.5",
            "ppo.final_learning_rate=0.5: must not be more than ppo.learning_rate=0.003",
        ),
        (
            "opponents.names=[nobody]",
            "opponents.names='nobody': must be one of 'random', 'hothead'",
        ),
        (
            "run.table_sizes=[3, 9]",
            "run.table_sizes=[3, 9]: num_players=9: must be an integer from",
        ),
        ("network.per_role=true", "network.per_role=True: monster_my_neighbor deals no roles"),
        ("opponents.share=2", "opponents.share.one=2: input should be less than or equal to 1"),
        (
            "opponents.choice=best",
            "opponents.choice='best': input should be 'uniform', 'latest' or",
        ),
        ("run.seed", "'run.seed': must be key=value"),
        ("=1", "'=1': must be key=value"),
        ("run.name.first=1", "'run.name.first=1': run.name has no keys in it"),
        ("run.seed=[1", "run.seed=[1: not YAML"),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_key_the_value_and_what_is_allowed(
    file: Path, override: str, said: str
) -> None:
    assert said in complaint(file, override)


def test_a_missing_key_is_an_error_that_names_it(file: Path) -> None:
    file.write_text("game: monster_my_neighbor\nrun: {name: x}")
    assert complaint(file) == "run.decisions: missing"


@pytest.mark.parametrize("content", ["", "- a", "game: [", "\tgame: x", "just words"])
def test_a_file_that_holds_no_configuration_is_named_in_the_error(file: Path, content: str) -> None:
    file.write_text(content)
    assert str(file) in complaint(file)


def test_several_faults_are_all_named(file: Path) -> None:
    said = complaint(file, "ppo.gamma=2", "ppo.gama=1")
    assert "ppo.gamma=2" in said
    assert "ppo.gama: unknown key" in said


def test_a_configuration_cannot_be_changed() -> None:
    config: Config = make_config(yaml.safe_load(SMALL))
    with pytest.raises(ValueError, match="frozen"):
        config.game = "other"


def test_what_an_agent_begins_with_is_not_trained_away_by_imitation(file: Path) -> None:
    said = complaint(file, "run.start_from=agent.zip", "imitation.player=tracker")
    assert "imitation.player=tracker: must be null with run.start_from" in said


def test_there_are_no_more_table_sizes_than_games(file: Path) -> None:
    said = complaint(file, "run.table_sizes=[3, 4, 5]", "run.num_games=2")
    assert "run.table_sizes=[3, 4, 5]: must be at most run.num_games=2" in said


def test_a_configuration_is_found_by_its_name_or_its_path(tmp_path: Path) -> None:
    assert config_file("under_my_bed") in SHIPPED
    assert config_file("mine.yaml", tmp_path) == tmp_path / "mine.yaml"
    with pytest.raises(ValueError, match="config='chess': must be one of 'monster_my_neighbor'"):
        config_file("chess")
