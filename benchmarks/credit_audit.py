"""Audit of credit: the advantage functions of trainers, called as they are on every group of games.

Small games are enumerated whole, as token sequences: each move of the agent is one token, each
reply of the opponent one token of an observation. The functions are those of the versions in the
extra ``audit``; what is not installed is listed.

python -m benchmarks.credit_audit --help explains every option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module, metadata
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from agents.turn_credit.adam import Adam
from agents.turn_credit.ascent import NO_NOISE
from agents.turn_credit.exact import Exact
from agents.turn_credit.task import Task
from benchmarks.command_line import benchmark, invocation
from benchmarks.report import machine, table, write_report
from benchmarks.turn_credit.report import span
from benchmarks.turn_credit.settings import POLICIES, Setting, policy
from nim_envs.typing import BoolArray, FloatArray, IntArray

SETTINGS: dict[str, Setting] = {
    "take 1-2 of 6": Setting("nim", {"heaps": (6,), "max_take": 2}),
    "misère 1-3": Setting("misere_nim", {"heaps": (1, 3)}),
    "Kayles 4": Setting("kayles", {"heaps": (4,)}),
}
"""Games of which every group is enumerated; the agent has a turn in each of their games."""

GROUP = 3
"""Games in a group."""

DRAWS = 3
"""Policies of each kind, random and half-trained."""

STEPS, RATE = 200, 0.3
"""Steps of an ascent along the expected estimate, and their learning rate."""

LAMBDA = 0.95
"""λ of GAE."""

EXACT = 1e-4
"""Differences up to this are rounding: some functions count in single precision."""


# Games as sequences of tokens.


@dataclass(frozen=True)
class Batch:
    """Games as a trainer sees them.

    Args:
        reached: whether a game has the turn, ``(games, turns)``.
        results: results of the games, ``(games,)``.
        groups: index of each game's group, ``(games,)``.
        values: V of every turn's position, ``(games, turns)``.
        afterwards: Q of every turn's action: the value where the opponent is to reply.
        chances: probability of every turn's action.
        squares: Σ π² at every turn's position.
        observations: whether a reply of the opponent stands after each turn but the last.
        finished: whether a game came to its end; the others have no reward.
    """

    reached: BoolArray
    results: FloatArray
    groups: IntArray
    values: FloatArray
    afterwards: FloatArray
    chances: FloatArray
    squares: FloatArray
    observations: bool = True
    finished: bool = True

    def tokens(self, turns: FloatArray, replies: FloatArray | None = None) -> FloatArray:
        """Return values by token, ``(games, tokens)``, of values by turn.

        Args:
            turns: ``(games, turns)``.
            replies: values of the replies after each turn, in the same shape; ``None``: 0.
        """
        if not self.observations:
            return turns * self.reached
        by_token = np.zeros((len(turns), 2 * turns.shape[1]))
        by_token[:, ::2] = turns * self.reached
        if replies is not None:
            # An unfinished game ends with a reply.
            by_token[:, 1::2] = replies * (self._before_last if self.finished else self.reached)
        return by_token

    def turns(self, tokens: FloatArray) -> FloatArray:
        """Return values by turn of values by token."""
        return tokens[:, :: 1 + self.observations]

    @cached_property
    def _before_last(self) -> BoolArray:
        later = np.zeros_like(self.reached)
        later[:, :-1] = self.reached[:, 1:]
        return self.reached & later

    def mask(self, replies: bool = False) -> FloatArray:
        """Return 1 at the tokens of the agent, and of replies too, ``(games, tokens)``."""
        ones = np.ones(self.reached.shape)
        return self.tokens(ones, ones if replies else None)

    @property
    def rewards(self) -> FloatArray:
        """The result at the agent's last token, ``(games, tokens)``."""
        last = self.reached & ~self._before_last
        return self.tokens(last * self.results[:, np.newaxis] * self.finished)

    @property
    def scores(self) -> FloatArray:
        """The sum of the rewards of each game, ``(games,)``."""
        return self.results * self.finished


