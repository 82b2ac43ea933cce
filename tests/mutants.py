"""Four small learners with their values, each with one fault at a time as a switch.

They are written for tests alone, from the textbooks, and share nothing with the code that
diagnoses them: Q-learning with a table, DQN, PPO, and Monte Carlo tree search. The faults are the
mutation operators of two published lists, as far as they apply to games without randomness, and
those of probe environments and of this project's own users:

- RLMutation (Tambon et al., "Mutation testing of deep reinforcement learning based on real faults",
  *ICST* 2023): missing terminal state, repeat (stale observations), no discount factor (the column
  of discount 1), incorrect loss function (the sign of the bootstrap), missing state update.
- muPRL (Thomas et al., "muPRL: a mutation testing pipeline for deep reinforcement learning based on
  real faults", *ICSE* 2025), at the end of its ranges: discount (SDF), target updates (SNU, SPV).
  Fewer steps, later starts and less exploration (NEI, SLS, SMR, SNR, SEC) leave an agent that is
  right and partly trained: these are among the right ones, stopped early.
- Probe environments (A. Jones, "Debugging reinforcement learning systems without the agonizing
  pain", 2021): a value of the end, the discount, and what the observation shows, one at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from nim_envs import Convention, Game, make_game
from nim_envs.encoding import Encoding
from tests import faulty_agents as faulty
from tests import outcome_games

ILLEGAL = "maximum over illegal actions"
FROZEN = "target network never updated"
STEP = "wrong step size"
MIXED = "replay mixes players"
CUT_SHORT = "truncation taken for the end"
BEYOND = "end taken for truncation"
BACKUP = "sign of the backup never flips"
DRAW = "a draw taken for a win or a loss"

TOO_SMALL, TOO_LARGE = "too small a step", "too large a step"
"""Two forms of ``STEP``."""

DRAW_WON, DRAW_LOST = "a draw taken for a win", "a draw taken for a loss"
"""Two forms of ``DRAW``, for the player who makes the last move."""

DRAW_LOST_TO_BOTH = "a draw taken for a loss of both"
"""A form of ``DRAW`` in a learner that bootstraps from its own next turn."""

NAME = {
    TOO_SMALL: STEP, TOO_LARGE: STEP,
    DRAW_WON: DRAW, DRAW_LOST: DRAW, DRAW_LOST_TO_BOTH: DRAW,
}  # fmt: skip
"""Names of faults in the diagnosis, where they differ from those here."""

OF_PLAY = (faulty.UNMASKED, faulty.STALE, faulty.OFF_BY_ONE)
"""Faults of play alone: the learner is right."""

OF_LOOKS = (faulty.CONSTANT, faulty.BLIND, faulty.UNORDERED, faulty.CUT)

OF_RESULTS = (faulty.CONFUSED, faulty.SWAPPED)

OF_TARGETS = (
    faulty.SIGN, faulty.ONE_MOVE, ILLEGAL, FROZEN, TOO_SMALL, TOO_LARGE, MIXED, CUT_SHORT, BEYOND,
)  # fmt: skip

OF_LEARNERS = {
    "table": (*OF_TARGETS, *OF_RESULTS, *OF_LOOKS, *OF_PLAY),
    "DQN": (*OF_TARGETS, *OF_RESULTS, *OF_LOOKS, *OF_PLAY),
    "PPO": (
        faulty.SIGN, faulty.ONE_MOVE, TOO_SMALL, TOO_LARGE, CUT_SHORT, BEYOND, *OF_RESULTS,
        *OF_LOOKS, *OF_PLAY,
    ),
    "MCTS": (faulty.SIGN, BACKUP, faulty.ONE_MOVE, *OF_RESULTS, *OF_PLAY),
}  # fmt: skip
"""Faults that make sense in each learner."""

BLIND_TO_A_CELL = "blind to coordinate 1"

OF_LEARNERS_WITH_DRAWS = {
    "table": (
        DRAW_WON, DRAW_LOST, DRAW_LOST_TO_BOTH, *OF_TARGETS, faulty.SWAPPED, faulty.CONSTANT,
        BLIND_TO_A_CELL, faulty.CUT, *OF_PLAY,
    ),
    "MCTS": (DRAW_WON, DRAW_LOST, faulty.SIGN, BACKUP, faulty.ONE_MOVE, faulty.SWAPPED, *OF_PLAY),
}  # fmt: skip
"""Faults that make sense in each learner in games with draws, which have one convention."""

ALL_FAULTS = tuple(dict.fromkeys(fault for faults in OF_LEARNERS.values() for fault in faults))

GAMES = (
    *(
        make_game(
            "subtraction", heaps=(18,), subtraction_set=(1, 2, 3, 4), misere=misere, start="uniform"
        )
        for misere in (False, True)
    ),
    make_game("nim", heaps=(3, 3, 3), start="uniform"),
)
"""One heap in normal and misère play, and three heaps."""

GAMES_WITH_DRAWS = {
    learner: tuple(Game(each().game.rules, each().game.convention, "uniform") for each in made)
    for learner, made in {
        "table": (outcome_games.tic_tac_toe, outcome_games.small_connect),
        "MCTS": (outcome_games.small_connect,),
    }.items()
}
"""Games with draws, by the learner that has the time for them."""

CUT_AFTER = 4
"""Moves after which a game is cut short in training."""


def without_cell_1(cells: Any) -> Any:
    """Cells of which one is not seen."""
    return np.where(np.arange(len(cells)) == 1, 0, cells)


class Board:
    """The moves of a small game as arrays.

    Args:
        game: its rules and convention; the fault may change the convention by which one learns.
        fault: a fault; others than those of results and looks change nothing here.
    """

    def __init__(self, game: Game, fault: str | None = None) -> None:
        rules = game.rules
        self.rules = rules
        self.positions = rules.lattice()
        self.legal = np.asarray(rules.action_mask(self.positions)) == 1
        self.after = np.zeros(self.legal.shape, dtype=np.int64)
        rows, actions = np.nonzero(self.legal)
        self.after[rows, actions] = rules.indices(rules.step(self.positions[rows], actions))
        self.over = ~self.legal.any(axis=1)
        # Result for who moved last, of each position; 0 where the game goes on.
        self.results = np.zeros(len(self.positions))
        if game.has_outcome:
            ends = [game.end_value(end) for end in self.positions[self.over]]
            taken = {DRAW_WON: 1, DRAW_LOST: -1, DRAW_LOST_TO_BOTH: -1}.get(fault, 0)
            results = [-end if end else taken for end in ends]
            self.results[self.over] = results
            # Of the other player, where it is not the opposite.
            self.replied = -self.results
            if fault == DRAW_LOST_TO_BOTH:
                self.replied[self.over] = [end or taken for end in ends]
            if fault == faulty.SWAPPED:
                self.results = -self.results
        else:
            if fault in OF_RESULTS:
                game = faulty.with_convention(game, fault)
            self.results[self.over] = 1.0 if game.convention is Convention.NORMAL else -1.0
            self.replied = -self.results
        self.seen = self._seen(faulty.LOOKS.get(fault, np.copy), fault)
        self.starts = np.flatnonzero(~self.over)

    def _seen(self, looks: Any, fault: str | None) -> Any:
        """Row of each position, or of the first one that looks the same to it."""
        rules = self.rules
        if not rules.has_coordinates:
            return rules.indices(np.apply_along_axis(looks, 1, self.positions))
        cells = rules.coordinates(self.positions)
        looks = without_cell_1 if fault == BLIND_TO_A_CELL else looks
        _, first, group = np.unique(
            np.apply_along_axis(looks, 1, cells), axis=0, return_index=True, return_inverse=True
        )
        return first[group.reshape(-1)]

    def row_of(self, observations: Any) -> Any:
        """Row of each position that is observed, ``(k,)``."""
        return self.rules.indices(self.rules.positions_at(observations))

    @cached_property
    def features(self) -> Any:
        """One-hot features of what is seen of each position, ``(n, features)``."""
        encoding = Encoding("one_hot", self.rules)
        return encoding.encode(self.positions[self.seen]).astype(np.float32)


class Moves(NamedTuple):
    """Moves of random play, each with the position of the reply and the one after it."""

    state: Any
    action: Any
    reward: Any
    next_state: Any
    terminated: Any
    truncated: Any
    reply_reward: Any
    own_state: Any  # position after a random reply; that of the end if there is none
    own_over: Any
    restart: Any  # first position of another game


def random_moves(board: Board, number: int, rng: np.random.Generator) -> Moves:
    """Return moves of random games from uniform starts, in any order."""

    def played(states: Any) -> Any:
        weights = rng.random((len(states), board.legal.shape[1])) * board.legal[states]
        return weights.argmax(axis=1)

    states, ages = rng.choice(board.starts, 256), np.zeros(256, dtype=np.int64)
    found = []
    for _ in range(-(-number // 256)):
        actions = played(states)
        after = board.after[states, actions]
        ended = board.over[after]
        ages += 1
        cut = ~ended & (ages >= CUT_AFTER)
        replies = np.where(ended, 0, played(after))
        own = np.where(ended, after, board.after[after, replies])
        own_over = board.over[own]
        restart = rng.choice(board.starts, 256)
        reply_reward = np.where(~ended & own_over, board.replied[own], 0.0)
        found.append(
            Moves(
                states, actions, board.results[after], after, ended, cut, reply_reward, own,
                own_over, restart,
            )
        )  # fmt: skip
        begin = ended | cut
        states, ages = np.where(begin, restart, after), np.where(begin, 0, ages)
    return Moves(*(np.concatenate(part) for part in zip(*found, strict=True)))


def targets(
    board: Board, moves: Moves, q: Any, discount: float, fault: str | None, rng: Any
) -> Any:
    """Return the targets of Q-learning, ``(moves,)``.

    Args:
        board: the game.
        moves: what happened.
        q: returns action values ``(k, actions)`` of positions ``(k,)``, by the target network.
        discount: γ.
        fault: a fault of targets, if any.
        rng: source of random numbers.
    """

    def best(states: Any) -> Any:
        values = q(states)
        if fault == ILLEGAL:
            return values.max(axis=1)
        return np.where(board.legal[states], values, -np.inf).max(axis=1)

    def bootstrapped(states: Any, over: Any) -> Any:
        return np.where(over, 0.0, best(np.where(over, board.starts[0], states)))

    ended = moves.terminated
    if fault == CUT_SHORT:
        ended = ended | moves.truncated
    following = bootstrapped(moves.next_state, ended)
    if fault == BEYOND:
        following = np.where(ended, best(moves.restart), following)
    sign = 1.0 if fault == faulty.SIGN else -1.0
    if fault == faulty.ONE_MOVE:
        sign = 0.0
    found = moves.reward + sign * discount * following
    if fault == DRAW_LOST_TO_BOTH:
        return moves.reward + moves.reply_reward + discount * bootstrapped(
            moves.own_state, moves.own_over
        )  # fmt: skip
    if fault == MIXED:
        own = moves.reward + moves.reply_reward - discount * bootstrapped(
            moves.own_state, moves.own_over
        )  # fmt: skip
        found = np.where(rng.random(len(found)) < 0.5, own, found)
    return found


class Agent:
    """A trained agent: greedy by a table of scores, with values.

    Args:
        board: the game.
        scores: what it prefers, ``(positions, actions)``.
        values: values of actions ``(positions, actions)``, or of positions ``(positions,)``.
        masked: whether it knows which actions are legal.
    """

    def __init__(self, board: Board, scores: Any, values: Any, masked: bool = True) -> None:
        self.board, self.scores, self.table, self.masked = board, scores, values, masked

    def values(self, positions: Any, masks: Any) -> Any:
        """Return its values."""
        return self.table[self.board.row_of(positions)]

    def action_probabilities(self, positions: Any, masks: Any) -> Any:
        """Return 1 for the first action of the largest score."""
        scores = self.scores[self.board.row_of(positions)]
        if self.masked:
            scores = np.where(masks == 1, scores, -np.inf)
        return np.eye(scores.shape[1])[scores.argmax(axis=1)]


def table_agent(board: Board, discount: float, fault: str | None, seed: int, share: float) -> Any:
    """Return Q-learning's scores and values; ``share`` of the training is done."""
    rng = np.random.default_rng(seed)
    size = 256
    q = rng.uniform(-0.3, 0.3, board.legal.shape)
    first = q.copy()
    visits = 60_000 if board.legal.sum() < 1_000 else 40 * int(board.legal.sum())
    moves = random_moves(board, max(int(visits * share), size), rng)
    rate = {TOO_SMALL: 0.001, TOO_LARGE: 2.1}.get(fault, 0.3)
    if fault == TOO_LARGE:
        # One move at a time for a time, as several of the same would hide the overshoot.
        size = 8
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(moves.state) // (4 if fault == TOO_LARGE else 1), size):
            batch = Moves(*(part[start : start + size] for part in moves))
            known = first if fault == FROZEN else q
            target = targets(
                board, batch, lambda s, known=known: known[board.seen[s]], discount, fault, rng
            )
            rows = board.seen[batch.state], batch.action
            q[rows] += rate * (target - q[rows])
            np.clip(q, -1e12, 1e12, out=q)
    return q[board.seen], q[board.seen]


