"""The published systems: settings, figures, defects, and the learners compared with them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from agents import (
    ColumnAutomatonLearner,
    GradientBandit,
    MonteCarloES,
    NaturalPolicyGradient,
    Opponents,
    OptimalAgent,
    Policy,
    QLearning,
    RandomAgent,
    RealTimeDynamicProgramming,
    SignedProducts,
    Trainable,
    WinLossRatio,
)
from agents.policies import TablePolicy
from agents.rows import GameRows
from benchmarks.published import monte_carlo, q_learner
from benchmarks.published.contenders import Contender, Scores, TrainingResult
from benchmarks.sorted_heaps import in_any_order, sorted_game
from benchmarks.tasks import GameSetting
from benchmarks.timing import timed
from nim_envs import GameEnv
from nim_envs.game import PLAYERS as SEATS
from nim_envs.optional import installed
from nim_envs.scoring import expected_scores, optimality
from nim_envs.starts import UniformStart

OBSERVATIONS = "observations"
NIM_SUM = "observations; moves to nim-sum 0 are rewarded"
RULES = "the rules"
SYMMETRY = "observations; order of heaps does not matter"
RULES_SYMMETRY = "the rules; order of heaps does not matter"
RULES_BITS = "the rules; heaps are read as aligned bits"
RULES_BITS_SYMMETRY = "the rules; heaps are read as aligned bits, their order does not matter"


@dataclass(frozen=True)
class System:
    """One row of the comparison.

    ``figures`` are the published ones as printed, by score; those without one are left out.
    ``as_published`` trains by the published settings, from a seed and a number of games, and
    its learner knows ``knows`` besides observations and rewards; a ``stand_in`` is measured in
    its place where there is one. ``ours`` are the learners of ``agents`` that are compared with
    it; ``limit`` returns the attainable scores, where they are not 100. The ``source`` is the
    publication, or where method and figures are from.
    """

    name: str
    title: str
    settings: str
    games: int
    figures: Mapping[str, str]
    defect: str
    as_published: Callable[[int, int], TrainingResult]
    ours: tuple[Contender, ...]
    source: str
    limit: Callable[[], Scores] | None = None
    knows: str = OBSERVATIONS
    stand_in: Contender | None = None


def _setting(name: str, start: str | UniformStart = "fixed", **arguments: object) -> GameSetting:
    return GameSetting(name, {**arguments, "start": start})


def published_table(
    game: GameSetting,
    train: Callable[[int, int], Any],
    values: Callable[[Any], Mapping[q_learner.State, Mapping[q_learner.Move, float]]],
    score: Callable[[tuple[Any, ...], GameEnv], Scores],
) -> Callable[[int, int], TrainingResult]:
    """Return a function that trains a published table learner and scores its greedy policy."""

    def as_published(seed: int, games: int) -> TrainingResult:
        seconds, learner = timed(partial(train, games, seed))
        env = game.make()
        table = q_learner.action_values(values(learner), env.game.options)
        policy = TablePolicy(GameRows(env.game), table)
        return TrainingResult(score((policy,), env), games, seconds)

    return as_published


def greedy(player: Policy) -> Policy:
    """Return the greedy policy of a learner; a policy is returned unchanged."""
    return player.greedy() if isinstance(player, Trainable) else player


# Gradient bandit: the addition game.


def by_seat(players: tuple[Policy, ...], env: GameEnv) -> Scores:
    """Score each seat's policy over all N-positions, and over those that the seat can face."""
    scores = {}
    for seat, name in enumerate(SEATS):
        policy = greedy(players[seat % len(players)])
        scores[f"{name}, all N-positions %"] = optimality(policy, env.game).percent
        scores[f"{name}, those it can face %"] = optimality(policy, env.game, name).percent
    return scores


