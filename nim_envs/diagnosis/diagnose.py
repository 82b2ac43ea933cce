"""Diagnosis of agents: training on probes, the faults that fit, exact scores on boards."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from nim_envs.diagnosis import faults as table
from nim_envs.diagnosis.probes import ACTIONS, PROBES, Probe, cut
from nim_envs.diagnosis.report import Diagnosis, Finding, GameReport, ProbeResult
from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import InvalidPolicyError, InvalidPositionError
from nim_envs.game import PLAYERS, Game
from nim_envs.players import AnyPlayer, is_player
from nim_envs.registry import make_game
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.scoring import optimality
from nim_envs.starts import as_start
from nim_envs.typing import FloatArray

GAMES = 600
"""Games on a probe, where the training function takes their number."""

ENOUGH = 300
"""Games on a probe below which ties mean too little training."""

REPEATS = 20
"""Number of times that a policy is asked that breaks ties at random."""

NEAR, BY_VALUES = 0.5, 2.5
"""Distances within which rows are named together, and within which values choose between them."""

FIT = 0.15
"""Largest difference of a value that fits."""

INDIFFERENT = (
    "same action always", "zero reward", "learning rate 0 or tiny", "end read one step early",
    "observations scaled otherwise in play",
)  # fmt: skip
"""Faults that make all moves ties, or always the first or the last legal one."""

HARMLESS = {
    "result of the loser never learned", "winners only", "rewards clipped to 0..1",
    "draws as losses",
}  # fmt: skip
"""Faults with which an agent plays right where there are no draws."""

RESULTS = ("one move", "reply", "next turn", "chain", "second player")
"""Probes of results after some moves."""

BY_LAMPS = (*RESULTS, "now or later", "mask")
"""Probes in which nothing is learned from likeness, and the opponent has no choice."""

MISTAKES = {("hope", "sure draw over hope")} | {
    key for key in table.WEIGHTS if key[0] in ("normal play", "misère play")
}
"""Columns of positions where the opponent can err."""

BOARDS = (
    ("subtraction", {"heaps": (12,)}),
    ("nim", {"heaps": (2, 3)}),
    ("nim", {"heaps": (3, 4, 5)}),
    ("misere_nim", {"heaps": (3, 4, 5)}),
    ("kayles", {"heaps": (7,)}),
)
"""The five boards of the ladder, by ascending difficulty."""


def diagnose(
    train_or_policy: Callable[..., Any] | AnyPlayer,
    env_or_game: Any = None,
    *,
    make_env: Callable[..., Any] = GameEnv,
    games: int | None = None,
    probes_on: Game | None = None,
    max_cycles: int | None = None,
    boards: bool | None = None,
    seed: int = 0,
    verbose: bool = False,
    progress: bool = True,
) -> Any:
    """Name the fault of a training function, or score a policy exactly on its game.

    A training function is called on twelve probes, games of 2 to 24 positions that each right
    learner masters after some hundred games, and in each of which faults make predicted moves
    wrong: see :data:`nim_envs.diagnosis.PROBES`. Where not all moves are right it is called again,
    with the actions mirrored and the observations permuted. No fault is named of a policy alone.

    Args:
        train_or_policy: a function ``train(env)`` that returns a policy, as
            :func:`nim_envs.optimality` takes it, or a pair of a policy and its values; or a policy.
            Values, also an attribute ``values`` of the policy, are a function of observations
            ``(k, ...)`` and action masks ``(k, actions)`` that returns values of actions,
            ``(k, actions)``, or of positions, ``(k,)``, to the player to move.
        env_or_game: the game or environment of a policy; ``None``: its attribute ``game``, or
            training.
        make_env: returns the environment that is passed to ``train``, from a game.
        games: games on a probe, passed on to ``train`` as ``games`` where it takes it; ``None``:
            600 there.
        probes_on: game whose observations and actions an agent is made for: the probes are shown as
            positions of this game. Those of observation are left out.
        max_cycles: maximum number of moves of each player with which the agent is trained: one more
            probe is truncated by it, ``make_env(game, max_cycles=...)``.
        boards: whether to train and score it on five boards, too; ``None``: where all probes are
            right.
        seed: seed of policies that draw numbers, at least 0.
        verbose: whether the printed report has positions and moves.
        progress: whether to show a progress bar on standard error, if that is a terminal.

    Returns:
        A :class:`~nim_envs.diagnosis.Diagnosis` of a training function, a
        :class:`~nim_envs.diagnosis.GameReport` of a policy.

    Raises:
        TypeError: neither a training function nor a policy with its game; or ``train`` returned no
            policy.
        RuntimeError: ``train`` raised an error, which is its cause.
        InvalidPolicyError: the policy returned neither actions nor probabilities, or values of
            another shape.
        InvalidGameError: ``probes_on`` has too few positions or actions.

    Example:
        >>> from nim_envs import make_game
        >>> def first_legal(observations, action_masks):
        ...     return action_masks.argmax(axis=1)
        >>> print(diagnose(first_legal, make_game("nim", heaps=(2, 3))).line)
        Score: nim, heaps 2-3, normal play: 33.3 % of 9 positions that are not lost, random 49.4 %
    """
    game = getattr(train_or_policy, "game", None) if env_or_game is None else env_or_game
    if env_or_game is not None or isinstance(game, Game):
        if inspect.isroutine(train_or_policy) and not _takes(train_or_policy, 2):
            raise TypeError(
                f"{train_or_policy!r} does not take observations and action masks, as a policy "
                "with a game does: a training function is diagnosed without a game"
            )
        return game_report(train_or_policy, game, seed)
    if not callable(train_or_policy) or not _takes(train_or_policy, 1, **_named(train_or_policy)):
        raise TypeError(
            f"{train_or_policy!r} is no function of one argument, the environment, that returns a "
            "policy; a policy is scored with its game, diagnose(policy, env_or_game)"
        )
    training = _Training(train_or_policy, make_env, games, probes_on, seed)
    versions = {probe.name: 1 for probe in training.probes}
    seen: table.Pattern = {}
    with tqdm(total=len(versions), unit="training", disable=None if progress else True) as bar:
        for count in (1, 2, 4):
            for name in versions:
                ties = {each for key, each in seen.items() if key[0] == name} & {"?", "~"}
                versions[name] = count if count < 4 or ties else versions[name]
            bar.total = sum(versions.values())
            for probe in training.probes:
                for version in range(versions[probe.name]):
                    oddity = training.on_probe(probe, version, bar).oddity
                    if oddity:
                        return _report(training, {}, oddity, verbose=verbose)
            seen = table.pattern_of(lambda p, v: training.trained[p.name, v].chances, versions)
            if set(seen.values()) == {"+"}:
                break
    verdict, reason, names = judged(training, seen, versions)
    notes = _notes(training, seen)
    if max_cycles is not None:
        notes += (_cut_in_words(training, max_cycles),)
    wanted = verdict == "right" if boards is None else boards
    scores = _ladder(training) if wanted and probes_on is None else ()
    return _report(training, seen, verdict, reason, names, notes, scores, verbose)


def _named(train: Any) -> dict[str, int]:
    """Return the argument ``games`` of a training function, where it takes it."""
    with suppress(TypeError, ValueError):
        return {"games": GAMES} if "games" in inspect.signature(train).parameters else {}
    return {}


def _takes(given: Any, count: int, **named: Any) -> bool:
    """Whether it can be called with a number of arguments, and some by name."""
    try:
        inspect.signature(given).bind(*[None] * count, **named)
    except TypeError:
        return False
    except ValueError:
        return callable(given)
    return True


class _Trained(NamedTuple):
    """A policy trained on a version of a probe, as it plays in the frame of the tree."""

    chances: FloatArray  # (positions, ACTIONS)
    values: FloatArray | None  # (positions, ACTIONS) or (positions,)
    games: int | None
    seconds: float
    oddity: str  # a verdict about answers that change; empty for none


class _Training:
    """The training function, and what it has learned on each version of each probe."""

    def __init__(
        self, train: Any, make_env: Any, games: int | None, on: Game | None, seed: int
    ) -> None:
        self.train, self.make_env, self.on, self.seed = train, make_env, on, seed
        self.arguments = {name: games or number for name, number in _named(train).items()}
        self.probes = [p for p in PROBES if on is None or p.name not in ("sight", "scale")]
        self.repeats = 1
        self.trained: dict[tuple[str, int], _Trained] = {}

    def on_probe(self, probe: Probe, version: int, bar: Any = None, **settings: Any) -> _Trained:
        """Return what it learns on a version of a probe, on which it is trained once."""
        key = probe.name, version
        if key not in self.trained:
            self.trained[key] = self._train(probe, version, settings)
            if bar is not None:
                bar.update()
        return self.trained[key]

    def _train(self, probe: Probe, version: int, settings: Mapping[str, Any]) -> _Trained:
        env = self.make_env(probe.version(version, self.on), **settings)
        began, played = time.perf_counter(), _counted(env)
        try:
            returned = self.train(env, **self.arguments)
        except Exception as error:
            raise RuntimeError(
                f"training on the probe {probe.name!r} raised {type(error).__name__}: {error}; an "
                "agent made for one board's observations and actions needs probes_on=game"
            ) from error
        seconds = time.perf_counter() - began
        for name in ("reset", "next_starts"):
            vars(env).pop(name, None)
        policy, values = returned, getattr(returned, "values", None)
        if isinstance(returned, tuple) and len(returned) == 2:
            policy, values = returned
        if not is_player(policy):
            raise TypeError(
                f"train(env) must return a policy, and on the probe {probe.name!r} it returned "
                f"{policy!r}"
            )
        asked = _Asked(policy, env, probe, version, self.on, self.seed)
        oddity = ""
        if not self.trained:
            oddity, self.repeats = asked.oddity()
        games = self.arguments.get("games") or (played[0] if played[0] > 1 else None)
        return _Trained(asked.chances(self.repeats), asked.values(values), games, seconds, oddity)


def _counted(env: Any) -> list[int]:
    """Let an environment count the games that begin, until that is deleted from it again."""
    count = [0]

    def counting(method: Any, games: Callable[..., int]) -> Any:
        def counted(*arguments: Any, **named: Any) -> Any:
            count[0] += games(*arguments, **named)
            return method(*arguments, **named)

        return counted

    env.reset = counting(env.reset, lambda *arguments, **named: 1)
    if hasattr(env, "next_starts"):  # of compiled loops
        env.next_starts = counting(env.next_starts, lambda games, *rest, **named: games)
    return count


class _Asked:
    """A policy that is asked about the positions of a version of a probe."""

    def __init__(
        self, policy: Any, env: Any, probe: Probe, version: int, on: Game | None, seed: int
    ) -> None:
        self.scored = ScoredPolicy(policy, env, seed)
        shown = probe.observed(version, on)
        places = [_place(probe.version(version, on), shown[name]) for name in probe.tree]
        self.positions, self.masks = map(np.concatenate, zip(*places, strict=True))
        self.order = [probe.mapped(action, version) for action in range(ACTIONS)]
        self.questions = [list(probe.tree).index(each.position) for each in probe.questions]

    def ask(self, rows: Any = slice(None)) -> FloatArray:
        """Return the probabilities of actions at some of the positions."""
        return self.scored.action_probabilities(self.positions[rows], self.masks[rows])

    def one_by_one(self, rows: Any) -> FloatArray:
        """Return the same, asked about one position after the other."""
        return np.array([self.ask([row])[0] for row in rows])

    def chances(self, repeats: int) -> FloatArray:
        """Return the probabilities of the actions that it prefers, in the frame of the tree."""
        answers = np.mean([self.ask() for _ in range(repeats)], axis=0)
        if repeats == 1:
            best = (answers >= answers.max(axis=1, keepdims=True) - 1e-3) & (answers > 0)
            answers = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return np.asarray(answers[:, self.order])

    def values(self, values: Any) -> FloatArray | None:
        """Return its values, in the frame of the tree; ``None`` where it has none."""
        if not callable(values):
            return None
        turns = self.scored.turns(self.positions, self.masks)
        answer = np.asarray(values(turns.observations, turns.masks), dtype=np.float64)
        allowed = self.masks.shape, self.masks.shape[:1]
        if answer.shape not in allowed or np.isnan(answer).any():
            raise InvalidPolicyError(
                f"values must be numbers of shape {allowed[0]} or {allowed[1]}, not of shape "
                f"{answer.shape} with {int(np.isnan(answer).sum())} that are NaN"
            )
        return answer if answer.ndim == 1 else answer[:, self.order]

    def oddity(self) -> tuple[str, int]:
        """Return a verdict about answers that change, and how often it has to be asked."""
        batch, rows = self.ask(), range(len(self.positions))
        again = np.array([self.one_by_one([row] * REPEATS)[1:] for row in self.questions])
        varying = np.ptp(again, axis=1).max(axis=1) > 1e-3
        if varying.any():
            # Random ties are even; an agent that explores or draws in play has preferences.
            means = again[varying].mean(axis=1)
            return ("stochastic" if means.max(axis=1).mean() > 0.7 else ""), REPEATS
        forwards, backwards = self.one_by_one(rows), self.one_by_one(rows[::-1])[::-1]
        if np.abs(forwards - backwards).max() > 1e-3:
            return "remembers", 1
        return ("batch" if np.abs(batch - forwards).max() > 1e-3 else ""), 1


def _place(game: Game, coordinates: Any) -> tuple[Any, Any]:
    """Return a position, ``(1, ...)``, as policies are asked about it, and its mask."""
    board = GameEnv(game)
    board.set_position(coordinates)
    mask = board.observe(board.agent_selection)["action_mask"]
    return board.position[np.newaxis], mask[np.newaxis]


def judged(
    training: _Training, seen: table.Pattern, versions: Mapping[str, int]
) -> tuple[str, str, tuple[str, ...]]:
    """Return the verdict on an agent's letters, a reason, and the faults that fit.

    Args:
        training: the trained agents.
        seen: the letters.
        versions: number of versions of each probe that they are from.
    """
    wrong = {key: each for key, each in seen.items() if each != "+"}
    if not wrong:
        return "right", "", ()
    counted = [each.games for each in training.trained.values() if each.games is not None]
    little = bool(counted) and min(counted) < ENOUGH
    if not little and _indifferent(training):
        return "faulty", "", INDIFFERENT
    ranked = _ranked(training, seen, tuple(versions.items()))
    right, ties = ranked[0][0], table.distance(dict.fromkeys(seen, "?"), seen)
    nearest = min(each for each, row in ranked if row.faults)
    accepted = max(1 + 0.1 * len(wrong), 0.3 * right)
    names: tuple[str, ...] = ()
    # After few games letters are noise, which may come near a row that has many ties.
    sure = not little or nearest <= 0.2 * min(right, ties)
    if sure and nearest <= accepted and nearest <= min(right, ties) - 0.75:
        fitting = _by_values(training, ranked, nearest)
        names = tuple(dict.fromkeys(name for row in fitting for name in row.faults))
    hoping = [probe == "hope" for probe, _ in wrong]
    erring = MISTAKES.issuperset(wrong) and (any(hoping) or "-" not in wrong.values())
    if erring or all(hoping):
        reason = "it counts on mistakes (it was trained against an opponent that errs or explores)"
        also = [name for name in names if name == "minimum for maximum"]
        return "right, but", reason, ("counts on the opponent's mistakes", *also)
    if names and not (little and "-" not in wrong.values()):
        losing = [key for key in wrong if key[0] in RESULTS and "win" in key[1]]
        if losing or not HARMLESS.issuperset(names):
            return "faulty", "", names
        reason = "it does not tell a loss from a draw (harmless where there are no draws)"
        return "right, but", reason, names
    # Networks that have learned too little err alike where positions look alike.
    opposite = [key[0] for key, each in wrong.items() if each == "-" and key[0] in BY_LAMPS]
    if opposite and not little:
        reason = f"it does the opposite of what is right on {', '.join(dict.fromkeys(opposite))}"
        return "not in the list", reason, ()
    reason = "some of its answers are ties, or trainings disagree"
    if little:
        reason = f"{min(counted):,} games on a probe are few"
    elif right > ties:
        reason = "nothing was learned on most probes, as with no reward or too small a step"
    return "not trained enough", reason, ()


def _indifferent(training: _Training) -> bool:
    """Whether the moves are ties everywhere, or always the first or the last legal action."""
    kinds = set()
    for probe in training.probes:
        rows = {question.position: list(probe.tree).index(question.position)
                for question in probe.questions}  # fmt: skip
        for version in range(4):
            if (probe.name, version) not in training.trained:
                continue
            for name, row in rows.items():
                legal = sorted(probe.tree[name], key=lambda a, v=version: probe.mapped(a, v))  # type: ignore[misc]
                chances = training.trained[probe.name, version].chances[row]
                tie = np.ptp(chances[legal]) < 0.5 and chances[legal].sum() > 0.9
                ends = {legal[0]: "first", legal[-1]: "last"}
                kinds.add("tie" if tie else ends.get(int(chances.argmax()), "other"))
    return len(kinds) == 1 and "other" not in kinds


Ranked = list[tuple[float, table.Row]]


def _ranked(
    training: _Training, seen: table.Pattern, versions: tuple[tuple[str, int], ...]
) -> Ranked:
    """Return the distance of each row, at the discount that is nearer; right agents first."""
    found: Ranked = []
    for row in table.ROWS:
        if row.look is None:
            expected = [table.expected_pattern(row, each, versions) for each in table.DISCOUNTS]
            found.append((min(table.distance(each, seen) for each in expected), row))
        elif (far := _distance_of_look(training, row)) is not None:
            found.append((far, row))
    return found


def _distance_of_look(training: _Training, row: table.Row) -> float | None:
    """Return the distance of an equation with a look: any answer fits where it cannot tell.

    Returns:
        ``None`` where answers differ at positions that look the same in it.
    """
    same: list[bool] = []
    total = 0.0
    assert row.look is not None
    for probe in training.probes:
        outside: dict[str, list[float]] = {}
        legal = table.board_of(probe).legal
        for version in range(4):
            if (probe.name, version) not in training.trained:
                continue
            chances = training.trained[probe.name, version].chances
            first = table.groups_of(row.look, probe, version)
            alike = (legal == legal[first]).all(axis=1) & (first != np.arange(len(first)))
            same += (np.abs(chances - chances[first]).max(axis=1) < 0.5)[alike].tolist()
            impossible = (chances * (table.answers(row, probe, 1.0, version) == 0)).sum(axis=1)
            for question in probe.questions:
                place = list(probe.tree).index(question.position)
                outside.setdefault(question.column, []).append(float(impossible[place]))
        total += sum(1.5 * probe.weight * float(np.mean(each)) for each in outside.values())
    return None if same and np.mean(same) <= 0.97 else total


def _by_values(training: _Training, ranked: Ranked, nearest: float) -> list[table.Row]:
    """Return the rows that fit about as well as the nearest; of near ones those whose values do."""
    rows = sorted((far, place) for place, (far, row) in enumerate(ranked) if row.faults)
    near = [ranked[place][1] for far, place in rows if far < nearest + NEAR - 1e-9]
    without = all(each.values is None for each in training.trained.values())
    if without or len({row.faults for row in near}) == 1:
        return near
    wider = [ranked[place][1] for far, place in rows if far <= nearest + BY_VALUES]
    fits = [_fit(training, row) for row in wider]
    least = max(0.9, max(fits) - 0.02)
    return [row for row, fit in zip(wider, fits, strict=True) if fit >= least] or near


def _fit(training: _Training, row: table.Row) -> float:
    """Return the share of values within :data:`FIT` of a row's, at the discount that fits best."""
    shares = [0.0]
    for discount in (1.0, 0.95, 0.9, 0.8):
        right: list[bool] = []
        for probe in training.probes:
            values, legal = training.trained[probe.name, 0].values, table.board_of(probe).legal
            if values is not None:
                expected = table.solution(row, probe, discount)
                if values.ndim == 1:
                    expected = np.where(legal, expected, -np.inf).max(axis=1)
                fits = np.abs(expected - values) < FIT
                right += fits.tolist() if values.ndim == 1 else fits[legal].tolist()
        shares += [float(np.mean(right))] if right else []
    return max(shares)


