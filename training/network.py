"""The network: one trunk over the scaled observation, with a policy head and a value head on it."""

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

ILLEGAL = -1e8
"""The logit of an illegal action: its probability is exactly 0, its entropy not NaN."""


class Trunk(BaseFeaturesExtractor):
    """Scales every entry to 0 … 1, then layers of rectified units."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, hidden: Sequence[int] = (256, 256)) -> None:
        super().__init__(observation_space, features_dim=hidden[-1])
        self.register_buffer("scale", 1 / torch.as_tensor(observation_space.high).float())
        layers: list[nn.Module] = []
        for inputs, outputs in zip((*observation_space.shape, *hidden), hidden, strict=False):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``(k, size)`` float observations; ``(k, features_dim)`` features."""
        return self.layers(observations * self.scale)


class Network(MaskableActorCriticPolicy):
    """Policy and critic on one trunk; illegal actions are masked out (Huang and Ontañón 2022)."""

    action_net: nn.Linear
    value_net: nn.Linear

    def forward_masked(
        self, observations: torch.Tensor, action_masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Both heads at once.

        Args:
            observations: ``(k, size)`` int8.
            action_masks: ``(k, num_actions)`` bool.

        Returns:
            ``(k, num_actions)`` log-probabilities and ``(k,)`` values.
        """
        features = self.features_extractor(observations.float())
        logits = self.action_net(features).where(action_masks, ILLEGAL)
        return logits.log_softmax(-1), self.value_net(features).squeeze(-1)

    def evaluate_actions(
        self,
        obs: torch.Tensor,
        actions: torch.Tensor,
        action_masks: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """``(k,)`` values, log-probabilities of ``actions``, and entropies.

        Without the checks of ``torch.distributions``, which cost time and reject some legal rows.
        """
        if action_masks is None:
            return super().evaluate_actions(obs, actions)
        log_probs, values = self.forward_masked(obs, action_masks)
        log_prob = log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        return values, log_prob, -(log_probs.exp() * log_probs).sum(-1)


def network_kwargs(hidden: Sequence[int]) -> dict[str, Any]:
    """The ``policy_kwargs`` of a ``Network`` whose trunk has layers of these sizes."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"hidden": tuple(hidden)},
        "net_arch": [],
    }