def _bandit(k: int, n: int, games: int) -> System:
    game = _setting("addition", k=k, n=n)
    published = Contender(
        "gradient bandit", OBSERVATIONS, game,
        lambda env: (GradientBandit.for_env(env), GradientBandit.for_env(env)), by_seat,
    )  # fmt: skip
    return System(
        f"bandit-{k}-{n}",
        f"Gradient bandits, addition game up to {n}",
        f"addition game, k={k}, n={n}, {games:,} games, learning rate 0.15, a bandit for each seat",
        games,
        {},
        "The published score counts positions that a seat can never reach, where its bandit "
        "has learned nothing, and counts one move at each P-position as right, though all lose.",
        published.train,
        (
            Contender(
                "negamax Q-learning", OBSERVATIONS, game,
                partial(QLearning.for_env, epsilon=0.5), by_seat,
            ),
        ),
        source="the method of Sutton & Barto, *Reinforcement Learning* (2018), §2.8, with a bandit "
        "for each position; no comparable figure is published",
    )  # fmt: skip


# Monte-Carlo control with exploring starts: three heaps up to 3.


def blunders(players: tuple[Policy, ...], env: GameEnv) -> Scores:
    """Count the N-positions at which the greedy policy may play a losing move."""
    score = optimality(greedy(players[0]), env.game)
    return {f"blunders of {score.count}": float(len(score.blunders)), "optimality %": score.percent}


def _monte_carlo() -> System:
    game = _setting("nim", "uniform", heaps=(monte_carlo.LARGEST,) * q_learner.HEAPS)
    return System(
        "monte-carlo",
        "Monte-Carlo control with exploring starts",
        "Nim, three heaps up to 3, exploring starts, 100,000 games against an opponent named "
        "optimal",
        100_000,
        {"blunders of 48": "3"},
        "The opponent moves only in the largest heap, and passes if that heap has no winning move; "
        "exploration takes only one object.",
        published_table(game, monte_carlo.train_published, dict, blunders),
        (
            Contender(
                "Monte-Carlo control, true optimal opponent", OBSERVATIONS, game,
                lambda env: Opponents(MonteCarloES.for_env(env), [OptimalAgent(env.game)], seat=0),
                blunders,
            ),
            Contender(
                "Monte-Carlo control, self-play", OBSERVATIONS, game, MonteCarloES.for_env, blunders
            ),
        ),
        source="the method of Sutton & Barto, *Reinforcement Learning* (2018), §5.3; the published "
        "figure is that of a program for Nim",
    )  # fmt: skip


# The Q-learners: three heaps from 1 to 10.

AGAINST = ("wins moving first against random %", "wins moving first against optimal %")
Q_START = UniformStart(low=1)
Q_HEAPS = (q_learner.LARGEST,) * q_learner.HEAPS


def first_mover(players: tuple[Policy, ...], env: GameEnv) -> Scores:
    """Return the exact chances of winning as first mover from the game's starts, and more."""
    game, policy = env.game, greedy(players[0])
    starts = game.board.find(game.starts.sampler(game).support()[0])
    opponents: tuple[Policy, Policy] = RandomAgent(), OptimalAgent(game)
    scores = {
        name: 100 * float(expected_scores(policy, opponent, game).moving[starts].mean())
        for name, opponent in zip(AGAINST, opponents, strict=True)
    }
    return {**scores, "optimality %": optimality(policy, game).percent}


def _attainable() -> Scores:
    env = _setting("nim", Q_START, heaps=Q_HEAPS).make()
    return first_mover((OptimalAgent(env.game),), env)


def _q_learner(
    name: str,
    title: str,
    train: Callable[[int, int], q_learner.PublishedQLearner],
    games: int,
    figures: Sequence[str],
    settings: str,
) -> System:
    game = _setting("nim", Q_START, heaps=Q_HEAPS)
    improved = name == "q-improved"
    return System(
        f"{name}-{games}",
        f"{title}, {games:,} games",
        f"Nim, three heaps uniform from 1 to 10, {games:,} games, {settings}",
        games,
        dict(zip(AGAINST, figures, strict=True)),
        "The bootstrap adds the best value of the opponent's next position instead of subtracting "
        + ("it; a reward for nim-sum 0 tells it the theorem." if improved else "it."),
        published_table(game, train, attrgetter("values"), first_mover),
        (Contender("negamax Q-learning", OBSERVATIONS, game, QLearning.for_env, first_mover),),
        source="the notebook [nim_qlearning_rl](https://github.com/bruce2tech/"
        "ml-fundamentals-portfolio/blob/main/03-reinforcement-learning/nim_qlearning_rl.ipynb)",
        limit=_attainable,
        knows=NIM_SUM if improved else OBSERVATIONS,
    )