class Network:
    """Two hidden layers of 64 rectified units, trained by Adam.

    Args:
        features: those of each position, ``(n, features)``; all are passed through it at once.
        outputs: number of outputs.
        rate: learning rate.
        rng: source of the first weights.
    """

    def __init__(self, features: Any, outputs: int, rate: float, rng: Any) -> None:
        self.features, self.rate = features, rate
        sizes = (features.shape[1], 64, 64, outputs)
        self.parts = []
        for rows, columns in itertools.pairwise(sizes):
            bound = rows**-0.5
            self.parts += [rng.uniform(-bound, bound, (rows, columns)).astype(np.float32),
                           rng.uniform(-bound, bound, columns).astype(np.float32)]  # fmt: skip
        self.means = [np.zeros_like(part) for part in self.parts]
        self.squares = [np.zeros_like(part) for part in self.parts]
        self.steps = 0

    def __call__(self) -> Any:
        """Return the outputs at all positions, ``(n, outputs)``."""
        w1, b1, w2, b2, w3, b3 = self.parts
        self.first = np.maximum(self.features @ w1 + b1, 0)
        self.second = np.maximum(self.first @ w2 + b2, 0)
        return self.second @ w3 + b3

    def step(self, gradient: Any) -> None:
        """Descend, from the loss's gradient by the outputs of the last call, ``(n, outputs)``."""
        gradient = gradient.astype(np.float32)
        _, _, w2, _, w3, _ = self.parts
        by_second = (gradient @ w3.T) * (self.second > 0)
        by_first = (by_second @ w2.T) * (self.first > 0)
        gradients = []
        for before, after in (
            (self.features, by_first), (self.first, by_second), (self.second, gradient)
        ):  # fmt: skip
            gradients += [before.T @ after, after.sum(axis=0)]
        self.steps += 1
        for part, slope, mean, square in zip(
            self.parts, gradients, self.means, self.squares, strict=True
        ):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            size = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
            part -= self.rate * mean / (1 - 0.9**self.steps) / size