class Games:
    """Every game of a task and every group of them, with their probabilities.

    Args:
        task: the game and the opponent.
        group: games in a group.
    """

    def __init__(self, task: Task, group: int = GROUP) -> None:
        self.task = task
        self.group = group
        self.contexts = [self._enumerate(context) for context in range(len(task.contexts))]

    def _enumerate(self, context: int) -> tuple[IntArray, IntArray, BoolArray, FloatArray]:
        games = list(self._play_out(*self.task.contexts[context].tolist()))
        states, actions = (
            np.zeros((len(games), self.task.turns), dtype=np.int64) for _ in range(2)
        )
        reached = np.zeros(states.shape, dtype=np.bool_)
        for row, (moves, _, _) in enumerate(games):
            for turn, (state, action) in enumerate(moves):
                states[row, turn], actions[row, turn], reached[row, turn] = state, action, True
        ends = np.array([(result, chance) for _, result, chance in games])
        return states, actions, reached, ends

    def _play_out(self, at: int, seat: int) -> Iterator[tuple[list[tuple[int, int]], float, float]]:
        """Yield the agent's moves, the result and the chance of the opponent's moves."""
        task = self.task
        if task.terminal[at]:
            score = float(task.end_scores[at])
            yield [], 1 - score if seat else score, 1.0
            return
        for action in np.flatnonzero(task.legal[at]).tolist():
            chance = float(task.opponent[at, action]) if seat else 1.0
            for moves, result, later in self._play_out(int(task.index_after[at, action]), 1 - seat):
                yield (moves if seat else [(at, action), *moves]), result, chance * later

    def batches(self, exact: Exact) -> list[Batch]:
        """Return a batch for each context, of all of its groups one after another."""
        batches = []
        for states, actions, reached, ends in self.contexts:
            rows = self._groups(len(states)).reshape(-1)
            shape = states[rows].shape
            batches.append(
                Batch(
                    reached[rows], ends[rows, 0], np.arange(len(rows)) // self.group,
                    np.reshape(exact.value[states[rows]], shape),
                    np.reshape(exact.action_value[states[rows], actions[rows]], shape),
                    np.reshape(exact.policy[states[rows], actions[rows]], shape),
                    np.reshape((exact.policy**2).sum(axis=1)[states[rows]], shape),
                )
            )  # fmt: skip
        return batches

    def _groups(self, games: int) -> IntArray:
        return np.array(list(product(range(games), repeat=self.group)))

    def gradient(self, policy: FloatArray, estimates: Sequence[FloatArray]) -> FloatArray:
        """Return E ĝ of credits of all groups, ``(positions, actions)``.

        Args:
            policy: ``(positions, actions)``.
            estimates: credits for each context, ``(groups · games, turns)``.
        """
        by_action = np.zeros_like(policy)
        for share, credit, (states, actions, reached, ends) in zip(
            self.task.context_probabilities, estimates, self.contexts, strict=True
        ):
            played = np.where(reached, policy[states, actions], 1.0).prod(axis=1) * ends[:, 1]
            groups = self._groups(len(states))
            weight = share * played[groups].prod(axis=1) / self.group
            rows = groups.reshape(-1)
            weighed = np.repeat(weight, self.group)[:, np.newaxis] * credit * reached[rows]
            np.add.at(by_action, (states[rows], actions[rows]), weighed)
        return np.asarray(by_action - policy * by_action.sum(axis=1, keepdims=True))


# What the functions claim.


