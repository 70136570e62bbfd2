"""A trained network as a policy among others."""

import numpy as np
import torch

from masked_monsters.envs.policy import Decisions, sample
from masked_monsters.training.network import Network


class NetworkPolicy:
    """Plays what the network gives: sampled, or ``deterministic`` its likeliest action.

    Sampling is the default, since always doing the likeliest gives bluffs away.
    """

    def __init__(
        self, network: Network, name: str = "network", *, deterministic: bool = False, seed: int = 0
    ) -> None:
        self.network = network
        self.name = name
        self.deterministic = deterministic
        self.reset(seed)

    @property
    def reads_history(self) -> bool:
        """As the network does."""
        return self.network.reads_history

    def reset(self, seed: int) -> None:
        """Start the random numbers of ``act`` anew."""
        self.generator = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: a legal action for each decision."""
        probabilities = self.probabilities(decisions)
        if self.deterministic:
            return probabilities.argmax(-1)
        return sample(probabilities, self.generator)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64, as the network gives them; rows sum to 1."""
        observation = decisions.history if self.reads_history else decisions.observation
        if observation is None:
            raise ValueError(
                f"decisions.history=None: must be rows for {self.name}, whose reads_history is True"
            )
        log_probs, _ = infer(self.network, observation, decisions.action_mask)
        probabilities = np.exp(log_probs, dtype=np.float64)
        return probabilities / probabilities.sum(-1, keepdims=True)


@torch.inference_mode()
def infer(
    network: Network,
    observation: np.ndarray,
    action_mask: np.ndarray,
    critic_input: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """``(k, num_actions)`` float32 log-probabilities and ``(k,)`` float32 values."""

    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array, device=network.device)

    network.set_training_mode(False)
    log_probs, values = network.forward_masked(
        tensor(observation),
        tensor(action_mask).bool(),
        None if critic_input is None else tensor(critic_input),
    )
    return log_probs.cpu().numpy(), values.cpu().numpy()