def _notes(training: _Training, seen: table.Pattern) -> tuple[str, ...]:
    """Return sentences about values that diverge or never move, where moves fail."""
    values = [each.values for each in training.trained.values() if each.values is not None]
    if not values or set(seen.values()) <= {"+"}:
        return ()
    largest = max(float(np.abs(each).max()) for each in values)
    if largest > 10:
        return (f"Values diverge, up to {largest:.3g}: too large a step, or no end in targets.",)
    if largest < 0.01:
        return ("Values never move from 0: no reward is seen, or the step size is 0 or tiny.",)
    return ()


def _cut_in_words(training: _Training, max_cycles: int) -> str:
    """Return how it plays the probe whose games are truncated, in a sentence."""
    probe = cut(max_cycles)
    names, shares = list(probe.tree), []
    for version in range(2):
        chances = training.on_probe(probe, version, max_cycles=max_cycles).chances
        shares += [chances[names.index(q.position), list(q.right)].sum() for q in probe.questions]
    words = {
        "+": "right", "~": "nearly right", "?": "truncation as end: a cut counts as the end",
        "-": "the value after a cut has the wrong sign",
    }[table.letter(float(np.mean(shares)))]  # fmt: skip
    return f"Games that are cut short: {words}."


def _report(
    training: _Training,
    seen: table.Pattern,
    verdict: str,
    reason: str = "",
    names: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    scores: tuple[GameReport, ...] = (),
    verbose: bool = False,
) -> Diagnosis:
    """Return the report."""
    results = []
    for probe in training.probes:
        trained = [each for (name, _), each in training.trained.items() if name == probe.name]
        if trained:
            letters = {column: seen.get((probe.name, column), "?") for column in probe.columns}
            seconds = sum(each.seconds for each in trained)
            results.append(ProbeResult(
                probe.name, letters, _in_words(probe, letters), trained[0].games, seconds,
                len(trained), _moves_in_words(probe, trained) if verbose else (),
            ))  # fmt: skip
    findings = tuple(Finding(name, *table.FAULTS[name]) for name in names)
    ladder = _ladder_in_words(scores) if scores else ""
    return Diagnosis(verdict, reason, findings, tuple(results), notes, scores, ladder, verbose)


