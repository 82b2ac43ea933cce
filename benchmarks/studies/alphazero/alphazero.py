"""AlphaZero in this study: settings, training, and published results."""

from pathlib import Path

from agents import Policy
from agents.research.alphazero import Settings, begin, raw_policy, search_policy, train
from agents.research.policy import PolicyAgent
from benchmarks.studies.alphazero.settings import (
    ALPHAZERO,
    ALPHAZERO_BATCH,
    ALPHAZERO_CURVE_POINTS,
    BOARDS,
    TrainingTask,
)
from nim_envs.adapters.pgx import PgxEnv


def train_alphazero(
    task: TrainingTask, games: int, log: Path | None
) -> tuple[dict[str, Policy], tuple[tuple[int, float], ...]]:
    """Return the policies of the last network, by the suffix of their names, and the curve.

    ``games`` is a multiple of :data:`ALPHAZERO_BATCH`.
    """
    env = PgxEnv(BOARDS[task.board].make().game, task.encoding)
    settings = Settings(games=games, games_at_a_time=ALPHAZERO_BATCH, **ALPHAZERO[task.learner])
    network, curve = train(
        env, settings, task.seed, scores=ALPHAZERO_CURVE_POINTS, log=log, progress=False
    )
    policies: dict[str, Policy] = {
        "": PolicyAgent(raw_policy(network, env), env.game),
        ", with search": PolicyAgent(search_policy(network, env, settings.simulations), env.game),
    }
    return policies, tuple(curve)


def untrained(task: TrainingTask) -> Policy:
    """Return the policy of signed products with random weights, those before the first game."""
    env = PgxEnv(BOARDS[task.board].make().game, task.encoding)
    network = begin(env, Settings(network="signed-products"), task.seed).network
    return PolicyAgent(raw_policy(network, env), env.game)
