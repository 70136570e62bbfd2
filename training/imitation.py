"""Behaviour cloning: a first policy and critic from watching a scripted player (Pomerleau 1988)."""

from collections.abc import Callable

import torch
from torch.nn.functional import mse_loss

from masked_monsters.envs.policy import Policy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import BatchVecEnv


def imitate(
    model: SelfPlayPPO,
    teacher: Policy,
    decisions: int,
    batch_size: int,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Let copies of ``teacher`` play the agent's games, and learn what they do and what it earns.

    Args:
        model: the agent; its games begin anew afterwards.
        teacher: plays all seats; already reset.
        decisions: to watch, at least.
        batch_size: of the updates.
        progress: told after each step of all games how many have been watched.
    """
    env = model.env
    assert isinstance(env, BatchVecEnv)
    watched = 0
    while watched < decisions:
        model.rollout_buffer.reset()
        for _ in range(model.n_steps):
            model.rollout_buffer.add(model.play_step(env, teacher))
            watched += env.num_envs
            if progress:
                progress(watched)
        model.rollout_buffer.finish()
        _learn(model, batch_size)
    model.place_magnet()


def _learn(model: SelfPlayPPO, batch_size: int) -> None:
    """One pass over what has been watched."""
    policy = model.policy
    policy.set_training_mode(True)
    for group in policy.optimizer.param_groups:
        group["lr"] = model.lr_schedule(1.0)
    for samples in model.rollout_buffer.get(batch_size):
        log_probs, values = policy.forward_masked(
            samples.observations, samples.action_masks, samples.critic_inputs
        )
        log_prob = log_probs.gather(-1, samples.actions[:, None])
        loss = -log_prob.mean() + model.vf_coef * mse_loss(values, samples.returns)
        policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
        policy.optimizer.step()
