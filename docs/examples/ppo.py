"""PPO with action masks in one file of plain PyTorch: a learner among scripted players.

``python docs/examples/ppo.py --decisions 2_000_000`` takes a minute or two on one core.
(PPO: Schulman et al. 2017; one file: Huang et al. 2022, CleanRL; masks: Huang and Ontañón 2022.)
"""

import argparse

import gymnasium
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import masked_monsters.envs  # noqa: F401  # makes the names known

GAME = "masked_monsters/MonsterMyNeighbor-v0"
LANES, STEPS, EPOCHS, MINIBATCH = 256, 64, 2, 1024
LEARNING_RATE, LAMBDA, CLIP, ENTROPY, VALUE, MAX_NORM = 1e-3, 0.95, 0.2, 0.01, 0.5, 0.5


class Agent(nn.Module):
    """One trunk over the observation, scaled to 0 … 1, with a policy and a value head."""

    def __init__(self, highs: np.ndarray, num_actions: int) -> None:
        super().__init__()
        self.register_buffer("scale", 1 / torch.as_tensor(highs, dtype=torch.float32))
        layers = nn.Linear(len(highs), 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()
        self.trunk = nn.Sequential(*layers)
        self.policy, self.value = nn.Linear(256, num_actions), nn.Linear(256, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # all legal actions alike, to begin with

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """What to do, and ``(k,)`` values; of ``k`` observations and masks, int8."""
        features = self.trunk(seen * self.scale)
        logits = self.policy(features).masked_fill(mask == 0, -1e8)
        return Categorical(logits=logits), self.value(features).squeeze(-1)


def main() -> None:
    """Learn, say how it goes, save the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=2_000_000, help="of all lanes together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="ppo.pt", help="the file of the weights")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # a network this small gains little by more
    envs = gymnasium.make_vec(GAME, num_envs=LANES, opponents="tracker")
    agent = Agent(envs.single_observation_space["observation"].high, envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE, eps=1e-5)
    now, _ = envs.reset(seed=args.seed)
    score, scores = np.zeros(LANES), []  # of matches in progress, and of those that have ended
    updates = max(1, args.decisions // (LANES * STEPS))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)
        rows = []
        for _ in range(STEPS):
            seen, mask = torch.as_tensor(now["observation"]), torch.as_tensor(now["action_mask"])
            with torch.no_grad():
                policy, value = agent(seen, mask)
                action = policy.sample()
            # Where a match ends, the reward is its last and the observation the next one's first.
            now, reward, done, _, _ = envs.step(action.numpy())
            paid, ended = torch.as_tensor(reward).float(), torch.as_tensor(done)
            rows.append((seen, mask, action, policy.log_prob(action), value, paid, ended))
            score += reward
            scores += score[done].tolist()
            score[done] = 0
        seen, mask, action, before, value, paid, ended = map(torch.stack, zip(*rows, strict=True))
        with torch.no_grad():
            _, after = agent(
                torch.as_tensor(now["observation"]), torch.as_tensor(now["action_mask"])
            )
        advantage, ahead = torch.zeros_like(value), torch.zeros(LANES)
        for step in reversed(range(STEPS)):  # GAE (Schulman et al. 2016), without a discount
            ahead = paid[step] - value[step] + ~ended[step] * (after + LAMBDA * ahead)
            advantage[step], after = ahead, value[step]
        data = [part.flatten(0, 1) for part in (seen, mask, action, before, advantage, value)]
        for _ in range(EPOCHS):
            for batch in torch.randperm(LANES * STEPS).split(MINIBATCH):
                seen, mask, action, before, gain, value = (part[batch] for part in data)
                policy, estimate = agent(seen, mask)
                ratio = (policy.log_prob(action) - before).exp()
                normed = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = torch.min(ratio * normed, ratio.clamp(1 - CLIP, 1 + CLIP) * normed)
                error = (estimate - gain - value).square()
                loss = -(clipped + ENTROPY * policy.entropy() - VALUE * error).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), MAX_NORM)
                optimizer.step()
        if update % 10 == 9 or update == updates - 1:
            print(f"{(update + 1) * LANES * STEPS:,} decisions: {np.mean(scores):.3f} a match")
            scores = []
    torch.save(agent.state_dict(), args.out)


if __name__ == "__main__":
    main()