def _among(batch: Batch, of_group: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
    """Return a credit of each game by its group's scores and lengths, for every turn."""
    credit = np.zeros(len(batch.scores))
    for group in np.unique(batch.groups):
        here = batch.groups == group
        credit[here] = of_group(batch.scores[here], batch.reached[here].sum(axis=1))
    return credit[:, np.newaxis] * batch.reached


def _centred(batch: Batch, std: bool = False) -> FloatArray:
    """R − mean, over the standard deviation of the sample; R itself where a game is alone."""

    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        if len(scores) == 1:
            return scores
        spread = scores.std(ddof=1) if std else 1.0
        return np.asarray((scores - scores.mean()) / (spread if spread > 0 else 1.0))

    return _among(batch, of_group)


def _left_out(batch: Batch) -> FloatArray:
    """R − the mean of the others; without others 0."""

    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        others = max(len(scores) - 1, 1)
        return np.asarray((scores - (scores.sum() - scores) / others) * (len(scores) > 1))

    return _among(batch, of_group)


def _by_length(batch: Batch) -> FloatArray:
    return _among(batch, lambda scores, lengths: scores - (scores @ lengths) / lengths.sum())


def _best_alone(batch: Batch) -> FloatArray:
    def of_group(scores: FloatArray, lengths: FloatArray) -> FloatArray:
        order = np.argsort(-scores, kind="stable")
        gap = scores[order[0]] - scores[order[1]]
        spread = scores.std(ddof=1)
        return np.where(np.arange(len(scores)) == order[0], gap / (spread or 1.0), 0.0)

    return _among(batch, of_group)


def _over_mean(batch: Batch) -> FloatArray:
    return _among(batch, lambda scores, _: (scores - scores.mean()) / (scores.mean() or 1.0))


def _by_share_won(batch: Batch) -> FloatArray:
    won = max(int((batch.scores != 0).sum()), 1)
    return _centred(batch) * (len(batch.scores) / won)


def _result(batch: Batch) -> FloatArray:
    return batch.scores[:, np.newaxis] * batch.reached


def _whitened(batch: Batch, tokens: FloatArray, replies: bool = False) -> FloatArray:
    """Return credits less their mean, over their standard deviation, over all tokens of a batch."""
    inside = tokens[batch.mask(replies) > 0]
    spread = np.sqrt(inside.var(ddof=1) + 1e-8)
    return batch.turns((tokens - inside.mean()) / spread) * batch.reached


def _white_turns(of: Callable[[Batch], FloatArray], batch: Batch) -> FloatArray:
    return _whitened(batch, batch.tokens(of(batch)))


def _white_result(batch: Batch, replies: bool = False) -> FloatArray:
    return _whitened(batch, batch.tokens(_result(batch), _result(batch)), replies)


def _white_advantages(batch: Batch, replies: bool = False) -> FloatArray:
    """GAE over the agent's tokens, or over those of replies as well, then whitened."""
    values, mask = batch.tokens(batch.values, batch.afterwards), batch.mask(replies)
    credit = np.zeros_like(values)
    for game, here in enumerate(mask > 0):
        later = following = 0.0
        for at in np.flatnonzero(here)[::-1]:
            error = batch.rewards[game, at] + following - values[game, at]
            later = error + LAMBDA * later
            credit[game, at], following = later, values[game, at]
    return _whitened(batch, credit, replies)


def _energy(batch: Batch) -> FloatArray:
    """R − Σ R W / Σ W over those that reached the turn, W the sum of 1 − 2π + Σ π² so far."""
    weight = np.cumsum((1 - 2 * batch.chances + batch.squares) * batch.reached, axis=1)
    credit = _result(batch)
    for group in np.unique(batch.groups):
        here = np.flatnonzero(batch.groups == group)
        inside = weight[here] * batch.reached[here]
        if len(here) == 1:
            continue
        total = inside.sum(axis=0)
        mean = (credit[here] * inside).sum(axis=0) / np.where(total > 0, total, 1.0)
        # No baseline where one game alone reached the turn.
        mean = np.where(batch.reached[here].sum(axis=0) > 1, mean, 0.0)
        credit[here] = (credit[here] - mean) * batch.reached[here]
    return credit


# The functions.


@dataclass(frozen=True)
class CreditFunction:
    """An advantage function of a library.

    Args:
        library: its name in the package index.
        module: module of the function.
        function: its name.
        claim: the credit of a turn that it states, in words.
        call: calls it, ``call(function, batch) -> (games, tokens)``.
        formula: the same by its statement, ``(games, turns)``.
        whole: whether it depends on the batch, which then is one group.
        policy: whether it depends on the policy beyond the games.
        setting: setting of the call, in words.
    """

    library: str
    module: str
    function: str
    claim: str
    call: Callable[[Any, Batch], FloatArray]
    formula: Callable[[Batch], FloatArray]
    whole: bool = False
    policy: bool = False
    setting: str = ""

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.library}: {self.function}" + (f", {self.setting}" if self.setting else "")

    def resolve(self) -> Any:
        """Return the function.

        Raises:
            ImportError: the library is not there, or not whole.
        """
        return getattr(import_module(self.module), self.function)

    def absent(self) -> str:
        """Return why it cannot be called; empty where it can."""
        try:
            self.resolve()
        except (ImportError, AttributeError) as error:
            return str(error)
        return ""

    def credits(self, function: Any, batch: Batch) -> FloatArray:
        """Return the credit of every turn, ``(games, turns)``."""
        credit = batch.turns(np.asarray(self.call(function, batch), dtype=np.float64))
        return credit * batch.reached

    def of_groups(self, credit: Callable[[Batch], FloatArray], batch: Batch) -> FloatArray:
        """Return a credit of every turn, by one call or by one for each group."""
        batches = by_group(batch) if self.whole else [batch]
        return np.concatenate([credit(each) for each in batches])


