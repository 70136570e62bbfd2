"""Networks that read the ``history`` observation."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import masked_monsters.envs  # noqa: F401  # registers the Gymnasium environments
from masked_monsters.envs.adapters.tables import Tables
from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Decisions, act_for
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.replay import record
from masked_monsters.training.checkpoint import load_policy, read_about
from masked_monsters.training.config import Config, make_config
from masked_monsters.training.imitation import imitate
from masked_monsters.training.network import Network
from masked_monsters.training.policy import NetworkPolicy, infer
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import new_model, resume, train
from masked_monsters.training.vec_env import BatchVecEnv
from tests.evaluation.players import First
from tests.training.tiny import tiny_config

GAME = get_game("monster_my_neighbor")
KINDS = ("gru", "attention")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def history_config(
    kind: str, game: str = "monster_my_neighbor", *, seed: int = 0, **sections: Any
) -> Config:
    """Two updates of a network of two layers; keywords change sections."""
    values = tiny_config(game, num_games=16, decisions=700, seed=seed).model_dump()
    values["ppo"].update(rollout_steps=24, batch_size=128)
    values["network"].update(kind=kind, hidden=[16, 16])
    values["evaluation"]["matches"] = 4
    for name, changes in sections.items():
        values[name].update(changes)
    return make_config(values)


def model_of(config: Config) -> SelfPlayPPO:
    return new_model(config)


def network_of(kind: str, game: str = "monster_my_neighbor") -> Network:
    return model_of(history_config(kind, game)).policy


def played_on(batch: Batch, steps: int) -> Batch:
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch.step((rng.random(batch.action_mask.shape) * batch.action_mask).argmax(-1))
    return batch


def some_decisions(game: str = "monster_my_neighbor", lanes: int = 150) -> Decisions:
    """In the midst of matches, so that the histories have many lengths."""
    batch = played_on(Batch(game, lanes, 3), 30)
    history = batch.history(np.arange(lanes))
    return Decisions(batch.view, batch.observation, batch.action_mask, history)


def rows_of(decisions: Decisions, rows: Sequence[int] | np.ndarray) -> Decisions:
    assert decisions.history is not None
    return Decisions(
        decisions.view[rows],
        decisions.observation[rows],
        decisions.action_mask[rows],
        decisions.history[rows],
    )


def used(history: np.ndarray) -> np.ndarray:
    return (history[:, :, 0] != 0).sum(axis=1)


# ---------------------------------------------------------------- what is read


def test_a_row_in_use_never_begins_with_0_and_the_last_says_who_decides(name: str) -> None:
    batch = Batch(name, 50, 1)
    decides = get_game(name).token_highs[0]
    for _ in range(40):
        history = batch.history(np.arange(50))
        in_use = history[:, :, 0] != 0
        assert (in_use == (np.arange(history.shape[1]) < used(history)[:, None])).all()
        assert not history[~in_use].any()
        assert (history[np.arange(50), used(history) - 1, 0] == decides).all()
        played_on(batch, 1)


@torch.no_grad()
def test_rows_that_are_not_used_change_nothing(kind: str, name: str) -> None:
    trunk = network_of(kind, name).features_extractor
    history = torch.as_tensor(some_decisions(name).history)
    shortest = history[:, : used(history.numpy()).max()]
    padded = torch.cat([history, torch.zeros_like(history)], dim=1)
    assert torch.equal(trunk(shortest), trunk(history))
    assert torch.equal(trunk(padded), trunk(history))


def test_a_decision_does_not_depend_on_the_others_asked_with_it(kind: str, name: str) -> None:
    policy = NetworkPolicy(network_of(kind, name))
    some = some_decisions(name)
    assert some.history is not None
    assert len(set(used(some.history))) > 5
    together = policy.probabilities(some)
    for row in range(0, 150, 10):
        alone = policy.probabilities(rows_of(some, [row]))
        np.testing.assert_allclose(alone[0], together[row], atol=1e-6)
    backwards = policy.probabilities(rows_of(some, np.arange(150)[::-1]))
    np.testing.assert_allclose(backwards[::-1], together, atol=1e-6)


@torch.no_grad()
def test_every_row_matters_and_so_does_their_order(kind: str) -> None:
    trunk = network_of(kind).features_extractor
    some = some_decisions()
    assert some.history is not None
    # A short one: untrained units soon forget.
    history = torch.as_tensor(some.history[[int(used(some.history).argmin())]])
    length = int(used(history.numpy())[0])
    before = trunk(history)
    for row in range(length - 1):
        other = history.clone()
        other[0, row, 3] = other[0, row, 3] + 1 if other[0, row, 3] == 0 else 0
        assert (trunk(other) - before).abs().max() > 1e-6, row
    early, late = history[0, 0].clone(), history[0, length - 2].clone()
    assert (early != late).any()
    history[0, 0], history[0, length - 2] = late, early
    assert (trunk(history) - before).abs().max() > 1e-6


def test_it_learns_from_an_event_long_past_with_the_last_one_alike(kind: str) -> None:
    """What the first row says is the answer; all that follows is the same, but for its length."""
    network = network_of(kind)
    rng = np.random.default_rng(0)
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    accuracy = 0.0
    for _ in range(150):
        answer, length = rng.integers(0, 4, 64), rng.integers(4, 12, 64)
        history = np.zeros((64, 14, 4), np.int8)
        history[:, :, 0] = np.where(np.arange(14) < length[:, None], 2, 0)
        history[:, 0, 3] = answer
        history[np.arange(64), length, 0] = 13
        mask = torch.zeros(64, GAME.num_actions, dtype=torch.bool)
        mask[:, :4] = True
        log_probs, _ = network.forward_masked(torch.as_tensor(history), mask)
        right = log_probs[torch.arange(64), torch.as_tensor(answer)]
        optimizer.zero_grad()
        (-right.mean()).backward()
        optimizer.step()
        accuracy = right.exp().mean().item()
    assert accuracy > 0.8  # guessing has 0.25


# ---------------------------------------------------------------- who gets it


class Reading(First):
    """Keeps the histories that it is given."""

    reads_history = True

    def __init__(self) -> None:
        super().__init__()
        self.given: list[np.ndarray] = []

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.history is not None
        self.given.append(decisions.history.copy())
        return super().act(decisions)


class NotReading(First):
    """As a policy was before there was anything to read."""

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.history is None
        return super().act(decisions)


def test_only_a_policy_that_asks_for_it_is_given_the_history(name: str) -> None:
    batch = played_on(Batch(name, 20, 1), 15)
    reading = Reading()
    decider = np.arange(20) % 2
    act_for([(0, reading), (1, NotReading())], decider, batch, np.zeros(20, np.int64))
    assert (reading.given[0] == batch.history(np.arange(0, 20, 2))).all()


def test_a_recorded_match_shows_each_seat_its_history(name: str) -> None:
    game = get_game(name)
    readers = [Reading() for _ in range(game.num_players - 1)]
    events = record(game, [*readers, NotReading()], seed=4).events
    batch = Batch(game, 1, np.array([4], np.uint64))
    asked = [0] * len(readers)
    for event in events:
        if "action" not in event:
            continue
        seat = event["seat"]
        if seat < len(readers):
            assert (readers[seat].given[asked[seat]] == batch.history(np.zeros(1, int))).all()
            asked[seat] += 1
        batch.step(np.array([event["action"]]))
    assert asked == [len(reader.given) for reader in readers]
    assert min(asked) > 0


def test_opponents_at_gymnasium_tables_are_shown_their_history(name: str) -> None:
    reading = Reading()
    tables = Tables(name, 5, [reading, NotReading(), reading], 0, "compact")
    tables.seed(np.arange(5, dtype=np.uint64))
    tables.begin(tables.lanes)
    while len(reading.given) < 3:
        tables.act(tables.action_masks().argmax(axis=1))
        tables.begin(np.flatnonzero(tables.ended))
    for given in reading.given:
        kinds = given[np.arange(len(given)), used(given) - 1]
        assert (kinds[:, 0] == tables.game.token_highs[0]).all()
        assert (kinds[:, 1] == 0).all()  # who decides is the seat that is asked


# ---------------------------------------------------------------- training


def test_it_learns_what_a_scripted_player_does(kind: str) -> None:
    model = model_of(history_config(kind, ppo={"learning_rate": 3e-3}))
    teacher = First()
    teacher.reset(0)
    imitate(model, teacher, 5000, 64)
    assert isinstance(model.env, BatchVecEnv)
    batch = model.env.batch
    observation, _ = model.env.observe()
    several = batch.action_mask.sum(axis=1) > 1
    rows = np.flatnonzero(several)
    assert len(rows) > 3
    log_probs, _ = infer(model.policy, observation[rows], batch.action_mask[rows])
    right = np.exp(log_probs[np.arange(len(rows)), batch.action_mask[rows].argmax(axis=1)])
    chance = 1 / batch.action_mask[rows].sum(axis=1)
    assert right.mean() > chance.mean() + 0.3


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a run of each kind, with all that can be had beside it."""
    folders = {}
    for kind in KINDS:
        folders[kind] = tmp_path_factory.mktemp("runs") / kind
        train(full_config(kind), folders[kind])
    return folders


