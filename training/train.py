"""Train an agent as a configuration says, and leave a folder that shows how it went."""

import argparse
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule

from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.training.checkpoint import versions
from masked_monsters.training.chronicle import Chronicle
from masked_monsters.training.config import Config, read_config, write_config
from masked_monsters.training.imitation import imitate
from masked_monsters.training.network import Network, network_kwargs
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import BatchVecEnv


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``masked-monsters train`` is told."""
    parser.add_argument("config", type=Path, metavar="CONFIG", help="a YAML file, see configs/")
    parser.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="instead of the file's, as in run.seed=1"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="the folder of all runs (default: runs)"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="delete an earlier run of the same name"
    )


def run(args: argparse.Namespace) -> int:
    """Do what ``masked-monsters train`` is told."""
    config = read_config(args.config, args.overrides)
    print(train(config, args.runs / config.run.name, overwrite=args.overwrite))
    return 0


def train(config: Config, folder: Path, *, overwrite: bool = False) -> Path:
    """Train an agent.

    The folder then holds ``agent.zip``; ``checkpoints``, the agent on its way; ``config.yaml`` and
    ``versions.json``, from which the run can be repeated; ``progress.csv`` and a TensorBoard log;
    ``evaluation.csv`` and ``learning_curve.png``. After Ctrl-C it still holds the agent so far.

    Args:
        config: all there is to choose.
        folder: a new one, or with ``overwrite`` that of an earlier run.
        overwrite: delete the earlier run.

    Returns:
        The path of ``agent.zip``.

    Raises:
        ValueError: if there is no scripted player of a name in the configuration.
        FileExistsError: if the folder exists and may not be overwritten.
    """
    chronicle = Chronicle(config, folder)
    chronicle.model = model = new_model(config)  # to be saved also before it has begun to learn
    name = config.imitation.player
    teacher = None if name is None else get_baseline(chronicle.game, name)
    _make_folder(folder, overwrite)
    write_config(config, folder / "config.yaml")
    (folder / "versions.json").write_text(json.dumps(versions(), indent=2) + "\n")
    model.set_logger(configure(str(folder), ["csv", "tensorboard"]))
    try:
        with chronicle.progress, _torch_threads(config.run.threads):
            if teacher:
                _watch(model, teacher, config, chronicle)
            model.learn(config.run.decisions, callback=chronicle)
    except BaseException:  # also Ctrl-C: nothing is lost
        chronicle.finish()
        chronicle.say(f"interrupted; the agent so far is {chronicle.agent}")
        raise
    else:
        chronicle.finish()
    finally:
        model.logger.close()
    return chronicle.agent


def new_model(config: Config) -> SelfPlayPPO:
    """The untrained agent of a configuration, and its games."""
    ppo = config.ppo
    game = get_game(config.game, **config.options)
    env = BatchVecEnv(game, config.run.num_games, config.run.seed)
    model = SelfPlayPPO(
        Network,
        env,
        n_steps=ppo.rollout_steps,
        n_epochs=ppo.n_epochs,
        batch_size=ppo.batch_size,
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1),
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        rollout_buffer_kwargs={"relative": ppo.relative},
        policy_kwargs=network_kwargs(config.network.hidden),
        seed=config.run.seed,
        device="cpu",
    )
    if config.opponents.names:
        model.opponents = Opponents(
            [get_baseline(game, name) for name in config.opponents.names],
            config.opponents.share,
            env.batch,
            config.run.seed,
            by_seat=config.opponents.by_seat,
        )
    return model


def _watch(model: SelfPlayPPO, teacher: Policy, config: Config, chronicle: Chronicle) -> None:
    """The first lessons, from a scripted player."""
    chronicle.say(f"watching {teacher.name} play")
    teacher.reset(config.run.seed)
    task = chronicle.progress.add_task("watched", total=config.imitation.decisions)
    imitate(
        model,
        teacher,
        config.imitation.decisions,
        config.imitation.batch_size,
        progress=lambda watched: chronicle.progress.update(task, completed=watched),
    )
    chronicle.progress.remove_task(task)


def _make_folder(folder: Path, overwrite: bool) -> None:
    """A new run's folder; of an old one nothing stays."""
    if overwrite and (folder / "config.yaml").exists():
        shutil.rmtree(folder)
    if folder.exists():
        raise FileExistsError(
            f"{folder}: exists; choose another run.name, or --overwrite if it is a run's"
        )
    (folder / "checkpoints").mkdir(parents=True)


@contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    """Let torch use so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