def _in_words(probe: Probe, letters: Mapping[str, str]) -> str:
    """Return how a probe fails, in words."""
    wrong = {question.column: question.wrong for question in probe.questions}
    opposite = dict.fromkeys(wrong[column] for column, each in letters.items() if each == "-")
    parts = [f"opposite: it {' and '.join([*opposite][:2])}"] if opposite else []
    for letter, title in (("?", "a tie or noise"), ("~", "nearly right")):
        columns = [column for column, each in letters.items() if each == letter]
        if columns:
            every = len(columns) == len(letters)
            parts.append(f"{title}: {'every question' if every else ', '.join(columns[:2])}")
    return "; ".join(parts)


def _moves_in_words(probe: Probe, trained: list[_Trained]) -> tuple[str, ...]:
    """Return a line for each question: the moves of each training, and values."""
    lines = []
    for question in probe.questions:
        row = list(probe.tree).index(question.position)
        played = ", ".join("/".join(f"{p:.2g}" for p in each.chances[row]) for each in trained)
        asked = f"  {probe.name}, {question.position}: right {sorted(question.right)}"
        values = trained[0].values
        shown = "" if values is None else f"; values {np.round(values[row], 2).tolist()}"
        lines.append(f"{asked}, played {played}{shown}")
    return tuple(lines)