def dqn_agent(board: Board, discount: float, fault: str | None, seed: int, share: float) -> Any:
    """Return DQN's scores and values."""
    rng = np.random.default_rng(seed)
    moves = random_moves(board, 20_000, rng)
    rate = {TOO_SMALL: 1e-6, TOO_LARGE: 3.0}.get(fault, 2e-3)
    net = Network(board.features, board.legal.shape[1], rate, rng)
    known = None
    for update in range(int(1_500 * share)):
        told = net()
        if known is None or (update % 50 == 0 and fault != FROZEN):
            known = told.astype(np.float64)
        chosen = rng.integers(len(moves.state), size=128)
        batch = Moves(*(part[chosen] for part in moves))
        target = targets(board, batch, lambda s: known[s], discount, fault, rng)  # noqa: B023
        gradient = np.zeros(told.shape)
        errors = told[batch.state, batch.action] - target
        np.add.at(gradient, (batch.state, batch.action), 2 * errors / len(errors))
        net.step(gradient)
    q = net().astype(np.float64)
    return q, q


def ppo_agent(board: Board, discount: float, fault: str | None, seed: int, share: float) -> Any:
    """Return PPO's logits and the values of its critic."""
    rng = np.random.default_rng(seed)
    rate = {TOO_SMALL: 1e-7, TOO_LARGE: 1.0}.get(fault, 3e-3)
    actor = Network(board.features, board.legal.shape[1], rate, rng)
    critic = Network(board.features, 1, rate, rng)
    games, steps = 64, 16
    states, ages = rng.choice(board.starts, games), np.zeros(games, dtype=np.int64)
    factor = {faulty.SIGN: discount, faulty.ONE_MOVE: 0.0}.get(fault, -discount)

    def logs_of(logits: Any) -> Any:
        """Log-probabilities of legal actions."""
        logits = np.where(board.legal, logits, -1e9).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    for _ in range(int(150 * share)):
        logs, values = logs_of(actor()), critic()[:, 0].astype(np.float64)
        chances = np.exp(logs)
        rows: list[Any] = []
        for _ in range(steps):
            sums = chances[states].cumsum(axis=1)
            actions = (sums > rng.random((games, 1)) * sums[:, -1:]).argmax(axis=1)
            after = board.after[states, actions]
            ended = board.over[after]
            ages += 1
            cut = ~ended & (ages >= CUT_AFTER)
            restart = rng.choice(board.starts, games)
            later = np.where(ended, 0.0, values[after])
            if fault == CUT_SHORT:
                later = np.where(cut, 0.0, later)
            if fault == BEYOND:
                later = np.where(ended, values[restart], later)
            errors = board.results[after] + factor * later - values[states]
            begin = ended | cut
            rows.append((states, actions, errors, begin))
            states, ages = np.where(begin, restart, after), np.where(begin, 0, ages)
        advantage, gained = np.zeros(games), []
        for _, _, errors, begin in reversed(rows):
            advantage = errors + factor * 0.8 * np.where(begin, 0.0, advantage)
            gained.append(advantage)
        chosen = np.concatenate([row[0] for row in rows])
        actions = np.concatenate([row[1] for row in rows])
        gains = np.concatenate(gained[::-1])
        results = gains + values[chosen]
        scaled = (gains - gains.mean()) / (gains.std() + 1e-8)
        before = logs[chosen, actions]
        for _ in range(4):
            now = logs_of(actor())
            chances = np.exp(now)
            ratio = np.exp(now[chosen, actions] - before)
            held = np.where(scaled > 0, ratio < 1.2, ratio > 0.8)
            slopes = -scaled * ratio * held / len(chosen)
            # By the logits: slope × (1 at the action − probabilities), and the entropy's.
            gradient = np.zeros(now.shape)
            np.add.at(gradient, (chosen, actions), slopes)
            gradient -= chances * np.bincount(chosen, slopes, minlength=len(now))[:, np.newaxis]
            plain = np.where(board.legal, now, 0.0)
            entropy = -(chances * plain).sum(axis=1, keepdims=True)
            gradient += 0.01 / len(now) * chances * (plain + entropy)
            actor.step(gradient * board.legal)
            errors = critic()[:, 0][chosen] - results
            critic.step(
                np.bincount(chosen, errors / len(chosen), minlength=len(now))[:, np.newaxis]
            )
    return actor().astype(np.float64), critic()[:, 0].astype(np.float64)


