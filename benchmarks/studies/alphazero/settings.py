"""Learners of this study, and their settings."""

from dataclasses import dataclass
from typing import Any

from benchmarks.tasks import TASKS, GameSetting

BOARDS: dict[str, GameSetting] = {
    "nim-3-4-5": GameSetting("nim", {"heaps": (3, 4, 5), "start": "uniform"}, 100_000, 2_000),
    "five-heaps": GameSetting(
        "nim", {"heaps": (1, 3, 5, 7, 9), "start": "uniform"}, 100_000, 2_000
    ),
    "addition-10-100": GameSetting(
        "addition", {"k": 10, "n": 100, "start": "uniform"}, 50_000, 2_000
    ),
    **{
        f"alphazero-{heaps}": GameSetting(
            "nim", {"heaps": tuple(range(1, 2 * heaps, 2))}, 20_000, 500
        )
        for heaps in (5, 6, 7)
    },
    **{
        "nim-" + "-".join(map(str, heaps)): GameSetting("nim", {"heaps": heaps}, 20_000, 500)
        for heaps in ((4, 4, 9), (5, 5, 5))
    },
    **TASKS[3],
}
"""By name. Games start from uniformly drawn positions, but for the published recipe's and those of
the boards named after AlphaZero, which start from the full board as published; so do those of the
boards with equal heaps, and of the leaderboard's tasks of version 3."""

FIRST_BOARD = BOARDS["nim-3-4-5"]

OPPONENTS: dict[str, Any] = {
    "self-play": None,
    "random": "random",
    "optimal": "optimal",
    "half-optimal": 0.5,
}
"""By name, as :class:`nim_envs.envs.batched.VectorGameEnv` takes them."""

MAIN_ENCODING = "one_hot"
"""The encoding of learners against opponents, unless every encoding is asked for."""

PUBLISHED_STEPS = 100_000
CURVE_POINTS = 20
"""Points of a learning curve."""


RECIPES: dict[str, tuple[float, str]] = {
    "published": (0.99, "fixed"),
    "published, discount -0.99": (-0.99, "fixed"),
    "published, discount -0.99, uniform starts": (-0.99, "uniform"),
}
"""Discount and start of the published recipe, and of the same with one or both corrected, by name;
on the first board alone."""

FROM_SCRATCH = {"ppo-from-scratch": -1.0, "ppo-from-scratch, discount 1": 1.0}
"""The tutorial's program, by name: its discount, and the wrong one, which adds the opponent's
value to the mover's."""
FROM_SCRATCH_BOARDS: dict[str, tuple[str, ...]] = {
    "nim-3-4-5": tuple(FROM_SCRATCH),
    **dict.fromkeys(TASKS[3], ("ppo-from-scratch",)),
}
"""The learners of that program on each board."""
FROM_SCRATCH_GAMES = 60_000

ALPHAZERO: dict[str, dict[str, Any]] = {
    "alphazero, mlp": {"network": "mlp"},
    "alphazero, signed products": {"network": "signed-products"},
    "alphazero, unsigned products": {"network": "unsigned-products"},
    "alphazero, mlp, symmetry": {"network": "mlp", "symmetry": True},
}
"""The settings of AlphaZero, by the name of the learner."""
_MLP, _SIGNED, _UNSIGNED, _SYMMETRY = ALPHAZERO
ALPHAZERO_BOARDS: dict[str, tuple[str, ...]] = {
    "nim-3-4-5": (_MLP, _SIGNED, _UNSIGNED),
    "alphazero-5": (_MLP, _SIGNED, _UNSIGNED),
    "alphazero-6": (_MLP, _SIGNED),
    "alphazero-7": (_MLP, _SIGNED),
    "nim-4-4-9": (_MLP, _SYMMETRY),
    "nim-5-5-5": (_MLP, _SYMMETRY),
    **dict.fromkeys(TASKS[3], (_MLP,)),
}
"""The learners of AlphaZero on each board; MaskablePPO plays on the first of these boards alone."""
UNTRAINED = "signed products, untrained"
"""Random weights of that network, on the boards where AlphaZero trains it."""
ALPHAZERO_BATCH = 250
"""Parallel games of AlphaZero."""
ALPHAZERO_GAMES = 20_000
"""Games of AlphaZero on the first board; on its own boards as many as were published."""
ALPHAZERO_CURVE_POINTS = 10
"""Points of AlphaZero's learning curve."""
MOST_SEARCHED = 50_000
"""Largest number of N-positions at which a policy with search is scored one by one."""
SAMPLE = 20_000
"""N-positions that are drawn from larger boards."""
ALPHAZERO_PUBLISHED = {
    "alphazero-5": (41.5, 47.4),
    "alphazero-6": (15.6, 43.2),
    "alphazero-7": (8.1, 8.6),
}
"""Percent of all N-positions, of the last network and of the best of all checkpoints, by board."""

LEARNERS = (
    "random", "q-learning", "ppo-from-scratch", "published", "maskable-ppo", "alphazero",
    "untrained",
)  # fmt: skip
"""Learners that can be asked for; ``"published"`` is all of :data:`RECIPES`,
``"ppo-from-scratch"`` all of :data:`FROM_SCRATCH`, ``"alphazero"`` all of :data:`ALPHAZERO`,
``"untrained"`` is :data:`UNTRAINED`."""

# Found on seeds 11 to 14 of three heaps, one setting at a time; the benchmark uses other seeds.
# Rollouts of many short games with small batches learn sooner than few large ones.
PPO: dict[str, Any] = {
    "n_steps": 16,
    "batch_size": 256,
    "n_epochs": 4,
    "gae_lambda": 0.6,
}
NUM_ENVS = 128
LEARNING_RATE = 3e-3
"""At the beginning; it falls linearly to 0."""
ENTROPY = (0.3, 0.01)
"""Weight of the entropy at the beginning and at the end."""
WIDTHS: dict[str, int] = {"nim-3-4-5": 128, "five-heaps": 256, "addition-10-100": 128}
"""Units in each of the two hidden layers, by board."""


@dataclass(frozen=True)
class TrainingTask:
    """A training run: learner, encoding and opponent."""

    board: str
    learner: str
    encoding: str
    opponent: str
    seed: int