def by_group(batch: Batch) -> Iterator[Batch]:
    """Yield each group of a batch, whose games stand one after another."""
    ends = np.flatnonzero(np.diff(batch.groups)) + 1
    names = ("reached", "results", "groups", "values", "afterwards", "chances", "squares")
    for rows in np.split(np.arange(len(batch.groups)), ends):
        yield replace(batch, **{name: getattr(batch, name)[rows] for name in names})


def _tensor(array: FloatArray) -> Any:
    return import_module("torch").from_numpy(np.array(array, dtype=np.float64))


def _of_tokens(function: Any, batch: Batch, replies: bool = False, **more: Any) -> FloatArray:
    mask = _tensor(batch.mask(replies))
    result = function(token_level_rewards=_tensor(batch.rewards), response_mask=mask, **more)
    return np.asarray(result[0].numpy())


def _of_groups(function: Any, batch: Batch, **more: Any) -> FloatArray:
    return _of_tokens(function, batch, index=batch.groups, **more)


def _with_config(function: Any, batch: Batch, **more: Any) -> FloatArray:
    config = import_module("verl.trainer.config").AlgoConfig(gamma=1.0)
    return _of_groups(function, batch, config=config, **more)


def _discounted(function: Any, batch: Batch) -> FloatArray:
    config = import_module("verl.trainer.config").AlgoConfig(gamma=1.0)
    return _of_tokens(function, batch, config=config)


def _with_values(function: Any, batch: Batch, **more: Any) -> FloatArray:
    values = _tensor(batch.tokens(batch.values, batch.afterwards))
    return _of_tokens(function, batch, values=values, gamma=1.0, **more)


def _with_energy(function: Any, batch: Batch) -> FloatArray:
    return _of_groups(
        function, batch, old_log_probs=_tensor(np.log(batch.tokens(batch.chances) + 1e-300)),
        sum_pi_squared=_tensor(batch.tokens(batch.squares)),
    )  # fmt: skip


def _of_trajectories(function: Any, batch: Batch) -> FloatArray:
    kinds = import_module("tinker_cookbook.rl.types")
    groups = []
    for each in by_group(batch):
        empty = [kinds.Trajectory(transitions=[], final_ob=None) for _ in each.scores]
        groups.append(kinds.TrajectoryGroup(empty, each.scores.tolist(), [{} for _ in empty]))
    credit = np.concatenate([tensor.numpy() for tensor in function(groups)])
    return credit[:, np.newaxis] * batch.mask()


GAE_CLAIM = f"GAE with λ = {LAMBDA}, here with V exact, whitened over the batch"

VERL = "verl.trainer.ppo.core_algos"
SKYRL = "skyrl.backends.skyrl_train.utils.ppo_utils"

_verl = partial(CreditFunction, "verl", VERL)
_skyrl = partial(CreditFunction, "skyrl", SKYRL)

