"""Masked PPO in self-play on Nim, in one file: ``python ppo_from_scratch.py 0`` trains with seed 0.

PPO: Schulman et al. 2017, arXiv:1707.06347. Advantages: Schulman et al. 2016, arXiv:1506.02438.
Masks: Huang and Ontañón 2022, arXiv:2006.14171.
"""

import sys
from typing import Any

import gymnasium
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import nim_envs

BOARD = {"id": "nim_envs/Nim-v0", "heaps": (3, 4, 5), "start": "uniform"}
NUM_ENVS, STEPS = 256, 8  # games at the same time, and moves of each in a rollout
EPOCHS, MINIBATCH = 4, 256  # passes over a rollout, and moves in a gradient step
LEARNING_RATE = 3e-3  # annealed to 0
ENTROPY = 0.3, 0.01  # weight of the entropy bonus, at the beginning and at the end
LAMBDA = 0.6  # of generalised advantage estimation
CLIP = 0.2  # how far the probability ratio may move from 1


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Return two hidden layers of 128 units."""
    hidden = nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU()
    return nn.Sequential(*hidden, nn.Linear(128, outputs))


def distribution(actor: nn.Module, observations: Tensor, masks: Tensor) -> Categorical:
    """Give illegal actions the logit -inf, so probability 0; every row needs a legal action."""
    return Categorical(logits=actor(observations).masked_fill(~masks, -torch.inf))


def estimated_advantages(
    rewards: Tensor, ended: Tensor, values: Tensor, next_values: Tensor, gamma: float
) -> Tensor:
    """Return A_t = δ_t + γ λ A_{t+1}, where δ_t = r_t + γ V(s_{t+1}) - V(s_t)."""
    advantages, following = torch.zeros_like(rewards), torch.zeros_like(next_values)
    for t in reversed(range(len(rewards))):
        discount = gamma * (1 - ended[t])  # nothing follows the end of a game
        errors = rewards[t] + discount * next_values - values[t]
        advantages[t] = following = errors + discount * LAMBDA * following
        next_values = values[t]
    return advantages


def train(
    seed: int = 0,
    games: int = 60_000,
    board: dict[str, Any] = BOARD,
    gamma: float = -1.0,  # the next observation is the opponent's: its value counts negatively
) -> tuple[nn.Module, list[tuple[int, float]]]:
    """Return the actor and its learning curve: games, and optimality in percent."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # networks as small as these are slower on several threads
    envs = gymnasium.make_vec(
        num_envs=NUM_ENVS,
        vectorization_mode="vector_entry_point",
        autoreset_mode="Disabled",  # every step is a move: new games begin by reset, below
        opponent=None,  # self-play
        encoding="one_hot",
        **board,
    )
    observations, _ = envs.reset(seed=seed)
    inputs, outputs = observations["observation"].shape[1], observations["action_mask"].shape[1]
    actor, critic = network(inputs, outputs), network(inputs, 1)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()])

    def likeliest(observations: Any, action_masks: Any) -> Any:  # the policy that is scored
        with torch.no_grad():
            seen, legal = torch.as_tensor(observations), torch.as_tensor(action_masks) == 1
            return distribution(actor, seen, legal).probs.argmax(1).numpy()

    played, curve = 0, list[tuple[int, float]]()
    while played < games:
        remaining = 1 - played / games
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * remaining
        entropy_weight = ENTROPY[1] + (ENTROPY[0] - ENTROPY[1]) * remaining

        rollout = []
        for _ in range(STEPS):
            seen = torch.as_tensor(observations["observation"])
            legal = torch.as_tensor(observations["action_mask"]) == 1
            with torch.no_grad():
                moves = distribution(actor, seen, legal)
                actions, values = moves.sample(), critic(seen).squeeze(1)
            observations, rewards, ended, _, _ = envs.step(actions.numpy())
            if ended.any():
                observations, _ = envs.reset(options={"reset_mask": ended})
            played += int(ended.sum())
            rewards, ended = torch.as_tensor(rewards), torch.as_tensor(ended).float()
            rollout.append((seen, legal, actions, moves.log_prob(actions), values, rewards, ended))
        columns = map(torch.stack, zip(*rollout, strict=True))
        seen, legal, actions, log_probs, values, rewards, ended = columns

        with torch.no_grad():
            next_values = critic(torch.as_tensor(observations["observation"])).squeeze(1)
        advantages = estimated_advantages(rewards, ended, values, next_values, gamma)
        returns = advantages + values
        data = [x.flatten(0, 1) for x in (seen, legal, actions, log_probs, advantages, returns)]
        for _ in range(EPOCHS):
            for batch in torch.randperm(NUM_ENVS * STEPS).split(MINIBATCH):
                seen, legal, actions, log_probs, advantages, returns = (x[batch] for x in data)
                moves = distribution(actor, seen, legal)
                ratios = (moves.log_prob(actions) - log_probs).exp()
                clipped = ratios.clamp(1 - CLIP, 1 + CLIP)
                # Advantages are not normalised: rewards of ±1 give them their scale.
                policy_loss = -torch.min(ratios * advantages, clipped * advantages).mean()
                value_loss = (critic(seen).squeeze(1) - returns).square().mean()
                loss = policy_loss + 0.5 * value_loss - entropy_weight * moves.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        if played >= games or played >= len(curve) * games / 20:
            curve.append((played, nim_envs.optimality(likeliest, envs).percent))
            print(f"{curve[-1][0]:7,} games: {curve[-1][1]:5.1f} % of N-positions played right")
    return actor, curve


if __name__ == "__main__":
    _, curve = train(seed=int(sys.argv[1]) if sys.argv[1:] else 0)
