"""PPO of TorchRL in self-play on batches of games."""

import gymnasium

from benchmarks.studies.libraries.recipes import BOARDS
from nim_envs import make_game, registry
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction

with imports_for("this benchmark's learner of TorchRL", "torchrl"):
    import torch
    from tensordict.nn import InteractionType, TensorDictModule
    from torch.nn import LazyLinear, Sequential, Tanh
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

    from benchmarks.studies.network_policy import network_policy
    from nim_envs.adapters.torchrl import TorchRLVectorEnv

GAMES, STEPS = 50, 20
"""Games played at once, and moves of each in a batch of the tutorial's 1,000."""


def ppo(board: str, moves: int, seed: int, *, gamma: float) -> list[PolicyFunction]:
    """Train with the networks and settings of TorchRL's tutorial on PPO; its ``gamma`` is 0.99."""
    name, arguments = BOARDS[board]
    torch.manual_seed(seed)
    games = gymnasium.make_vec(
        registry.GAMES[name].gymnasium_id, num_envs=GAMES, vectorization_mode="vector_entry_point",
        autoreset_mode="Disabled", start="uniform", opponent=None, encoding="one_hot", **arguments,
    )  # fmt: skip
    wrapped = GymWrapper(TorchRLVectorEnv(games), categorical_action_encoding=True)
    env = TransformedEnv(wrapped, ActionMask())
    env.set_seed(seed)
    actions = make_game(name, **arguments).num_actions
    logits, values = _network(actions), _network(1)
    actor = ProbabilisticActor(
        TensorDictModule(logits, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        default_interaction_type=InteractionType.RANDOM,
        return_log_prob=True,
    )
    critic = ValueOperator(values, in_keys=["observation"])
    with torch.no_grad():
        critic(actor(env.reset()))
    advantage = GAE(gamma=gamma, lmbda=0.95, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=1e-4)
    optimizer = torch.optim.Adam(loss.parameters(), lr=3e-4)
    for _ in range(-(-moves // (GAMES * STEPS))):
        with torch.no_grad():
            played = env.rollout(STEPS, actor, break_when_any_done=False)
        for _ in range(10):
            with torch.no_grad():
                batch = advantage(played).reshape(-1)
            for indices in torch.randperm(len(batch)).split(64):
                losses = loss(batch[indices])
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 1.0)
                optimizer.step()
    return [network_policy(logits)]


def _network(outputs: int) -> Sequential:
    """Return the tutorial's network: three hidden layers of 256 units."""
    hidden = [layer for _ in range(3) for layer in (LazyLinear(256), Tanh())]
    return Sequential(*hidden, LazyLinear(outputs))