def mcts_agent(board: Board, discount: float, fault: str | None, seed: int, share: float) -> Any:
    """Return visits and values of tree searches with random rollouts, one from each position."""
    rng = np.random.default_rng(seed)
    simulations = max(int(300 * share), 8)
    visits, values = np.zeros(board.legal.shape), np.zeros(board.legal.shape)
    legal = [np.flatnonzero(row).tolist() for row in board.legal]
    after, over, results = board.after.tolist(), board.over.tolist(), board.results.tolist()
    for root in board.starts.tolist():
        counts: dict[int, list[int]] = {}
        sums: dict[int, list[float]] = {}
        for _ in range(simulations):
            state, path = root, []
            while not over[state]:
                if fault == faulty.ONE_MOVE and path:
                    break
                known = state in counts
                if not known:
                    counts[state] = [0] * len(legal[state])
                    sums[state] = [0.0] * len(legal[state])
                n, w = counts[state], sums[state]
                total = sum(n)
                # Unvisited moves first, then the upper confidence bound of UCT.
                best = max(
                    range(len(n)),
                    key=lambda i: (
                        (np.inf, rng.random()) if not n[i]
                        else (w[i] / n[i] + (2 * np.log(total) / n[i]) ** 0.5, 0.0)
                    ),
                )  # fmt: skip
                path.append((state, best))
                state = after[state][legal[state][best]]
                if not known:
                    break
            # A random rollout from the leaf, with the result for the player to move there.
            value, leaf, sign = 0.0, state, 1.0
            if fault != faulty.ONE_MOVE or over[leaf]:
                while not over[leaf]:
                    leaf = after[leaf][legal[leaf][rng.integers(len(legal[leaf]))]]
                    sign *= -discount
                value = -results[leaf] * sign
            for number, (place, move) in enumerate(reversed(path)):
                if fault == BACKUP:
                    value = value if not number else discount * value
                elif fault == faulty.SIGN:
                    # The leaf's value is that of the player who moved to it, and never flips.
                    value = -value if not number else discount * value
                else:
                    value = -value if not number else -discount * value
                counts[place][move] += 1
                sums[place][move] += value
        n, w = np.array(counts[root]), np.array(sums[root])
        visits[root, legal[root]] = n
        values[root, legal[root]] = w / np.maximum(n, 1)
    scores = visits + 1e-6 * rng.random(visits.shape)
    if fault == faulty.UNMASKED:
        scores = np.where(board.legal, scores / scores.sum(axis=1, keepdims=True), 0.0)
        scores = scores + rng.normal(0, 0.5, scores.shape)
    return scores, values


