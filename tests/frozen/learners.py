"""Records of learners: winners and lengths of their self-play, and what they have learned.

What is learned stands by position. Rewards, steps and discounts give the same floats everywhere;
exponentials may differ in their last bit, and so learners of preferences are rounded to 12 digits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import agents
from agents import Decay, Opponents, OptimalAgent, RandomAgent, Replay, train
from nim_envs import Game, GameEnv, make_game
from tests.frozen.boards import Board, own_games, text
from tests.frozen.records import Entries, rounded

BOARDS: dict[str, Callable[[], Game]] = {
    "learners, nim": lambda: make_game("nim", heaps=(2, 3, 3), start="uniform"),
    "learners, misere kayles": lambda: make_game(
        "kayles", heaps=(5,), misere=True, start="uniform"
    ),
    "learners, own sowing": lambda: own_games()["sowing"](),
}
NAMES = tuple(BOARDS)
SPLITS = "learners, misere kayles"

GAMES = 300
"""Number of games of each case."""

DECAY = Decay(start=0.6, factor=0.8, every=10, floor=0.05)
STEPS: list[dict[str, Any]] = [
    {}, {"learning_rate": 0.3}, {"learning_rate": 0.4, "discount": 0.9}, {"epsilon": DECAY},
    {"learning_rate": 0.5, "epsilon": 0.6},
]  # fmt: skip
RANGES: list[dict[str, Any]] = [{"initial_range": 0.1, "seed": 3, "learning_rate": 0.3}]
REPLAYS: list[dict[str, Any]] = [
    {"replay": Replay(100, 8, 5), "learning_rate": 0.4, "seed": 1},
    {"replay": Replay(7, 3, 1), "discount": 0.8, "epsilon": DECAY},
]
ACTORS: list[dict[str, Any]] = [
    {}, {"actor_rate": 0.6}, {"critic_rate": 0.5, "discount": 0.9},
]  # fmt: skip

CASES: dict[str, list[dict[str, Any]]] = {
    "QLearning": [
        {"bootstrap": bootstrap, **options}
        for bootstrap in ("negamax", "own_turn", "opponent_max")
        for options in STEPS + RANGES + REPLAYS
    ],
    "DoubleQLearning": [*STEPS, *RANGES, {"seed": 2, "learning_rate": 0.5}],
    "SARSA": STEPS + RANGES,
    "ExpectedSARSA": STEPS + RANGES,
    "WatkinsQLambda": [*STEPS, *({"trace_decay": decay} for decay in (0.0, 0.5, 1.0))],
    "MonteCarloES": [{}, {"epsilon": 0.2}, {"epsilon": DECAY}],
    "WinLossRatio": [
        {}, {"greedy_threshold": 0.6}, {"forgetting": 0.1},
        {"greedy_threshold": 0.7, "forgetting": 0.3},
    ],
    "GradientBandit": [{}, {"learning_rate": 0.5}, {"temperature": 0.5}],
    "ActorCritic": ACTORS,
    "NaturalPolicyGradient": ACTORS,
    "RealTimeDynamicProgramming": [
        {}, {"learning_rate": 0.5}, {"epsilon": DECAY}, {"sweeping": True, "learning_rate": 0.5},
    ],
    "SampledAfterstateTD": STEPS,
}  # fmt: skip

EXPONENTIAL = ("GradientBandit", "ActorCritic", "NaturalPolicyGradient")


def is_free(board: str, options: dict[str, Any]) -> bool:
    """Return whether a case may change: numbers of points that are no positions decide it."""
    return board == SPLITS and ("initial_range" in options or "sweeping" in options)


def new(learner: str, env: GameEnv, options: dict[str, Any]) -> Any:
    """Return a new learner."""
    return getattr(agents, learner).for_env(env, **options)


def games_of(env: GameEnv, players: Any, games: int, **options: Any) -> list[list[int]]:
    """Train, and return winners and lengths."""
    log = train(env, players, games, seed=7, progress=False, **options)
    return [log.winners.tolist(), log.lengths.tolist()]


def learned(board: Board, name: str, learner: Any) -> Entries:
    """Record what a learner has learned of each position, and its two policies."""
    here = [position for position in board.positions if not board.game.is_over(position)]
    observations, size = np.array(here), GameEnv(board.game).action_space("player_0").n
    masks = np.zeros((len(here), size), dtype=np.int8)
    for mask, position in zip(masks, here, strict=True):
        mask[board.game.actions(position)] = 1
    found = {
        "values": learner.greedy().action_values(observations, masks),
        "greedy": learner.greedy().action_probabilities(observations, masks),
        "acts": learner.action_probabilities(observations, masks),
    }
    for kind, rows in found.items():
        exact = kind == "values" and name not in EXPONENTIAL
        for position, row, mask in zip(here, rows, masks, strict=True):
            entries = (row[mask == 1] + 0.0).tolist()  # not -0
            yield f"{kind}, {text(position)}", entries if exact else list(map(rounded, entries))


def case(board: Board, learner: str, options: dict[str, Any]) -> Entries:
    """Record one learner that plays both seats."""
    env = GameEnv(board.game)
    player = new(learner, env, options)
    yield "games", games_of(env, player, GAMES)
    yield from learned(board, learner, player)


def pair(board: Board, learner: str) -> Entries:
    """Record two learners, one for each seat."""
    env = GameEnv(board.game)
    players = new(learner, env, {}), new(learner, env, {})
    yield "games", games_of(env, players, GAMES)
    for seat, player in enumerate(players):
        for place, entry in learned(board, learner, player):
            yield f"seat {seat}, {place}", entry


def met(board: Board, learner: str) -> Entries:
    """Record a learner against other players, step by step."""
    env = GameEnv(board.game)
    opponents = [RandomAgent(), OptimalAgent(board.game)]
    player = new(learner, env, {})
    yield "random", games_of(env, (player, opponents[0]), 20)
    yield "optimal", games_of(env, (opponents[1], player), 20)
    yield "rotation", games_of(env, Opponents(player, opponents), 20)
    yield "itself", games_of(env, player, 20, compiled=False)
    yield from learned(board, learner, player)


def fields_of(name: str) -> dict[str, Callable[[], Entries]]:
    """Return the cases of a board."""
    board = Board(name, BOARDS[name])
    fields: dict[str, Callable[[], Entries]] = {}
    for learner, cases in CASES.items():
        for options in cases:
            if not is_free(name, options):
                said = ", ".join(f"{key}={value}" for key, value in options.items())
                fields[f"{learner}({said})"] = lambda a=learner, b=options: case(board, a, b)
        fields[f"{learner}, two"] = lambda a=learner: pair(board, a)
        fields[f"{learner}, others"] = lambda a=learner: met(board, a)
    return fields
