"""Exact scores of any policy: optimality, best response, expected scores."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nim_envs.errors import InvalidPolicyError, InvalidPositionError, SearchTooLargeError
from nim_envs.game import PLAYERS, Game
from nim_envs.graph import LARGEST_TABLE, Graph
from nim_envs.players import AnyPlayer, Mover, Policy
from nim_envs.scored_policy import ScoredPolicy, game_of
from nim_envs.solution import Solution, retrograde
from nim_envs.starts import OutcomeStart
from nim_envs.sums import Sum, board_of, graph_of, states_at
from nim_envs.typing import BoolArray, FloatArray, IntArray
from nim_envs.validation import check_bytes, checked_integer

__all__ = [
    "POSITION_SETS",
    "AnyPlayer",
    "ExpectedScores",
    "Mover",
    "Optimality",
    "Policy",
    "beatable_share",
    "best_response",
    "expected_scores",
    "mean_interval",
    "optimality",
]

POSITION_SETS = ("all", "reachable", *PLAYERS)

CHUNK = 2**22
"""Pairs of a position and an action that are scored at once."""

LARGEST_SCORE = 2**33
"""Most pairs of a position and an action that are scored, which takes some minutes."""

ROUNDING = 1e-12
"""Relative tolerance within which a score counts as 100 %."""

CONFIDENCE = 0.95
"""Confidence of the intervals of sampled scores."""


@dataclass(frozen=True)
class Decisive:
    """Share of right moves over the positions at which some move loses value.

    Attributes:
        percent: mean probability of a right move, in percent; NaN if there is no such position.
        random_percent: the same for the random policy.
        count: number of such positions.
    """

    percent: float
    random_percent: float
    count: int

    def __str__(self) -> str:
        """Return the share and that of the random policy."""
        random = f"(random {self.random_percent:.2f} %)"
        return f"{self.percent:.2f} % of {self.count} decisive ones {random}"


@dataclass(frozen=True)
class Optimality:
    """Share of right moves of a policy, over the positions of a set that are not lost.

    Without draws these are the N-positions, and right are the moves that win. In games with an
    outcome of their own drawn positions count, too, and right is a move that keeps the value.

    Attributes:
        percent: mean probability of a right move, in percent; NaN if the set has no such position.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move, in percent.
        positions: the set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        count: number of positions that were scored: those in the set, or those sampled.
        blunders: the positions where a most probable move is not right, int64
            ``(blunders, fields)``.
        interval: if positions were sampled, the 95 % confidence interval of the score over the
            whole set, in percent; ``None`` where the score is exact.
        decisive: in games with an outcome of their own, the same over the *decisive* positions, at
            which some move loses value; else ``None``.
        by_distance: where asked for, the percent of right moves by ``solution.distance``.
    """

    percent: float
    random_percent: float
    illegal_percent: float
    positions: str
    count: int
    blunders: IntArray
    interval: tuple[float, float] | None = None
    decisive: Decisive | None = None
    by_distance: dict[int, float] | None = None

    def __repr__(self) -> str:
        """Return the score and the number of blunders in one line."""
        return f"Optimality({self}; {len(self.blunders)} blunders)"

    def __str__(self) -> str:
        """Return the score in one line."""
        which = self.positions if self.interval is None else "sampled"
        positions = "N-positions" if self.decisive is None else "positions that are not lost"
        return (
            f"{self.percent:.2f} %{in_words(self.interval)} of {self.count} {positions}, {which}; "
            f"{'' if self.decisive is None else f'{self.decisive}; '}"
            f"random {self.random_percent:.2f} %, illegal {self.illegal_percent:.2f} %"
        )


def optimality(
    policy: AnyPlayer,
    env_or_game: Any,
    positions: str | npt.ArrayLike = "all",
    *,
    sample: int | None = None,
    samples: int | None = None,
    seed: int = 0,
    by_distance: bool = False,
) -> Optimality:
    """Score ``policy`` exactly: the mean probability of a winning move over the N-positions.

    P-positions do not count: every move loses there. If a greedy policy breaks ties uniformly, a
    tie scores the share of its actions that win. An illegal move does not win.

    In games with an outcome of their own, where draws exist, every position counts that leaves a
    move and is not lost, and a move is right if it keeps the value: a win at a won position, the
    draw at a drawn one. There ``decisive`` is the share at positions where some move is wrong.

    Args:
        policy: a function of observations ``(n, ...)`` and action masks, int8 ``(n, actions)``,
            that returns actions, integers ``(n,)``, or probabilities ``(n, actions)``; with three
            required parameters it is given a generator, too. With a single one it is a function of
            a position that returns the position after its move. Or an object with
            ``action_probabilities(observations, action_masks)``, such as ``learner.greedy()``; or
            with ``move(position)``, such a function of a position; or with
            ``act(observation, action_mask, rng)``, which is called once at each position. Of
            several of these methods, the first is used. It may overwrite its arguments; an action
            of -1 means no legal move, and counts as illegal.
        env_or_game: an environment of this package, whose observations the policy gets; in wrappers
            that change nothing, or in observation wrappers of Gymnasium whose ``observation`` is a
            function of the observation alone. Or a game: observations are positions, int64
            ``(n, fields)``.
        positions: ``"all"``; ``"reachable"``: those that can be reached from the game's starts;
            ``"player_0"`` or ``"player_1"``: those that can be reached with this player to move; or
            an integer array ``(n, fields)``.
        sample: score this many of these positions, drawn uniformly from all, instead of all of
            them: for boards too large to enumerate.
        samples: for a policy that draws its actions, the number of times that it is asked about
            each position; the mean counts. By default it is asked once, and again about 50
            positions one by one: its answers must not depend on the batch or on earlier calls.
        seed: seed of the draws, at least 0.
        by_distance: whether to score the positions of each distance to the end, too.

    Returns:
        The score of the policy, and that of the random policy.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is none of the above, or cannot be scored.
        ValueError: an unknown set of positions, ``sample`` of another set than all, or an invalid
            number.
        InvalidPolicyError: the policy returned neither actions nor probabilities, or others when
            it was asked again.
        InvalidPositionError: given positions are not of this game; or there are none to draw.
        SearchTooLargeError: too many positions to enumerate, or to solve.

    Example:
        >>> import pettingzoo, nim_envs
        >>> env = pettingzoo.make("aec", "nim_envs/addition-v0", k=3, n=10)
        >>> score = nim_envs.optimality(lambda observations, masks: masks.argmax(axis=1), env)
        >>> score.percent, score.count, round(score.random_percent, 1)
        (37.5, 8, 33.3)
        >>> def first_legal(observations, masks):
        ...     return masks.argmax(axis=1)
        >>> large = nim_envs.make_game("nim", heaps=(300, 300, 300))
        >>> print(optimality(first_legal, large, sample=1000))
        0.20 % (0.01 to 0.86 %) of 1000 N-positions, sampled; random 0.33 %, illegal 0.00 %
    """
    scored = ScoredPolicy(policy, env_or_game, seed, samples)
    game = scored.game
    if sample is None:
        name, solution, states = position_set(game, positions)
    else:
        sample = checked_integer("sample", sample, minimum=1)
        check_bytes(f"{sample} positions of {game.name}", 8 * sample * len(game.fields))
        if not isinstance(positions, str) or positions != "all":
            raise ValueError(f"sample draws from all positions; positions was {positions!r}")
        name, solution = "all", game.solution
        states = _drawn(game, np.random.default_rng(seed), sample)
    parts = _chunks(states, game.num_actions)
    sums, blunders, distances, right = np.zeros(7), [], [], []
    for part in _with_progress(parts, len(states), "optimality"):
        here = not_lost(solution, part)
        of_part, wrong, on_right = _sums(scored, solution, here)
        sums += of_part
        blunders.append(wrong)
        if by_distance:
            distances.append(game.solution.distance(solution.board.positions(here)))
            right.append(on_right.sum(axis=1))
    count, num_decisive = map(int, sums[:2])
    of_distance = None
    if by_distance:
        far, shares = np.concatenate(distances), np.concatenate(right)
        groups = {int(each): shares[far == each] for each in np.unique(far)}
        of_distance = {each: _percent(group.sum(), len(group)) for each, group in groups.items()}
    decisive = None
    if game.has_outcome:
        right_there, random_there = (_percent(each, num_decisive) for each in sums[5:])
        decisive = Decisive(right_there, random_there, num_decisive)
    percent, random_percent, illegal_percent = (_percent(each, count) for each in sums[2:5])
    interval = None if sample is None else percent_interval(percent, count)
    return Optimality(
        percent, random_percent, illegal_percent, name, count, np.concatenate(blunders), interval,
        decisive, of_distance,
    )  # fmt: skip


def _sums(
    scored: ScoredPolicy, solution: Solution, here: IntArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return seven sums over states, the blunders, and the probabilities of right moves.

    The sums: states; decisive ones; probabilities of right moves, of those of the random policy and
    of illegal moves; the first two of these over decisive states.
    """
    masks, right = solution.board.mask(here), solution.state_keeping(here)
    positions = solution.board.positions(here)
    probabilities = scored.repeatable_probabilities(positions, masks, are_all=True)
    no_move = ~probabilities.any(axis=1)
    legal = masks.sum(axis=1, keepdims=True, dtype=np.int64)
    likeliest = probabilities == probabilities.max(axis=1, keepdims=True, initial=0.0)
    on_right, random_on_right = probabilities * right, masks / legal * right
    illegal = (probabilities * (masks == 0)).sum() + no_move.sum()
    sums = [on_right.sum(), random_on_right.sum(), illegal]
    decisive = np.zeros(len(here), dtype=np.bool_)
    if scored.game.has_outcome:
        decisive = right.sum(axis=1) < legal[:, 0]
    sums += [on_right[decisive].sum(), random_on_right[decisive].sum()]
    blunders = positions[(likeliest & ~right).any(axis=1) | no_move]
    return np.array([len(here), decisive.sum(), *sums]), blunders, on_right


