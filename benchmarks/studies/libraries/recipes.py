"""Learners of other libraries: the set-up of each in words, and the function that trains it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nim_envs.registry import make_game

BOARDS: dict[str, tuple[str, dict[str, Any]]] = {
    "nim-3-4-5": ("nim", {"heaps": (3, 4, 5)}),
    "misere-nim-1-3-5-7": ("misere_nim", {"heaps": (1, 3, 5, 7)}),
    "kayles-7": ("kayles", {"heaps": (7,)}),
}
"""Games by the name of their board; games of training begin at uniformly drawn positions."""

DOCUMENTED = "as documented"
SIGN_RIGHT = "sign right"
ENDS_RIGHT = "ends right"


def board_game(board: str) -> Any:
    """Return the game of a board, which begins at uniformly drawn positions."""
    name, arguments = BOARDS[board]
    return make_game(name, start="uniform", **arguments)


@dataclass(frozen=True)
class Recipe:
    """A learner of a library.

    It follows the library's example or manual (:data:`DOCUMENTED`), subtracts the opponent's
    values (:data:`SIGN_RIGHT`), or has the ends of games where they are (:data:`ENDS_RIGHT`). A
    function of a module of this package trains it, from a board's name, a number of moves, a
    seed and the options; a search does not learn.
    """

    library: str
    learner: str
    recipe: str
    setup: str
    module: str
    function: str
    packages: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    learns: bool = True


RECIPES = {
    "openspiel-q": Recipe(
        "OpenSpiel", "tabular Q-learning", DOCUMENTED,
        "tic_tac_toe_qlearner.py: two learners play each other; each bootstraps from its own next "
        "turn, so that the sign is right",
        "openspiel", "q_learning", ("open_spiel",),
    ),
    "openspiel-dqn": Recipe(
        "OpenSpiel", "DQN (PyTorch)", DOCUMENTED,
        "dqn_breakthrough_pytorch.py: two learners play each other; each bootstraps from its own "
        "next turn, so that the sign is right",
        "openspiel", "dqn", ("open_spiel", "torch"),
    ),
    "openspiel-mcts": Recipe(
        "OpenSpiel", "MCTS, 100 simulations", DOCUMENTED,
        "mcts.py: UCT with one random game at each leaf; the bot proves values where it can",
        "openspiel", "mcts", ("open_spiel",),
        learns=False,
    ),
    "openspiel-mcts-unsolved": Recipe(
        "OpenSpiel", "MCTS, 100 simulations, solve=False", DOCUMENTED,
        "the same without proofs",
        "openspiel", "mcts", ("open_spiel",),
        options={"solve": False}, learns=False,
    ),
    "mctx-muzero": Recipe(
        "mctx", "muzero_policy (AlphaZero's search), 32 simulations", SIGN_RIGHT,
        "search by the rules, equal priors, the value of a random game at each leaf; discount -1, "
        "as mctx asks for where players alternate",
        "mctx_search", "search", ("mctx", "jax"),
        options={"policy": "muzero_policy", "discount": -1.0}, learns=False,
    ),
    "mctx-gumbel": Recipe(
        "mctx", "gumbel_muzero_policy, 32 simulations", SIGN_RIGHT,
        "the same with the Gumbel search",
        "mctx_search", "search", ("mctx", "jax"),
        options={"policy": "gumbel_muzero_policy", "discount": -1.0}, learns=False,
    ),
    "mctx-gumbel-one-player": Recipe(
        "mctx", "gumbel_muzero_policy, 32 simulations", DOCUMENTED,
        "the same with the discount of its one-player examples, which is positive",
        "mctx_search", "search", ("mctx", "jax"),
        options={"policy": "gumbel_muzero_policy", "discount": 1.0}, learns=False,
    ),
    "sb3": Recipe(
        "Stable-Baselines3 (contrib)", "MaskablePPO", DOCUMENTED,
        "defaults of the manual, one seat against a random opponent; a step ends at the learner's "
        "own next turn, so that the sign is right",
        "stable_baselines3", "against_random", ("sb3_contrib", "torch"),
    ),
    "pettingzoo": Recipe(
        "PettingZoo's tutorial", "MaskablePPO in self-play", DOCUMENTED,
        "SB3: Action Masked PPO for Connect Four: both seats are one stream of steps, so that a "
        "move is credited with the value of the opponent's turn",
        "stable_baselines3", "self_play", ("pettingzoo", "sb3_contrib", "torch"),
        options={"gamma": 0.99},
    ),
    "pettingzoo-sign": Recipe(
        "PettingZoo's tutorial", "MaskablePPO in self-play", SIGN_RIGHT,
        "the same with the discount -1",
        "stable_baselines3", "self_play", ("pettingzoo", "sb3_contrib", "torch"),
        options={"gamma": -1.0},
    ),
    "rllib": Recipe(
        "RLlib", "PPO in self-play, with action masking", DOCUMENTED,
        "one module for both seats, defaults but for batches that fit; each seat has a trajectory "
        "of its own, so that the sign is right",
        "rllib", "ppo", ("ray", "torch"),
    ),
    "torchrl": Recipe(
        "TorchRL", "PPO in self-play", DOCUMENTED,
        "settings of its tutorial on PPO, both seats in one stream with its discount 0.99, which "
        "adds the value of the opponent's turn",
        "torchrl", "ppo", ("torchrl", "torch"),
        options={"gamma": 0.99},
    ),
    "torchrl-sign": Recipe(
        "TorchRL", "PPO in self-play", SIGN_RIGHT, "the same with the discount -1",
        "torchrl", "ppo", ("torchrl", "torch"),
        options={"gamma": -1.0},
    ),
    "tianshou": Recipe(
        "Tianshou", "DQN", DOCUMENTED,
        "network, step size, discount and horizon 3 of its tic-tac-toe example, the second seat "
        "against a random opponent; returns over three steps end at the opponent's turn",
        "tianshou", "dqn", ("tianshou", "torch"),
        options={"horizon": 3},
    ),
    "tianshou-sign": Recipe(
        "Tianshou", "DQN", SIGN_RIGHT,
        "the same with horizon 2, which ends at the learner's own next turn",
        "tianshou", "dqn", ("tianshou", "torch"),
        options={"horizon": 2},
    ),
}  # fmt: skip
"""The recipes by name, in the order of the table."""
