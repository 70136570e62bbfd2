"""The network: a trunk over what the deciding seat sees, with a policy head, and a critic."""

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from masked_monsters.envs.game import Game
from masked_monsters.training.config import NetworkConfig
from masked_monsters.training.history import HistoryTrunk

ILLEGAL = -1e8
"""The logit of an illegal action: its probability is exactly 0, its entropy not NaN."""


class MLP(nn.Module):
    """Scales every entry to 0 … 1, then layers of rectified units."""

    scale: torch.Tensor

    def __init__(self, highs: torch.Tensor, hidden: Sequence[int]) -> None:
        super().__init__()
        self.register_buffer("scale", 1 / highs.float(), persistent=False)
        layers: list[nn.Module] = []
        for inputs, outputs in zip((len(highs), *hidden), hidden, strict=False):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``(k, size)`` observations; ``(k, hidden[-1])`` features."""
        return self.layers(observations.float() * self.scale)


class Trunk(BaseFeaturesExtractor):
    """Layers on the ``compact`` observation; with ``role_entry``, other ones for each of two roles.

    The roles' features lie side by side, those of the other role 0, so that what follows has weights of
    its own for each role, too.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        hidden: Sequence[int] = (256, 256),
        role_entry: int | None = None,
    ) -> None:
        roles = 1 if role_entry is None else 2
        super().__init__(observation_space, features_dim=roles * hidden[-1])
        highs = torch.as_tensor(observation_space.high)
        self.role_entry = role_entry
        self.by_role = nn.ModuleList(MLP(highs, hidden) for _ in range(roles))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``(k, size)`` int8 observations; ``(k, features_dim)`` features."""
        if self.role_entry is None:
            return self.by_role[0](observations)
        first = observations[:, self.role_entry, None].float()
        return torch.cat(
            [
                layers(observations) * here
                for layers, here in zip(self.by_role, (first, 1 - first), strict=True)
            ],
            dim=-1,
        )


class Critic(nn.Module):
    """A value function with layers of its own."""

    def __init__(self, highs: torch.Tensor, hidden: Sequence[int]) -> None:
        super().__init__()
        self.layers = MLP(highs, hidden)
        self.value_net = nn.Linear(hidden[-1], 1)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """``(k, size)`` int8; ``(k,)`` values."""
        return self.value_net(self.layers(seen)).squeeze(-1)


class Network(MaskableActorCriticPolicy):
    """Policy and critic; illegal actions are masked out (Huang and Ontañón 2022).

    The critic is a head on the policy's trunk, or with ``critic_highs``, the upper bounds of all that
    it sees, a network apart. What it sees may then be more than the policy does (Lowe et al. 2017; Yu
    et al. 2022); it is not needed to play.
    """

    action_net: nn.Linear
    value_net: nn.Linear

    def __init__(
        self,
        *args: Any,
        critic_highs: torch.Tensor | None = None,
        critic_hidden: Sequence[int] = (),
        **kwargs: Any,
    ) -> None:
        self._critic = critic_highs, critic_hidden
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        highs, hidden = self._critic
        self.critic = None if highs is None else Critic(highs, hidden)
        super()._build(lr_schedule)  # also makes the optimizer, of all there is by then

    @property
    def reads_history(self) -> bool:
        """Is ``history`` what the policy sees, not ``compact``?"""
        return isinstance(self.features_extractor, HistoryTrunk)

    def forward_masked(
        self,
        observations: torch.Tensor,
        action_masks: torch.Tensor,
        critic_inputs: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Both at once.

        Args:
            observations: ``(k, …)`` int8, what the policy sees.
            action_masks: ``(k, num_actions)`` bool.
            critic_inputs: ``(k, size)`` int8, what the critic sees, if it is apart.

        Returns:
            ``(k, num_actions)`` log-probabilities and ``(k,)`` values; if a critic apart is not given
            anything to see, those of the head that nothing trains.
        """
        features = self.features_extractor(observations)
        logits = self.action_net(features).where(action_masks, ILLEGAL)
        if self.critic is None or critic_inputs is None:
            values = self.value_net(features).squeeze(-1)
        else:
            values = self.critic(critic_inputs)
        return logits.log_softmax(-1), values

    def playing_weights(self) -> dict[str, torch.Tensor]:
        """The state dictionary without a critic apart."""
        return {
            name: weight
            for name, weight in self.state_dict().items()
            if not name.startswith("critic.")
        }


def network_kwargs(config: NetworkConfig, game: Game, num_players: int) -> dict[str, Any]:
    """The ``policy_kwargs`` of a ``Network``, where the largest table has so many players."""
    if config.kind == "mlp":
        roles = game.roles if config.per_role else None
        trunk = Trunk
        how = {"hidden": config.hidden, "role_entry": roles.entry if roles else None}
    else:
        trunk = HistoryTrunk
        how = {"kind": config.kind, "hidden": config.hidden}
    highs = torch.as_tensor(game.compact_highs)
    critic_highs = {"shared": None, "own": highs, "central": highs.tile(num_players)}
    return {
        "features_extractor_class": trunk,
        "features_extractor_kwargs": how,
        "critic_highs": critic_highs[config.critic],
        "critic_hidden": config.hidden,
        "ortho_init": config.kind == "mlp",
        "net_arch": [],
    }
