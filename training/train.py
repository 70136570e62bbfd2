"""Train an agent as a configuration says, and leave a folder that shows how it went."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from stable_baselines3.common.utils import FloatSchedule, LinearSchedule

from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import agent_digest, load_agent
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.bluff.lens import forbidden_acts
from masked_monsters.training.about import read_about
from masked_monsters.training.checkpoint import load_trainer, start_from, versions
from masked_monsters.training.chronicle import TRAINER, Chronicle
from masked_monsters.training.config import (
    Config,
    config_file,
    differences,
    flat_values,
    read_config,
    write_config,
)
from masked_monsters.training.imitation import imitate
from masked_monsters.training.network import Network, network_kwargs
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import BatchVecEnv

CONFIG = "config.yaml"
VERSIONS = "versions.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``masked-monsters train`` is told."""
    parser.add_argument(
        "config",
        nargs="?",
        metavar="CONFIG",
        help="a YAML file, or the name of one of the package's, such as a game's; not with --resume",
    )
    parser.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="instead of the file's, as in run.seed=1"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        metavar="FOLDER",
        help="of all runs (default: %(default)s); the run is in its NAME, as run.name says",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="delete an earlier run of the same name"
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FOLDER",
        help="go on with the interrupted run in this folder",
    )


def run(args: argparse.Namespace) -> int:
    """Do what ``masked-monsters train`` is told."""
    if args.resume is not None:
        if args.config is not None or args.overwrite:
            raise ValueError(
                f"--resume {args.resume}: takes neither CONFIG nor KEY=VALUE nor --overwrite: "
                "the run goes on as it began"
            )
        print(resume(args.resume))
        return 0
    if args.config is None:
        raise ValueError("CONFIG is missing: a YAML file, or --resume FOLDER")
    config = read_config(config_file(args.config), args.overrides)
    print(train(config, args.runs / config.run.name, overwrite=args.overwrite))
    return 0


def train(config: Config, folder: Path, *, overwrite: bool = False) -> Path:
    """Train an agent.

    The folder then holds ``agent.zip``; ``checkpoints``, the agent on its way, and ``trainer.pt``, from
    which ``resume`` goes on; ``config.yaml`` and ``versions.json``, from which the run can be
    repeated; ``progress.csv`` and a TensorBoard log; ``evaluation.csv`` and ``learning_curve.png``.
    Ctrl-C stops after the update at hand, and nothing is lost; a second one stops at once.

    Args:
        config: all there is to choose.
        folder: a new one, or with ``overwrite`` that of an earlier run.
        overwrite: delete the earlier run.

    Returns:
        The path of ``agent.zip``.

    Raises:
        ValueError: if a player or file that the configuration names cannot be had.
        FileExistsError: if the folder exists and may not be overwritten.
    """
    game = get_game(config.game, **config.options)
    model = new_model(config)
    if config.run.start_from:
        start_from(config.run.start_from, model, game, config)
    name = config.imitation.player
    teacher = None if name is None else get_baseline(game, name)
    _make_folder(config, folder, overwrite)
    return _learn(model, Chronicle(config, folder, model), teacher)


def train_on(config: Config, folder: Path) -> Path:
    """``train``, or ``resume`` if this run has begun already.

    Raises:
        ValueError: if the folder is that of a run with another configuration, naming what differs.
    """
    if not (folder / CONFIG).exists():
        return train(config, folder)
    check_same_run(config, folder)
    return resume(folder)


def check_same_run(config: Config, folder: Path) -> None:
    """``ValueError`` if the folder's run has another configuration, or its agent files have changed."""
    values = (each.model_dump(mode="json") for each in (read_config(folder / CONFIG), config))
    if differing := differences(*map(flat_values, values)):
        raise ValueError(f"{folder}: is another run: {differing}")
    _check_began(folder, _digests(config))


def resume(folder: Path) -> Path:
    """Go on with a run that was interrupted or killed, from its last checkpoint.

    With one torch thread it ends with the weights that it would have ended with uninterrupted. What the
    logs say of later than the checkpoint is dropped, and happens again.

    Returns:
        The path of ``agent.zip``.

    Raises:
        ValueError: if there is no run in the folder, or what it depends on is not as it was.
    """
    if not (folder / CONFIG).is_file():
        raise ValueError(f"resume={folder}: must be the folder of a run; it has no {CONFIG}")
    config = read_config(folder / CONFIG)
    if not (folder / TRAINER).exists():
        if any(read_about(agent)["decisions"] for agent in folder.rglob("agent*.zip")):
            raise ValueError(f"resume={folder}: has no {TRAINER}, without which nothing can go on")
        return train(config, folder, overwrite=True)  # killed before there was anything to keep
    _check_began(folder, versions() | _digests(config))
    model = new_model(config)
    chronicle = Chronicle(config, folder, model)
    chronicle.go_on(load_trainer(model, folder / TRAINER, config))
    if model.num_timesteps < config.run.decisions:
        return _learn(model, chronicle, None)
    chronicle.say(f"{folder}: this run is complete")
    chronicle.finish()  # which a kill can have prevented
    return chronicle.agent