# Win/loss ratio: a row of balls.

WORST = "least chance of a winning move at an N-position %"


def worst_position(players: tuple[Policy, ...], env: GameEnv) -> Scores:
    """Score the learner's policy, and its greedy policy, at its worst N-position."""
    board, solution = env.game.board, env.game.solution
    states = np.arange(board.num_positions)
    states = states[(solution.state_values(states) == 1) & ~board.is_over(states)]
    winnable = board.positions(states)
    probabilities = players[0].action_probabilities(winnable, board.mask(states))
    won = (probabilities * solution.winning_mask(winnable)).sum(axis=1)
    return {
        WORST: 100 * float(won.min()),
        "greedy optimality %": optimality(greedy(players[0]), env.game).percent,
    }


def _ratio(balls: int, most: int, games: int, figure: str) -> System:
    game, exploring = (
        _setting(
            "subtraction", start, heaps=(balls,), subtraction_set=tuple(range(1, most + 1)),
            misere=True,
        )
        for start in ("fixed", "uniform")
    )  # fmt: skip
    published = Contender(
        "win/loss ratio", OBSERVATIONS, game, WinLossRatio.for_env, worst_position
    )
    forgetting = partial(WinLossRatio.for_env, forgetting=0.001)
    return System(
        f"ratio-{balls}-{most}-{games}",
        f"Win/loss ratios, row of {balls}, {games:,} games",
        f"row of {balls}, take up to {most}, the player who takes the last loses; {games:,} games",
        games,
        {WORST: figure},
        "It never forgets the games it lost while it was bad, and keeps playing the odd losing "
        "move, so it becomes optimal only in the limit.",
        published.train,
        tuple(
            Contender(name, OBSERVATIONS, setting, make, worst_position)
            for name, setting, make in (
                ("win/loss ratio, forgetting 0.001", game, forgetting),
                ("win/loss ratio, forgetting 0.001 (exploring starts)", exploring, forgetting),
                ("natural policy gradient", game, NaturalPolicyGradient.for_env),
            )
        ),
        source="Decision Management Community, challenge of January 2020, solution by Moore",
    )


# Self-play on the boards 1, 3, 5, … that AlphaZero was trained on, and that of CS50.

ALL = "all N-positions %"
HEAPS_IN_WORDS = {5: "five", 6: "six", 7: "seven"}


def all_positions(players: tuple[Policy, ...], env: GameEnv) -> Scores:
    """Score the greedy policy over all N-positions."""
    return {ALL: optimality(greedy(players[0]), env.game).percent}


class SortedSetting(GameSetting):
    """A game with its heaps sorted."""

    def make(self) -> GameEnv:
        """Return a new environment of the game of sorted heaps."""
        return GameEnv(sorted_game(super().make().game))


def _with_sorted_heaps(
    name: str, knows: str, setting: GameSetting, make: Callable[[GameEnv], Trainable]
) -> Contender:
    """Return a learner in the game of sorted heaps, scored in the game itself."""

    def score(players: tuple[Any, ...], env: GameEnv) -> Scores:
        game = setting.make().game
        return {ALL: optimality(in_any_order(greedy(players[0]), game), game).percent}

    return Contender(name, knows, SortedSetting(setting.name, setting.arguments), make, score)


