"""What is measured of training: play and update, ours beside PettingZoo's tutorial."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.speed.measure import Measurement, Runner, Sample, timed
from masked_monsters.evaluation.speed.tutorial import new_tutorial_model
from masked_monsters.training.config import Config, config_file, read_config
from masked_monsters.training.train import new_model

THREADS = (1, 2)
"""Of torch."""


def of_training(name: str) -> Iterator[Measurement]:
    """A game's own configuration, and the tutorial on the same table with as large a network."""
    for threads in THREADS:
        config = _config(name, threads)
        game = get_game(name, **config.options)
        for kind, prepare, lanes in (
            ("training", new_model, config.run.num_games),
            ("tutorial", _tutorial, 1),
        ):
            yield Measurement(
                kind,
                name,
                partial(_updates, partial(prepare, config), threads),
                players=game.num_players,
                lanes=lanes,
                threads=threads,
                observation_bytes=game.compact_size,
            )


def _config(name: str, threads: int) -> Config:
    return read_config(config_file(name), [f"run.threads={threads}", "run.device=cpu"])


def _tutorial(config: Config) -> OnPolicyAlgorithm:
    module = import_module(f"masked_monsters.envs.{config.game}_v{GAMES[config.game]}")
    env = module.raw_env(**config.options)
    return new_tutorial_model(env, config.network.hidden, config.run.seed)


def _updates(prepare: Callable[[], OnPolicyAlgorithm], threads: int) -> Runner:
    """Whole rollouts, each with its update; nothing is logged or evaluated."""
    model = prepare()
    model.set_logger(Logger(None, []))

    def update() -> int:
        before = model.num_timesteps
        model.learn(model.n_steps * model.n_envs, reset_num_timesteps=False)
        return model.num_timesteps - before

    def run(seconds: float) -> Sample:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            return timed(update, seconds)
        finally:
            torch.set_num_threads(before)

    return run