def full_config(kind: str) -> Config:
    """With a teacher, opponents, past selves, a magnet, a critic apart, and evaluation."""
    return history_config(
        kind,
        run={"checkpoint_every": 384},
        magnet={"coef": 0.1},
        imitation={"player": "tracker", "decisions": 300},
        opponents={"names": ["random"], "past": 0.5, "freeze_every": 300, "share": 0.5},
        network={"critic": "central"},
        evaluation={"every": 384},
    )


def weights(agent: Path) -> dict[str, torch.Tensor]:
    return load_policy(agent, GAME).network.state_dict()


def test_a_run_trains_evaluates_and_says_what_its_agent_reads(
    kind: str, runs: dict[str, Path]
) -> None:
    folder = runs[kind]
    about = read_about(folder / "agent.zip")
    assert about["observation"] == "history"
    assert about["network"]["kind"] == kind
    assert len((folder / "evaluation.csv").read_text().splitlines()) == 4
    first, *_, last = sorted((folder / "checkpoints").iterdir())
    before, after = weights(first), weights(last)
    moved = [name for name in before if not torch.equal(before[name], after[name])]
    assert set(before) - set(moved) <= {"value_net.weight", "value_net.bias"}


def test_a_resumed_run_ends_with_the_weights_of_one_that_was_not_cut(
    kind: str, runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = SelfPlayPPO.train

    def cut(self: SelfPlayPPO) -> None:
        if self.num_timesteps > 384:
            raise KeyboardInterrupt
        learn(self)

    monkeypatch.setattr(SelfPlayPPO, "train", cut)
    with pytest.raises(KeyboardInterrupt):
        train(full_config(kind), tmp_path / "run")
    monkeypatch.setattr(SelfPlayPPO, "train", learn)
    resumed, whole = weights(resume(tmp_path / "run")), weights(runs[kind] / "agent.zip")
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)