def _alphazero(heaps: int, figure: str) -> System:
    board = tuple(range(1, 2 * heaps, 2))
    full, exploring = (_setting("nim", start, heaps=board) for start in ("fixed", "uniform"))
    published = Contender(
        "tabular Q-learning", OBSERVATIONS, full,
        partial(QLearning.for_env, learning_rate=0.5, epsilon=0.1), all_positions,
    )  # fmt: skip
    planning = partial(RealTimeDynamicProgramming.for_env, epsilon=0.3)
    sweeping = partial(planning, sweeping=True)
    learners: list[tuple[str, str, Callable[[GameEnv], Trainable]]] = [
        ("real-time dynamic programming", RULES, planning),
        ("real-time dynamic programming, sweeping", RULES, sweeping),
    ]

    def contenders(starts: str, game: GameSetting) -> list[Contender]:
        return [
            _with_sorted_heaps(
                "Q-learning, heap symmetry" + starts, SYMMETRY, game,
                partial(QLearning.for_env, epsilon=0.3),
            ),
            *(
                Contender(name + starts, knows, game, make, all_positions)
                for name, knows, make in learners
            ),
            _with_sorted_heaps(
                "real-time dynamic programming, sweeping, heap symmetry" + starts,
                RULES_SYMMETRY, game, sweeping,
            ),
        ]  # fmt: skip

    # These choose their own games, and stop when they need no more.
    automaton = partial(ColumnAutomatonLearner.for_env, play_from="start")
    generalising: list[tuple[str, str, Callable[[GameEnv], Trainable]]] = [
        ("column automaton", RULES_BITS_SYMMETRY, automaton),
        ("column automaton, zeros read too", RULES_BITS, partial(automaton, letters="0 1 |")),
    ]
    if installed("torch"):
        generalising.append(
            ("network with signed products", RULES_BITS_SYMMETRY, SignedProducts.for_env)
        )
    return System(
        f"alphazero-{heaps}",
        f"AlphaZero of Zhou & Riis, {HEAPS_IN_WORDS[heaps]} heaps",
        f"Nim {', '.join(map(str, board))}, 20,000 games of self-play from the full board, no "
        "search at evaluation; the published learner is a network trained with search on a GPU; "
        "tabular Q-learning (learning rate 0.5, epsilon 0.1) is measured in its place",
        20_000,
        {ALL: figure},
        "From the full board alone most positions are hardly ever visited, and a network does not "
        "generalise the parity of bits to them.",
        published.train,
        (
            *contenders("", full),
            *(
                Contender(name, knows, full, make, all_positions)
                for name, knows, make in generalising
            ),
            *contenders(" (exploring starts)", exploring),
        ),
        source='B. Zhou & S. Riis, "Impartial games: a challenge for reinforcement learning", '
        "arXiv:2205.12787 (2022)",
        knows=RULES,
        stand_in=published,
    )


def _cs50() -> System:
    game = _setting("misere_nim", heaps=(1, 3, 5, 7))
    published = Contender(
        "Q-learning of own turns", OBSERVATIONS, game,
        partial(QLearning.for_env, bootstrap="own_turn", learning_rate=0.5, epsilon=0.1),
        all_positions,
    )  # fmt: skip
    return System(
        "cs50",
        "CS50's project Nim",
        "misère Nim 1, 3, 5, 7, 10,000 games of self-play, learning rate 0.5, epsilon 0.1",
        10_000,
        {},
        "With little exploration from one start some positions are not visited often enough.",
        published.train,
        (
            _with_sorted_heaps(
                "negamax Q-learning, heap symmetry", SYMMETRY, game,
                partial(QLearning.for_env, epsilon=0.5),
            ),
            Contender(
                "real-time dynamic programming", RULES, game,
                partial(RealTimeDynamicProgramming.for_env, epsilon=0.3), all_positions,
            ),
        ),
        source="Harvard University, *CS50's Introduction to Artificial Intelligence with Python*, "
        "project Nim",
    )  # fmt: skip


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        _bandit(3, 10, 50_000),
        _bandit(4, 20, 50_000),
        _bandit(10, 100, 20_000),
        _monte_carlo(),
        _q_learner(
            "q-baseline", "Q-learning with the wrong sign", q_learner.train_baseline, 10_000,
            ("73.8", "2.2"),
            "random moves, learning rate 1, discount 0.8, 100 for a win",
        ),
        *(
            _q_learner(
                "q-improved", "Q-learning with the wrong sign, improved",
                q_learner.train_improved, games, figures,
                "opponents in rotation, nim-sum bonus, replay",
            )
            for games, *figures in (
                (10_000, "88.3", "4.3"), (100_000, "90.3", "6.4"),
                (1_000_000, "94.9", "14.5"), (10_000_000, "98.7", "67.8"),
            )
        ),
        _ratio(17, 3, 500, "85 or more"),
        _ratio(17, 3, 5_000, "over 98"),
        _ratio(20, 4, 5_000, "83 or more"),
        _alphazero(5, "41.5 (best 47.4)"),
        _alphazero(6, "15.6 (best 43.2)"),
        _alphazero(7, "8.1 (best 8.6)"),
        _cs50(),
    )
}  # fmt: skip
"""The systems by name."""