def _percent(amount: float, count: int) -> float:
    """Return a sum over positions as a share of their number, in percent."""
    # Rounding: thirteen thirteenths add up to slightly less than one.
    if math.isclose(amount, count, rel_tol=ROUNDING):
        return 100.0 if count else math.nan
    return 100.0 * float(amount) / count


def position_set(game: Game, positions: str | npt.ArrayLike) -> tuple[str, Solution, IntArray]:
    """Return a set of positions: its name, the solution there, and the states, in order."""
    if not isinstance(positions, str):
        states = states_at(game.board, positions)
        of_one = states.shape[np.ndim(positions) - 1 :]
        return "given", game.solution, states.reshape(-1, *of_one)
    if positions not in POSITION_SETS:
        raise ValueError(f"positions must be one of {POSITION_SETS} or an array, not {positions!r}")
    solution = _whole_solution(game)
    if positions == "all":
        board = solution.board
        total = board.num_positions
        if total * board.num_actions > LARGEST_SCORE:
            raise SearchTooLargeError(
                f"{game.name} has {total} positions of {board.num_actions} actions each; at most "
                f"{LARGEST_SCORE} pairs of them are scored. optimality(..., sample=10_000) scores "
                "positions drawn at random"
            )
        states = board.states(total) if isinstance(board, Sum) else np.arange(total)
        return positions, solution, states
    by_seat = reachable(graph_of(game.parts, game.name), game.start_positions())
    seats = by_seat.any(axis=0) if positions == "reachable" else by_seat[PLAYERS.index(positions)]
    return positions, solution, np.flatnonzero(seats)