# fmt: off
CREDIT_FUNCTIONS: tuple[CreditFunction, ...] = (
    _verl("compute_grpo_outcome_advantage", "(R − mean) / std", _of_groups,
          partial(_centred, std=True)),
    _verl("compute_grpo_outcome_advantage", "R − mean (Dr. GRPO)",
          partial(_of_groups, norm_adv_by_std_in_grpo=False), _centred, setting="without std"),
    _verl("compute_grpo_vectorized_outcome_advantage", "(R − mean) / std", _of_groups,
          partial(_centred, std=True)),
    _verl("compute_rloo_outcome_advantage", "R − mean of the others", _of_groups, _left_out),
    _verl("compute_rloo_vectorized_outcome_advantage", "R − mean of the others", _of_groups,
          _left_out),
    _verl("compute_opo_outcome_advantage", "R − mean by length", _of_groups, _by_length),
    _verl("compute_remax_outcome_advantage", "R − R of the greedy answer, here ½",
          lambda f, b: _of_tokens(f, b, reward_baselines=_tensor(np.full(len(b.scores), 0.5))),
          lambda b: _result(b) - 0.5 * b.reached),
    _verl("compute_grpo_passk_outcome_advantage", "(best − second) / std for the best alone",
          _with_config, _best_alone),
    _verl("compute_gpg_outcome_advantage", "games / games with R ≠ 0 · (R − mean)", _of_groups,
          _by_share_won, whole=True),
    _verl("compute_reinforce_plus_plus_outcome_advantage", "R, whitened over the batch",
          _discounted, _white_result, whole=True),
    _verl("compute_reinforce_plus_plus_baseline_outcome_advantage",
          "R − mean, whitened over the batch", _of_groups,
          partial(_white_turns, _centred), whole=True),
    _verl("compute_gdpo_outcome_advantage", "(R − mean) / std, whitened over the batch",
          _of_groups, partial(_white_turns, partial(_centred, std=True)), whole=True),
    _verl("compute_gae_advantage_return", GAE_CLAIM,
          partial(_with_values, lam=LAMBDA), _white_advantages, whole=True, policy=True),
    _verl("compute_optimal_token_baseline_advantage",
          "R − mean weighted by Σ ‖∇ log π‖², of those that reached the token", _with_energy,
          _energy, policy=True),
    _verl("compute_multi_turn_optimal_token_baseline_advantage",
          "the same", _with_energy, _energy, policy=True),
    # SkyRL's mask of a response has the tokens of observations too; its mask of the loss has not.
    _skyrl("compute_grpo_outcome_advantage", "(R − mean) / std", _of_groups,
           partial(_centred, std=True)),
    _skyrl("compute_grpo_outcome_advantage", "R − mean (Dr. GRPO)",
           partial(_of_groups, grpo_norm_by_std=False), _centred, setting="without std"),
    _skyrl("compute_rloo_outcome_advantage", "R − mean of the others", _of_groups, _left_out),
    _skyrl("compute_maxrl_advantage", "(R − mean) / mean", _of_groups, _over_mean),
    _skyrl("compute_reinforce_plus_plus_outcome_advantage", "R, whitened over the batch",
           partial(_of_tokens, gamma=1.0, replies=True), partial(_white_result, replies=True),
           whole=True),
    _skyrl("compute_gae_advantage_return", GAE_CLAIM,
           partial(_with_values, lambd=LAMBDA, replies=True),
           partial(_white_advantages, replies=True), whole=True, policy=True),
    CreditFunction("tinker_cookbook", "tinker_cookbook.rl.data_processing", "compute_advantages",
            "R − mean", _of_trajectories, _centred),
)
# fmt: on

NOT_CALLED = (
    ("trl", "1.16.0", "GRPOTrainer, RLOOTrainer",
     "the advantage is computed inside `_generate_and_score_completions`, between generation and "
     "logging: there is no function to call"),
    ("verifiers", "0.4.0", "Trace.advantages",
     "it holds credit that a trainer assigns; the package computes none"),
    ("spiral_rl", "0.2.0", "SelfPlayEnvGroupBuilder, role baselines",
     "methods of a class whose module imports the trainer `oat`; the formula is the row SPIRAL of "
     "the [page on turn credit](turn_credit.md)"),
    ("prime-rl", "559b447", "GRPOAlgorithm, RAEAlgorithm, MaxRLAlgorithm",
     "not in the package index; coroutines that write into traces of a running orchestrator. It "
     "has one credit for a whole game, and none by turn"),
)  # fmt: skip
"""Functions that are not called: library, version, function, reason."""


# What is measured.


@dataclass(frozen=True)
class Measurement:
    """A function on every group of the games.

    Attributes:
        name: library and function.
        claim: the credit that it states.
        difference: largest difference of a credit from that.
        cosines: cosines of E ĝ with ∇J, by setting and policy.
        lengths: ‖E ĝ − ∇J‖ / ‖∇J‖ of the same.
        ends: J / J* where ascent along E ĝ ends, by setting; none where it was not followed.
        alone: credit of a won and of a lost game that is the only one of its group.
        equal: largest credit in a group whose games are all won.
        cut: a game without an end, in words.
        single: a group of games of one turn, in words.
        apart: largest change of a credit if replies are left out of the sequences.
    """

    name: str
    claim: str
    difference: float
    cosines: Sequence[float]
    lengths: Sequence[float]
    ends: Sequence[float]
    alone: str
    equal: str
    cut: str
    single: str
    apart: float


def few(lengths: Sequence[int], results: Sequence[float], groups: Sequence[int]) -> Batch:
    """Return a batch of games with some numbers of turns, for a look at a single case.

    Its V is ½ everywhere, and every action has a probability of ½.
    """
    turns = max(lengths)
    reached = np.arange(turns) < np.array(lengths)[:, np.newaxis]
    half = np.full(reached.shape, 0.5)
    return Batch(
        reached, np.array(results, dtype=np.float64), np.array(groups), half, half, half, half
    )