def _ladder(training: _Training) -> tuple[GameReport, ...]:
    """Return the exact scores on the five boards, on each of which it is trained."""
    arguments = {name: 5 * games for name, games in training.arguments.items()}
    samples = training.repeats if training.repeats > 1 else None
    reports = []
    for name, settings in BOARDS:
        env = training.make_env(make_game(name, start="uniform", **settings))
        returned = training.train(env, **arguments)
        policy = returned[0] if isinstance(returned, tuple) else returned
        reports.append(game_report(policy, env, training.seed, samples))
    return tuple(reports)


def _ladder_in_words(scores: tuple[GameReport, ...]) -> str:
    """Return what the scores on the five boards say."""
    low = [each for each in scores if each.percent < 99]
    chance = [each for each in low if each.percent < each.random_percent + 10]
    if not low:
        return "Right on all boards, too."
    if chance:
        where = "all boards" if len(chance) == len(scores) else chance[0].game
        return f"No better than random on {where}: too few games, or it does not see them."
    return f"Below 100 % from {low[0].game} on: more games, or a larger or better network."


def game_report(
    policy: Any, env_or_game: Any, seed: int = 0, samples: int | None = None
) -> GameReport:
    """Return the exact score of a policy on its game, by seat and by value, and its worst moves.

    Args:
        policy: as :func:`nim_envs.optimality` takes it, as are the others.
        env_or_game: its game, or an environment of it.
        seed: seed of policies that draw numbers.
        samples: how often it is asked about each position.
    """

    def score_at(positions: Any) -> Any:
        return optimality(policy, env_or_game, positions, samples=samples, seed=seed)

    score, scored = score_at("all"), ScoredPolicy(policy, env_or_game, seed)
    by_seat = {name: each.percent for name in PLAYERS if (each := score_at(name)).count}
    by_value = {}
    if score.decisive is not None:
        for title, start in (("won", "n_position"), ("drawn", "draw_position")):
            with suppress(InvalidPositionError):
                positions = replace(scored.game, starts=as_start(start)).start_positions()
                by_value[title] = score_at(positions).percent
    worst = sorted(score.blunders.tolist(), key=sum)[:3]
    return GameReport(
        scored.game.summary, score.percent, score.random_percent, score.illegal_percent,
        score.count, by_seat, by_value, tuple(_blunder(scored, tuple(each)) for each in worst),
    )  # fmt: skip


def _blunder(scored: ScoredPolicy, position: tuple[int, ...]) -> str:
    """Return a sentence about a position where the most probable move is wrong."""
    place, mask = _place(scored.game, position)
    chances = scored.action_probabilities(place, mask)[0]
    action, right = (
        int(chances.argmax()),
        int(scored.game.old_solution.keeping_actions(position)[0]),
    )
    where = "-".join(map(str, position))
    if not mask[0, action] or not chances.any():
        return f"at {where} it plays illegal action {action}"
    played, better = (scored.game.describe(each, position) for each in (action, right))
    return f"at {where} it plays {played}; right is {better}"