LEARNERS: dict[str, Callable[..., Any]] = {
    "table": table_agent, "DQN": dqn_agent, "PPO": ppo_agent, "MCTS": mcts_agent,
}  # fmt: skip


@lru_cache(maxsize=256)
def learned(
    learner: str, game: Game, fault: str | None, discount: float, seed: int, share: float
) -> tuple[Board, Any, Any]:
    """Return the board, scores and values of a learner with a fault on a game."""
    board = Board(game, fault)
    return board, *LEARNERS[learner](board, discount, fault, seed, share)


def training(
    learner: str,
    fault: str | None,
    discount: float,
    seed: int,
    *,
    values: bool = True,
    share: float = 1.0,
) -> Any:
    """Return a training function for any of the games here, with a fault.

    Args:
        learner: key of ``LEARNERS``.
        fault: one of ``OF_LEARNERS`` or ``OF_LEARNERS_WITH_DRAWS``; ``None``: a right agent.
        discount: γ of a move.
        seed: of the training.
        values: whether the policy has values.
        share: share of the training that is done.
    """

    def train(env: Any) -> Any:
        of_training = None if fault in OF_PLAY and (learner, fault) != ("MCTS", faulty.UNMASKED) \
            else fault  # fmt: skip
        board, scores, known = learned(learner, env.game, of_training, discount, seed, share)
        agent = Agent(board, scores, known, masked=fault != faulty.UNMASKED)
        playing = faulty.playing(fault, agent)
        if isinstance(playing, Agent):
            if not values:
                return lambda positions, masks: agent.action_probabilities(positions, masks)
            return agent
        if values:
            playing.values = agent.values
        return playing

    return train