def _credits_or_error(subject: CreditFunction, function: Any, batch: Batch) -> FloatArray | str:
    """Return credits, or the error in place of them."""
    try:
        credit = subject.credits(function, batch)
    except Exception as error:
        return type(error).__name__
    return credit if np.isfinite(credit).all() else "not finite"


def _alone(subject: CreditFunction, function: Any) -> str:
    # Two groups, as a batch of one token cannot be whitened; the second has games enough.
    cells = []
    for result in (1.0, 0.0):
        credit = _credits_or_error(subject, function, few((2, 2, 2), (result, 1.0, 0.0), (0, 1, 1)))
        cells.append(credit if isinstance(credit, str) else f"{credit[0, 0]:.3g}")
    return " / ".join(cells)


def _equal(subject: CreditFunction, function: Any) -> str:
    credit = _credits_or_error(subject, function, few((1, 2, 3), (1.0, 1.0, 1.0), (0, 0, 0)))
    return credit if isinstance(credit, str) else f"{np.abs(credit).max():.3g}"


def _cut(subject: CreditFunction, function: Any) -> str:
    """Return the credit of a game cut off after a reply, beside that of a lost one, in words."""
    lost = few((2, 2, 3), (0.0, 0.0, 0.0), (0, 0, 0))
    ended, cut = (
        _credits_or_error(subject, function, each) for each in (lost, replace(lost, finished=False))
    )
    if isinstance(cut, str) or isinstance(ended, str):
        return cut if isinstance(cut, str) else str(ended)
    return "as a lost one" if np.abs(cut - ended).max() < EXACT else "in another way"


def _single(subject: CreditFunction, function: Any) -> str:
    batch = few((1, 1, 1), (1.0, 0.0, 0.0), (0, 0, 0))
    credit = _credits_or_error(subject, function, batch)
    if isinstance(credit, str):
        return credit
    formula = subject.formula(batch)
    return "as stated" if np.abs(credit - formula).max() < EXACT else "in another way"


def measure(
    subject: CreditFunction, settings: Sequence[str], draws: int, steps: int
) -> Measurement:
    """Call a function on all groups of some games, and compare.

    Args:
        subject: the function.
        settings: keys of :data:`SETTINGS`.
        draws: policies of each kind.
        steps: steps of the ascents; 0: none.

    Raises:
        ImportError: the library is not there.
    """
    function = subject.resolve()
    called = partial(subject.credits, function)
    difference = change = 0.0
    cosines, lengths, ends = [], [], []
    for setting in settings:
        games = Games(SETTINGS[setting].task())
        estimates: list[FloatArray] = []
        for draw, kind in product(range(draws), POLICIES):
            exact = policy(games.task, kind, draw)
            if not estimates or subject.policy:
                batches = games.batches(exact)
                estimates = [subject.of_groups(called, batch) for batch in batches]
                claimed = [subject.of_groups(subject.formula, batch) for batch in batches]
                gaps = [np.abs(x - y).max() for x, y in zip(estimates, claimed, strict=True)]
                difference = max(difference, *map(float, gaps))
                bare = [
                    np.abs(subject.of_groups(called, replace(batch, observations=False)) - x)
                    for batch, x in zip(batches, estimates, strict=True)
                ]
                change = max(change, *(float(each.max()) for each in bare))
            gradient, truth = games.gradient(exact.policy, estimates), exact.objective_gradient
            size = float(np.linalg.norm(truth))
            cosines.append(float((gradient * truth).sum() / np.linalg.norm(gradient) / size))
            lengths.append(float(np.linalg.norm(gradient - truth) / size))
        if steps and not subject.policy:
            ends.append(ascend(games, estimates, steps))
    return Measurement(
        subject.name, subject.claim, difference, cosines, lengths, ends,
        _alone(subject, function), _equal(subject, function), _cut(subject, function),
        _single(subject, function), change,
    )  # fmt: skip


def ascend(games: Games, estimates: Sequence[FloatArray], steps: int) -> float:
    """Return J / J* where ascent with Adam along E ĝ ends, from equal chances of all moves.

    Args:
        games: every group.
        estimates: credits for each context; they do not depend on the policy.
        steps: number of steps, of which the second half has a falling learning rate.
    """
    task = games.task
    logits = np.zeros(task.legal.shape)
    adam = Adam(logits.shape, tiny=NO_NOISE)
    for step in range(steps):
        gradient = games.gradient(Exact(task, logits).policy, estimates)
        logits = logits + RATE * min(1.0, 2 - 2 * step / steps) * adam.direction(gradient)
    return Exact(task, logits).objective / task.optimal_win_probability