def test_the_agent_in_the_file_has_the_probabilities_of_the_one_in_training(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = []
    learn = SelfPlayPPO.train
    monkeypatch.setattr(SelfPlayPPO, "train", lambda self: (models.append(self), learn(self)))
    agent = train(history_config(kind), tmp_path / "run")
    some = some_decisions()
    trained = NetworkPolicy(models[-1].policy).probabilities(some)
    loaded = load_policy(agent, GAME).probabilities(some)
    assert (loaded == trained).all()
    untrained = NetworkPolicy(network_of(kind)).probabilities(some)
    assert abs(loaded - untrained).max() > 1e-3


@pytest.mark.parametrize("critic", ["own", "central"])
def test_a_critic_apart_learns_from_compact_observations(kind: str, critic: str) -> None:
    model = model_of(history_config(kind, network={"critic": critic}))
    model.learn(1)
    assert isinstance(model.env, BatchVecEnv)
    observation, seen = model.env.observe()
    assert observation.shape[1:] == (GAME.max_tokens, 4)
    assert seen.shape == (16, GAME.compact_size * (4 if critic == "central" else 1))
    mask = model.env.batch.action_mask
    _, values = infer(model.policy, observation, mask, seen)
    _, others = infer(model.policy, observation, mask, np.zeros_like(seen))
    assert (values != others).any()


def test_one_agent_learns_at_tables_of_all_sizes_and_plays_at_any(
    kind: str, tmp_path: Path
) -> None:
    config = history_config(kind, "under_my_bed", run={"table_sizes": [3, 5], "decisions": 400})
    agent = train(config, tmp_path / "run")
    for size in (3, 4, 8):
        game = get_game("under_my_bed", num_players=size)
        policy = load_policy(agent, game)
        assert len(record(game, [policy] * size, seed=1).score) == size
    small = get_game("under_my_bed", num_players=3)
    mixed = Batch(small, 12, 5, table_sizes=[3, 8])
    lanes = np.arange(0, 12, 2)
    alike = Batch(small, 6, mixed.seeds[lanes])
    assert mixed.max_tokens > alike.max_tokens
    policy = load_policy(agent, small)
    probabilities = [
        policy.probabilities(
            Decisions(
                batch.view[rows],
                batch.observation[rows],
                batch.action_mask[rows],
                batch.history(rows),
            )
        )
        for batch, rows in ((mixed, lanes), (alike, np.arange(6)))
    ]
    assert (probabilities[0] == probabilities[1]).all()


# ---------------------------------------------------------------- the agent among others


def test_the_commands_and_gymnasium_take_such_an_agent(
    kind: str, runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = str(runs[kind] / "agent.zip")
    assert main(["evaluate", agent, "--against", "random", "--matches", "8"]) == 0
    assert "agent" in capsys.readouterr().out
    replay = tmp_path / "match.json"
    assert main(["record", agent, "random", agent, agent, "--out", str(replay)]) == 0
    assert main(["replay", str(replay)]) == 0
    env = gym.make("masked_monsters/MonsterMyNeighbor-v0", opponents=load_policy(Path(agent), GAME))
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()


def test_an_agent_of_another_history_or_observation_is_refused_by_name(
    kind: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    agent = runs[kind] / "agent.zip"
    for change, said in (
        ({"observation": "pixels"}, r"observation='pixels': must be one of 'compact', 'history'"),
        ({"observation": "compact"}, r"observation_hash is "),
        ({"observation_hash": "0"}, r"observation_hash is '0', must be "),
    ):
        other = tmp_path / "other.zip"
        with zipfile.ZipFile(agent) as whole, zipfile.ZipFile(other, "w") as changed:
            about = json.loads(whole.read("masked_monsters.json"))
            changed.writestr("masked_monsters.json", json.dumps(about | change))
            changed.writestr("policy.pth", whole.read("policy.pth"))
        with pytest.raises(ValueError, match=said):
            load_policy(other, GAME)


def test_a_run_cannot_start_from_an_agent_of_another_kind(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    config = history_config("gru", run={"start_from": str(runs["attention"] / "agent.zip")})
    with pytest.raises(ValueError, match=r"its network\.kind is attention, not gru"):
        train(config, tmp_path / "run")


def test_decisions_without_a_history_are_refused(kind: str) -> None:
    some = some_decisions()._replace(history=None)
    with pytest.raises(ValueError, match="reads_history"):
        NetworkPolicy(network_of(kind)).act(some)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ({"kind": "gru", "hidden": [32, 16]}, r"network\.hidden=\[32, 16\]: must be the same size"),
        ({"kind": "attention", "hidden": [18]}, r"network\.hidden=\[18\]: must be multiples of 4"),
        ({"kind": "gru", "hidden": [16], "per_role": True}, r"network\.per_role=True: must be"),
        ({"kind": "lstm"}, r"network\.kind='lstm': input should be 'mlp', 'gru' or 'attention'"),
    ],
)
def test_networks_that_cannot_be_built_are_refused_by_name(
    network: dict[str, Any], said: str
) -> None:
    values = tiny_config("under_my_bed").model_dump() | {"network": network}
    with pytest.raises(ValueError, match=said):
        make_config(values)