def not_lost(solution: Solution, states: IntArray) -> IntArray:
    """Return those of the states, ``(n, ...)``, that scores count: not lost, and with a move."""
    counts = (solution.state_values(states) >= 0) & ~solution.board.is_over(states)
    return np.asarray(states[counts])


def _whole_solution(game: Game) -> Solution:
    """Return the solution on the graph of all positions, or on a sum where that is too large."""
    board, known = board_of(game.parts, LARGEST_TABLE), game.solution
    if board is known.board or isinstance(board, Sum):
        return known
    return Solution(board, known.method, lambda rows: known.value(board.positions(rows)))


def _chunks(states: IntArray, num_actions: int) -> Iterator[IntArray]:
    """Return states, ``(n, ...)``, in chunks of about :data:`CHUNK` pairs with actions."""
    size = max(1, CHUNK // num_actions)
    return (states[first : first + size] for first in range(0, max(1, len(states)), size))


def _with_progress(chunks: Iterable[IntArray], total: int, title: str) -> Iterator[IntArray]:
    """Yield chunks, with a progress bar of ``total`` positions after two seconds."""
    with tqdm(desc=title, unit="position", total=total, delay=2, disable=None) as bar:
        for chunk in chunks:
            yield chunk
            bar.update(len(chunk))


def _drawn(game: Game, rng: np.random.Generator, count: int) -> IntArray:
    """Return states that are not lost, drawn uniformly from all, ``(count, ...)``."""
    if not game.has_outcome:
        return game.board.find(OutcomeStart(winning=True).sampler(game).sample(rng, count))
    here = not_lost(game.solution, np.arange(game.board.num_positions))
    if not len(here):
        raise InvalidPositionError(f"every position of {game.name} with a move is lost")
    return np.asarray(here[rng.integers(len(here), size=count)])


def reachable(graph: Graph, starts: IntArray) -> BoolArray:
    """Return the positions at which each player can be to move, ``(2, num_positions)``, by seat.

    Games begin at ``starts``, ``(n, fields)``, with ``player_0`` to move.
    """
    reached = np.zeros((2, graph.num_positions), dtype=np.bool_)
    last = np.zeros(graph.num_positions, dtype=np.int64)
    rows, seat = graph.find(starts), 0
    reached[seat, rows] = True
    while len(rows):
        seat, found = 1 - seat, []
        for some in _chunks(rows, graph.num_actions):
            after = graph.after[some]
            after = after[after >= 0]
            after = after[~reached[seat, after]]
            reached[seat, after] = True
            last[after] = places = np.arange(len(after))
            found.append(after[last[after] == places])  # each row once
        rows = np.concatenate(found)
    return reached


def mean_interval(mean: float, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return a confidence interval of the expectation of numbers from 0 to 1, given their mean.

    It is valid for any distribution on [0, 1] and any number of draws, and has a positive width
    even if all are 0 or all are 1. By Hoeffding's inequality, the mean of ``n`` draws is at least
    as far from the expectation ``p`` as ``m``, on the same side, with a probability of at most
    ``exp(-n KL(m, p))``, where ``KL(m, p) = m ln(m/p) + (1-m) ln((1-m)/(1-p))``.

    Args:
        mean: mean of the numbers, from 0 to 1.
        count: number of independent draws, at least 1.
        confidence: lower bound on the probability that the interval contains the expectation.

    References:
        W. Hoeffding, "Probability inequalities for sums of bounded random variables", *Journal of
        the American Statistical Association* 58 (1963), theorem 1.

    Example:
        >>> low, high = mean_interval(1.0, 1000)
        >>> round(low, 4), high
        (0.9963, 1.0)
    """
    largest = math.log(2 / (1 - confidence)) / count

    def end(far: float) -> float:
        """Return the end of the interval towards 0 or 1, by bisection."""
        near = mean
        for _ in range(60):
            middle = (near + far) / 2
            if _divergence(mean, middle) <= largest:
                near = middle
            else:
                far = middle
        return far

    return end(0.0), end(1.0)


def _divergence(mean: float, expectation: float) -> float:
    """Return the Kullback-Leibler divergence of two Bernoulli distributions, in nats."""
    both = [(mean, expectation), (1 - mean, 1 - expectation)]
    if any(share and not other for share, other in both):
        return math.inf
    return sum(share * math.log(share / other) for share, other in both if share)


def percent_interval(percent: float, count: int) -> tuple[float, float]:
    """Return :func:`mean_interval` of a score in percent, in percent."""
    low, high = mean_interval(percent / 100, count)
    return 100 * low, 100 * high


def in_words(interval: tuple[float, float] | None) -> str:
    """Return an interval in percent as scores show it, after a space; empty for none."""
    return "" if interval is None else f" ({interval[0]:.2f} to {interval[1]:.2f} %)"


@dataclass(frozen=True)
class ExpectedScores:
    """The exact expected score of a player from every position.

    Attributes:
        moving: expected score when the player is to move, from 0 for a loss over one half for a
            draw to 1 for a win, float64 ``(num_positions,)``, in lexicographic order of positions.
        waiting: the same when its opponent is to move.
        graph: the positions: ``scores.moving[scores.graph.state((3, 4, 5))]`` is the score at one,
            with all coordinates, and ``scores.graph.coordinates`` are all of them.
    """

    moving: FloatArray
    waiting: FloatArray
    graph: Graph

    def __repr__(self) -> str:
        """Return the number of positions and the means of both arrays."""
        means = f"mean {self.moving.mean():.3f} moving, {self.waiting.mean():.3f} waiting"
        return f"ExpectedScores({len(self.moving)} positions, {means})"


def best_response(
    policy: AnyPlayer, env_or_game: Any, *, samples: int | None = None
) -> ExpectedScores:
    """Compute the expected scores of the best response: an opponent that knows ``policy``.

    Backward induction over all positions: the opponent makes the best move, the policy moves by its
    probabilities. Only the rules are used, no theorem. Illegal moves of the policy forfeit.
    Arguments and errors are those of :func:`optimality`.

    Where play may never end, a policy that chooses moves by chance is refused by an
    ``InvalidPolicyError``, as there is no exact score.
    """
    return _scores("best_response", None, ScoredPolicy(policy, env_or_game, samples=samples))


def expected_scores(
    policy: AnyPlayer, opponent: AnyPlayer, env_or_game: Any, *, samples: int | None = None
) -> ExpectedScores:
    """Compute the exact expected scores of ``policy`` against ``opponent`` from every position.

    Backward induction over all positions by the rules alone. Illegal moves forfeit. Arguments and
    errors are those of :func:`best_response`, ``opponent`` is another policy, or the same.

    Example:
        >>> from nim_envs import make_game
        >>> def take_one(observations, action_masks):
        ...     return np.zeros(len(observations), dtype=int)
        >>> game = make_game("nim", heaps=(3,))
        >>> expected_scores(take_one, take_one, game).moving.tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    first, second = (
        ScoredPolicy(each, env_or_game, samples=samples) for each in (policy, opponent)
    )
    return _scores("expected_scores", first, second)


def _scores(name: str, first: ScoredPolicy | None, second: ScoredPolicy) -> ExpectedScores:
    """Return the scores of ``first``, or where it is ``None`` of best play, against ``second``."""
    game = second.game
    graph = graph_of(game.parts, game.name)
    if game.has_cycles:
        return _scores_with_cycles(name, graph, game, first, second)
    moving = np.full(graph.num_positions, 1.0 if game.misere else 0.0)
    outcome = game.parts[0].outcome
    if outcome is not None:
        moving = (1 + outcome) / 2
    waiting = 1 - moving
    # Each row comes after those of its moves.
    chunks = (rows for level in graph.levels() for rows in _chunks(level, graph.num_actions))
    for rows in _with_progress(chunks, graph.num_positions, name):
        if first is None:
            after = graph.after[rows]
            moving[rows] = np.where(after >= 0, waiting[after], 0.0).max(axis=1)
        else:
            moving[rows] = _expected(first, graph, waiting, rows, 0.0)
        waiting[rows] = _expected(second, graph, moving, rows, 1.0)
    return ExpectedScores(moving, waiting, graph)


def _scores_with_cycles(
    name: str, graph: Graph, game: Game, first: ScoredPolicy | None, second: ScoredPolicy
) -> ExpectedScores:
    """Return the same where play may never end, by retrograde analysis of each player's moves."""
    # Twice the positions: ``first`` is to move, then ``second``. Without a legal move it loses.
    size, after = graph.num_positions, np.tile(graph.after, (2, 1))
    ends = np.where(graph.ends, game.end_values(np.arange(size)), np.int8(-1))
    for player, moves in ((first, after[:size]), (second, after[size:])):
        for rows in _chunks(np.flatnonzero(~graph.ends), game.num_actions):
            if player is None:
                break
            chances = player.repeatable_probabilities(graph.positions(rows), graph.mask(rows))
            if ((chances > 0) & (chances < 1)).any():
                raise InvalidPolicyError(
                    f"{name} is exact in {game.name}, where play may never end, only of policies "
                    "that choose no move by chance"
                )
            moves[rows] = np.where(chances > 0, moves[rows], -1)
    after[:size] += np.where(after[:size] >= 0, size, 0).astype(np.int32)
    values = retrograde(after, np.where(after.max(axis=1) < 0, np.tile(ends, 2), np.int8(0)))[0]
    return ExpectedScores((1 + values[:size]) / 2, (1 - values[size:]) / 2, graph)


def _expected(
    player: ScoredPolicy, graph: Graph, values: FloatArray, rows: IntArray, forfeited: float
) -> FloatArray:
    """Return the expected value after a player's move, ``forfeited`` after an illegal one."""
    after, masks = graph.after[rows], graph.mask(rows)
    probabilities = player.repeatable_probabilities(graph.positions(rows), masks)
    # A row of zeros: the policy names no legal move.
    forfeits = np.where(probabilities.any(axis=1), (probabilities * (masks == 0)).sum(axis=1), 1.0)
    legal = probabilities * masks
    # In the order of actions, which decides the last bits.
    total, played = (each.cumsum(axis=1)[:, -1] for each in (legal * values[after], legal))
    # Dividing cancels rounding errors where every option has value 1.
    expected = np.divide(total, played, out=np.zeros(len(rows)), where=played > 0)
    return np.asarray(forfeits * forfeited + (1 - forfeits) * expected)


def beatable_share(policy: AnyPlayer, env_or_game: Any, *, samples: int | None = None) -> float:
    """Return the share of positions from which the policy, to move, can be beaten.

    Counted are positions with a legal move that are not lost: without draws the N-positions. The
    expected score of a best response is then over what optimal play would leave it, (1 − value)/2:
    0 at a win, one half at a draw. The share is 0 for optimal play, and NaN if there is no such
    position. Arguments and errors are those of :func:`optimality`.
    """
    response = best_response(policy, env_or_game, samples=samples)
    solution = _whole_solution(game_of(env_or_game))
    here = not_lost(solution, np.arange(len(response.waiting)))
    beaten = response.waiting[here] > (1 - solution.state_values(here)) / 2
    return int(beaten.sum()) / len(here) if len(here) else math.nan