# The report.

HEADER = (
    "function", "states", "largest difference", "cosine", "ends at J/J*", "alone, won / lost",
    "all won", "cut off", "one turn each", "without replies",
)  # fmt: skip


def row(measurement: Measurement) -> list[str]:
    """Return the measurement of a function as a row of the table."""
    same = "none" if measurement.difference < EXACT else f"{measurement.difference:.2g}"
    apart = "the same" if measurement.apart < EXACT else f"{measurement.apart:.2g}"
    return [
        measurement.name, measurement.claim, same, span(measurement.cosines),
        span(measurement.ends), measurement.alone, measurement.equal, measurement.cut,
        measurement.single, apart,
    ]  # fmt: skip


def missing() -> list[list[str]]:
    """Return the functions that are not called: library, version, function, reason."""
    rows = [list(each) for each in NOT_CALLED]
    reasons = {each: each.absent() for each in CREDIT_FUNCTIONS}
    return rows + [
        [each.library, version(each.library), each.function, f"not imported: {reason}"]
        for each, reason in reasons.items()
        if reason
    ]


def version(library: str) -> str:
    """Return the version of a library here, or a dash."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "-"


NOTES = f"""\
- Groups are of {GROUP} games of one start and seat, each a sequence of tokens: one for each move of
  the agent, one for each reply between them. The result is the reward of the agent's last token.
  Every group is enumerated, with its probability: nothing is sampled.
- *largest difference*: of a credit from the statement, over all groups; none: below {EXACT:g}.
- *cosine* of E ĝ with ∇J, at {DRAWS} random and {DRAWS} half-trained policies on
  {", ".join(SETTINGS)}. ĝ is the sum over a game's turns and the mean over games, without further
  steps of a trainer's loss (a mean over tokens, clipping).
- *ends*: J/J* after {STEPS} steps of Adam along E ĝ; a dash where credits change with the policy.
- *alone*: the credit of a game that is the only one of its group, won and lost, beside a group of
  two. *all won*: the largest credit in a group that was won throughout. *cut off*: a game without
  an end and so without a reward, in a group that won nothing. *without replies*: the largest change
  if no tokens of replies stand between the turns.
- Functions that look at the whole batch get one group as their batch, where their effect is
  largest.
"""


def report(measurements: Sequence[Measurement], command: str) -> str:
    """Return the page."""
    versions = {each.library: version(each.library) for each in CREDIT_FUNCTIONS}
    libraries = ", ".join(f"{name} {installed}" for name, installed in versions.items())
    return "\n".join(
        [
            "# Audit of credit: all figures\n",
            f"`{command}`, with {libraries}. The functions are called on every group of three "
            "small games, and compared with their documentation.\n",
            "## Findings\n",
            *(
                f"{text}\n" + (f"\n```python\n{call}```\n" if call else "")
                for _, text, call in CONCLUSIONS
            ),
            "## Functions\n",
            table(HEADER, [row(each) for each in measurements], "github"),
            "\n## Not called\n",
            table(("library", "version", "function", "reason"), missing(), "github"),
            f"\n## Notes\n\n{NOTES}- Machine: {machine()}.\n",
        ]
    )


CONCLUSIONS: tuple[tuple[str, str, str], ...] = (
    (
        "",
        "Of the functions that were called, all but one give the credit that they state, in every "
        "group of the three games, to rounding. Those that subtract a mean of the group, or of "
        "the others, point along ∇J. In groups of three the standard deviation is the same "
        "wherever it is not 0, so that dividing by it changes nothing here.",
        "",
    ),
    (
        "verl",
        "verl: `rloo` and `rloo_vectorized` state the same, and differ where a game is the only "
        "one of its group: the first gives it its whole reward, the second nothing "
        "([issue 7581](https://github.com/verl-project/verl/issues/7581)). In groups of two and "
        "more they agree.",
        """\
>>> import numpy as np, torch
>>> from verl.trainer.ppo import core_algos
>>> reward, mask, alone = torch.ones(1, 1), torch.ones(1, 1), np.array([0])
>>> core_algos.compute_rloo_outcome_advantage(reward, mask, alone)[0].item()
1.0
>>> core_algos.compute_rloo_vectorized_outcome_advantage(reward, mask, alone)[0].item()
0.0
""",
    ),
    (
        "verl",
        "verl: `optimal_token_baseline` does as stated on answers in one piece. Where tokens of"
        " observations stand between the turns, turns that other games reached too may lose "
        "their baseline: it counts the agent's tokens of the second longest game, and uses "
        "their number as a column. `tir_optimal_token_baseline`, which verl has for several "
        "turns, does as stated there. Below, the second turn of the first game was reached by "
        "both games, both won, and its credit is 1 instead of 0.",
        """\