def new_model(config: Config) -> SelfPlayPPO:
    """The untrained agent of a configuration, and its games."""
    run, ppo = config.run, config.ppo
    game = get_game(config.game, **config.options)
    env = BatchVecEnv(
        game,
        run.num_games,
        run.seed,
        table_sizes=run.table_sizes,
        observation=config.network.observation,
        critic=config.network.critic,
    )
    with _torch_threads(run.threads):  # the first weights, too, depend on their number
        model = SelfPlayPPO(
            Network,
            env,
            n_steps=ppo.rollout_steps,
            n_epochs=ppo.n_epochs,
            batch_size=ppo.batch_size,
            learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1),
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=_schedule(ppo.clip_range, ppo.final_clip_range),
            ent_coef=_schedule(ppo.ent_coef, ppo.final_ent_coef),
            vf_coef=ppo.vf_coef,
            max_grad_norm=ppo.max_grad_norm,
            relative=ppo.relative,
            magnet_coef=config.magnet.coef,
            magnet_rate=config.magnet.rate,
            policy_kwargs=network_kwargs(config.network, game, env.batch.num_players),
            seed=run.seed,
            device=run.device,
        )
    if run.candid:
        model.forbid = forbidden_acts(game, run.candid, None, None)
    if config.opponents.names or config.opponents.past:
        players = [load_agent(name, game) for name in config.opponents.names]
        for player in players:
            if isinstance(player, NetworkPolicy):
                player.network.to(model.device)
        model.opponents = Opponents(config.opponents, players, env.batch, run.seed)
    return model


def _schedule(first: float, last: float | None) -> FloatSchedule:
    """From one to the other in a straight line."""
    return FloatSchedule(LinearSchedule(first, first if last is None else last, 1))


def _learn(model: SelfPlayPPO, chronicle: Chronicle, teacher: Policy | None) -> Path:
    """Up to the end of the run, from wherever the model is."""
    config = chronicle.config
    chronicle.open_logs()
    try:
        with chronicle.progress, _torch_threads(config.run.threads), _stop_in_good_order(chronicle):
            if teacher:
                _watch(model, teacher, chronicle)
            model.learn(
                config.run.decisions - model.num_timesteps,
                callback=chronicle,
                log_interval=None,  # type: ignore[arg-type]  # the chronicle writes the logs
                reset_num_timesteps=model.num_timesteps == 0,
            )
    except FloatingPointError:  # an agent that is of no use
        raise
    except BaseException:  # also Ctrl-C: nothing is lost
        chronicle.finish()
        chronicle.say(f"interrupted; the agent so far is {chronicle.agent}")
        if chronicle.trainer.exists():
            chronicle.say(f"to go on: masked-monsters train --resume {chronicle.folder}")
        raise
    else:
        chronicle.finish()
    finally:
        model.logger.close()
    return chronicle.agent


def _watch(model: SelfPlayPPO, teacher: Policy, chronicle: Chronicle) -> None:
    """The first lessons, from a scripted player."""
    lessons = chronicle.config.imitation
    chronicle.say(f"watching {teacher.name} play")
    teacher.reset(chronicle.config.run.seed)
    task = chronicle.progress.add_task("watched", total=lessons.decisions)

    def progress(watched: int) -> None:
        chronicle.progress.update(task, completed=watched)
        if chronicle.stopping:
            raise KeyboardInterrupt

    imitate(model, teacher, lessons.decisions, lessons.batch_size, progress)
    chronicle.progress.remove_task(task)


def _check_began(folder: Path, now: Mapping[str, str]) -> None:
    """What the run began with, packages or agent files, is what there is ``now``."""
    path = folder / VERSIONS
    try:
        began = json.loads(path.read_text())
        changed = [
            f"{what} was {began[what]}, is now {this}"
            for what, this in now.items()
            if began[what] != this
        ]
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path}: does not say what the run began with") from None
    if changed:
        raise ValueError(
            f"resume={folder}: {', '.join(changed)}; the run would not go on as it began. Install what "
            f"{VERSIONS} says, or begin another run with run.start_from and the agent's file"
        )


def _digests(config: Config) -> dict[str, str]:
    """What is in the opponents' files, by what they are called in ``versions.json``."""
    players = baselines(get_game(config.game, **config.options))
    return {
        f"sha256 of {name}": agent_digest(name)
        for name in config.opponents.names
        if name not in players
    }


def _make_folder(config: Config, folder: Path, overwrite: bool) -> None:
    """A new run's folder, which appears with its configuration in it; of an old one nothing stays."""
    if overwrite and (folder / CONFIG).exists():
        shutil.rmtree(folder)
    if folder.exists():
        raise FileExistsError(
            f"{folder}: exists; choose another run.name, or if it is a run's, --resume it or "
            "--overwrite it"
        )
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    (unfinished / "checkpoints").mkdir(parents=True)
    write_config(config, unfinished / CONFIG)
    known = versions() | {"masked-monsters commit": _commit()} | _digests(config)
    (unfinished / VERSIONS).write_text(json.dumps(known, indent=2) + "\n")
    unfinished.rename(folder)


def _commit() -> str | None:
    """Of the repository that holds this package, if there is one, and whether it has been changed."""
    here = Path(__file__).resolve()

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(here.parent), *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)
        return git("describe", "--always", "--dirty", "--abbrev=40")
    except (OSError, subprocess.CalledProcessError):
        return None


@contextmanager
def _stop_in_good_order(chronicle: Chronicle) -> Iterator[None]:
    """Let the first Ctrl-C only say that the run is to stop, so that no update is cut in two."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        if chronicle.stopping:
            raise KeyboardInterrupt
        chronicle.stopping = True
        os.write(2, b"\nstopping after this update; Ctrl-C again stops at once\n")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    """Let torch use so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