>>> import numpy as np, torch
>>> from verl.trainer.ppo import core_algos
>>> mask = torch.tensor([[1.0, 0, 1, 0, 1], [1, 0, 1, 0, 0]])
>>> reward = torch.tensor([[0.0, 0, 0, 0, 1], [0, 0, 1, 0, 0]])
>>> half, group = torch.full((2, 5), 0.5), np.array([0, 0])
>>> for name in ("optimal_token_baseline", "multi_turn_optimal_token_baseline"):
...     function = getattr(core_algos, f"compute_{name}_advantage")
...     credit = function(reward, mask, group, half.log(), half)[0]
...     print(name, credit[0, ::2].round(decimals=3).abs().tolist())
optimal_token_baseline [0.0, 1.0, 1.0]
multi_turn_optimal_token_baseline [0.0, 0.0, 1.0]
""",
    ),
    (
        "",
        "In GRPO of verl and SkyRL, a game that is the only one of its group gets its whole "
        "reward as credit, as in REINFORCE; in RLOO of SkyRL and in Tinker's cookbook it gets "
        "none; Pass@k raises a `ValueError`. None of these is wrong, but a trainer that mixes "
        "group sizes should know which it uses.",
        "",
    ),
    (
        "skyrl",
        "SkyRL: whitening uses the mask of the response, which includes the tokens of "
        "observations (the mask of the loss does not). So mean and deviation are not those of the "
        "tokens that are trained on, and the cosine is lower than verl's, which leaves "
        "observations out. But with a mask of the agent's tokens alone, REINFORCE++ would lose "
        "the reward of all turns before the last:",
        """\
>>> import torch
>>> from skyrl.backends.skyrl_train.utils import ppo_utils
>>> mask = torch.tensor([[1.0, 0, 1]])
>>> reward = torch.tensor([[0.0, 0, 1]])
>>> function = ppo_utils.compute_reinforce_plus_plus_outcome_advantage
>>> for tokens in (torch.ones(1, 3), mask):
...     print(function(reward, tokens, gamma=1.0)[1][0, ::2].tolist())
[1.0, 1.0]
[0.0, 1.0]
""",
    ),
    (
        "verl",
        "Whitening over the batch subtracts a mean that includes the game itself, and divides by "
        "a deviation that depends on it. So the direction differs a little from ∇J, less the "
        "larger the batch (here it is one group). With values of an exact critic, a group in "
        "which every game was won still has credits after whitening, as any spread is scaled to "
        "1. verl and SkyRL refuse a batch of a single token:",
        """\
>>> import torch
>>> from verl.trainer.ppo import core_algos
>>> one = torch.ones(1, 1)
>>> core_algos.compute_gae_advantage_return(one, one / 2, one, 1.0, 1.0)
Traceback (most recent call last):
ValueError: The sum of the mask is one, which can cause a division by zero.
""",
    ),
    (
        "",
        "Pass@k, MaxRL, GPG and OPO have other aims than the chance of winning, or weight groups "
        "by it, so a cosine below 1 is not an error.",
        "",
    ),
    (
        "",
        "A truncated game has no reward, so every function credits it like a lost one (SkyRL's "
        "GAE differs by the value of the last reply). To avoid this, leave such games out before, "
        "as an option of TRL's trainers does.",
        "",
    ),
)
"""Library that the call needs, sentence, and the call that shows it."""


@benchmark(
    "credit_audit",
    writes="credit_audit.md",
    quick="One game, one policy of each kind, no ascent: a check, not a result.",
    logged=False,
)
def main(output: Path, quick: bool) -> None:
    """Call the advantage functions of trainers on every group of small games.

    It needs the extra audit; functions that cannot be imported are listed with the reason.
    """
    settings = list(SETTINGS)[: 1 if quick else None]
    draws, steps = (1, 0) if quick else (DRAWS, STEPS)
    measurements = [
        measure(each, settings, draws, steps) for each in CREDIT_FUNCTIONS if not each.absent()
    ]
    print(table(HEADER, [row(each) for each in measurements]))
    write_report(output, "credit_audit", report(measurements, invocation()), {})


if __name__ == "__main__":
    main()
