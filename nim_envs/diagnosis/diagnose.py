"""Diagnosis of agents: training on probes, the faults that fit, exact scores on boards."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from nim_envs.diagnosis import faults as table
from nim_envs.diagnosis.probes import ACTIONS, PROBES, Probe, cut
from nim_envs.diagnosis.report import Diagnosis, GameReport, ProbeResult
from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import InvalidPolicyError, InvalidPositionError
from nim_envs.game import PLAYERS, Game
from nim_envs.graph import LARGEST_TABLE
from nim_envs.players import AnyPlayer, is_player
from nim_envs.registry import make_game
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.scoring import optimality
from nim_envs.starts import FixedStart, UniformStart, as_start
from nim_envs.typing import FloatArray
from nim_envs.validation import checked_integer

GAMES = 600  # on a probe, where the training function takes their number
BOARD_GAMES = 3_000  # on one game, likewise
ENOUGH = 300  # games on a probe, below which ties mean too little training
REPEATS = 20  # times that a policy is asked that breaks ties at random
NEAR, BY_VALUES = 0.5, 2.5  # distances of rows that are named together, or by their values
SIGHT = 0.1  # largest distance of a fault of sight, which predicts each answer, by the right one's
FIT = 0.15  # error of a value that fits
SURE = 0.85  # share of values that fit from which a row may be twice as far

INDIFFERENT = (
    "same action always", "zero reward", "learning rate 0 or tiny", "end read one step early",
    "end as truncation", "observations scaled otherwise in play",
)  # fmt: skip
"""Faults that make all moves ties, or always the first or the last legal one."""

HARMLESS = {*table.LOSS_IS_DRAW, "draws as losses"}
"""Faults with which an agent plays right where there are no draws."""

RESULTS = ("one move", "reply", "next turn", "chain", "second player")
"""Probes of results after some moves."""

HEAPS = ("normal play", "misère play")
"""Probes in which the opponent can err; it can on *hope*, too."""

BOARDS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("subtraction", (12,)), ("nim", (2, 3)), ("nim", (3, 4, 5)), ("misere_nim", (3, 4, 5)),
    ("kayles", (7,)),
)  # fmt: skip
"""The five boards of the ladder and their heaps, by ascending difficulty."""


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
    """Name the fault of a training function, or score what plays one game exactly.

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
        env_or_game: the game or environment of a policy, or the one game on which a training
            function is trained and scored; ``None``: the attribute ``game`` of a policy, or probes.
        make_env: returns the environment that is passed to ``train``, from a game.
        games: games on a probe, passed on to ``train`` as ``games`` where it takes it; ``None``:
            600 there, and 3,000 on one game.
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
        :class:`~nim_envs.diagnosis.GameReport` where there is one game.

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
    if games is not None:
        checked_integer("games", games, minimum=1)
    game = getattr(train_or_policy, "game", None) if env_or_game is None else env_or_game
    for name, each in (("env_or_game", env_or_game), ("probes_on", probes_on)):
        if isinstance(each, str) or inspect.isroutine(each):
            raise TypeError(
                f"{name} must be a Game or an environment, not {each!r}: a game by name is "
                "make_game(name), and a function that returns one is called first"
            )
    if env_or_game is not None or isinstance(game, Game):
        if is_training(train_or_policy):
            env = make_env(_from_anywhere(game)) if isinstance(game, Game) else game
            named: dict[str, Any] = {"games": games or BOARD_GAMES}
            given = named if _has_games(train_or_policy) else {}
            hint = "; what takes one argument is a training function, and a policy takes two"
            trained = _policy_of(_called(train_or_policy, env, "its game", hint, **given))
            return game_report(trained, env, seed)
        if inspect.isroutine(train_or_policy) and not _is_policy(train_or_policy):
            raise TypeError(
                f"{train_or_policy!r} takes neither an environment, as a training function does, "
                "nor observations and action masks, as a policy does"
            )
        return game_report(train_or_policy, game, seed)
    is_class = inspect.isclass(train_or_policy)
    if not callable(train_or_policy) or is_class or not _takes(train_or_policy, 1):
        raise TypeError(
            "what is diagnosed is a function train(env), whose other arguments have defaults, that "
            "returns a policy; or a policy with its game, diagnose(policy, env_or_game); not "
            f"{train_or_policy!r}"
        )
    training = _Training(train_or_policy, make_env, games, probes_on, seed)
    with tqdm(unit="training", disable=None if progress else True) as bar:
        for count in (1, 2, 4):
            seen = table.pattern_of(training.played)
            again = [
                probe for probe in training.probes
                if count < 4 or {seen[probe.name, each] for each in probe.columns} & {"?", "~"}
            ]  # fmt: skip
            if count > 1 and set(seen.values()) == {"+"}:
                break
            bar.total = len(training.trained) + len(again) * max(1, count // 2)
            for probe in again:
                for version in range(count // 2, count):
                    training.trained[probe.name, version] = training.learned(probe, version)
                    bar.update()
                    if training.oddity:
                        return _report(training, training.oddity, verbose=verbose)
    verdict, reason, names = judged(training)
    notes = _notes(training)
    if max_cycles is not None:
        notes += (_cut_in_words(training, max_cycles),)
    wanted = verdict == "right" if boards is None else boards
    scores = _ladder(training) if wanted and probes_on is None else ()
    return _report(training, verdict, reason, names, notes=notes, boards=scores, verbose=verbose)


def _from_anywhere(game: Game) -> Game:
    """Return a game that begins at any position, unless it has starts of its own."""
    return replace(game, starts=UniformStart()) if game.starts == FixedStart() else game


def is_training(given: Any) -> bool:
    """Return whether it is a function of an environment, and perhaps of ``games``."""
    return (
        inspect.isroutine(given)
        and _takes(given, 1)
        and (_has_games(given) or not _takes(given, 2))
    )


def _is_policy(given: Any) -> bool:
    """Whether it is a function of observations and masks, and perhaps of a generator."""
    return not _has_games(given) and (_takes(given, 2) or _takes(given, 3))


def _has_games(given: Any) -> bool:
    """Whether it takes the number of games."""
    with suppress(TypeError, ValueError):  # a built-in function may have no signature
        return "games" in inspect.signature(given).parameters
    return False


def _takes(given: Any, count: int) -> bool:
    """Whether it can be called with a number of arguments, and with ``games`` where it has it."""
    try:
        named = {"games": 1} if count == 1 and _has_games(given) else {}
        inspect.signature(given).bind(*[None] * count, **named)
    except TypeError:
        return False
    except ValueError:
        return callable(given)
    return True


def _called(train: Any, env: Any, where: str, hint: str, **arguments: Any) -> Any:
    """Return what a training function returns; its errors name the game, and give a hint."""
    try:
        return train(env, **arguments)
    except Exception as error:
        hint = "" if isinstance(error, KeyError) else hint
        raise RuntimeError(
            f"training on {where} raised {type(error).__name__}: {error}{hint}"
        ) from error


def _policy_of(returned: Any) -> Any:
    """Return the policy of what a training function has returned, perhaps with its values."""
    return returned[0] if isinstance(returned, tuple) else returned


class _Trained(NamedTuple):
    """A policy trained on a version of a probe, as it plays in the frame of the tree."""

    chances: FloatArray  # (positions, ACTIONS)
    values: FloatArray | None  # (positions, ACTIONS) or (positions,)
    games: int | None
    seconds: float


class _Training:
    """The training function, and what it has learned on each version of each probe."""

    def __init__(
        self, train: Any, make_env: Any, games: int | None, on: Game | None, seed: int
    ) -> None:
        self.train, self.make_env, self.on, self.seed = train, make_env, on, seed
        self.arguments = {"games": games or GAMES} if _has_games(train) else {}
        self.probes = [p for p in PROBES if on is None or p.name not in ("sight", "scale")]
        self.repeats, self.oddity = 1, ""  # a verdict about answers that change
        self.trained: dict[tuple[str, int], _Trained] = {}

    @property
    def played(self) -> table.Played:
        """The moves by name and version of the probe."""
        return {key: each.chances for key, each in self.trained.items()}

    def learned(self, probe: Probe, version: int, **settings: Any) -> _Trained:
        """Return what it learns on a version of a probe, in an environment with settings."""
        env = self.make_env(probe.version(version, self.on), **settings)
        began, played = time.perf_counter(), _counted(env)
        hint = "; an agent made for the observations and actions of one board needs probes_on=game"
        returned = _called(self.train, env, f"the probe {probe.name!r}", hint, **self.arguments)
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
        asked = _Asked(policy, env, probe, version, self)
        if not self.trained:
            self.oddity, self.repeats = asked.oddity()
        games = self.arguments.get("games") or (played[0] if played[0] > 1 else None)
        return _Trained(asked.chances(self.repeats), asked.values(values), games, seconds)


def _counted(env: Any) -> list[int]:
    """Let an environment count the games that begin, until that is deleted from it again."""
    count, reset = [0], env.reset
    next_starts = getattr(env, "next_starts", None)  # of compiled loops

    def counted(*arguments: Any, **named: Any) -> Any:
        count[0] += 1
        return reset(*arguments, **named)

    def starting(games: int, *rest: Any, **named: Any) -> Any:
        count[0] += games
        return next_starts(games, *rest, **named)  # type: ignore[misc]

    env.reset = counted
    if next_starts is not None:
        env.next_starts = starting
    return count


class _Asked:
    """A policy that is asked about the positions of a version of a probe."""

    def __init__(
        self, policy: Any, env: Any, probe: Probe, version: int, training: _Training
    ) -> None:
        self.scored = ScoredPolicy(policy, env, training.seed)
        shown, game = probe.observed(version, training.on), probe.version(version, training.on)
        places = [_place(game, shown[name]) for name in probe.tree]
        self.positions, self.masks = map(np.concatenate, zip(*places, strict=True))
        self.order = [probe.mapped(action, version) for action in range(ACTIONS)]
        self.questions = [probe.row(question) for question in probe.questions]

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
        if answer.shape == self.masks.shape:
            answer = np.where(self.masks, answer, 0.0)  # illegal actions may have any, as -inf
        if answer.shape not in allowed:
            raise InvalidPolicyError(
                f"values must be of shape {allowed[0]} or {allowed[1]}, not {answer.shape}"
            )
        if np.isnan(answer).any():
            raise InvalidPolicyError(
                f"{int(np.isnan(answer).sum())} values are NaN, as after a maximum over no legal "
                "action at the end of a game"
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
    position = np.asarray(coordinates, dtype=np.int64)[np.newaxis]
    return position, game.mask(position)


def judged(training: _Training) -> tuple[str, str, tuple[str, ...]]:
    """Return the verdict on an agent's moves, a reason, and the names of faults that fit."""
    played = training.played
    seen = table.pattern_of(played)
    wrong = {key: each for key, each in seen.items() if each != "+"}
    if not wrong:
        return "right", "", ()
    counted = [each.games for each in training.trained.values() if each.games is not None]
    if counted and min(counted) < ENOUGH:
        return "not trained enough", f"{min(counted):,} games on a probe are few", ()
    if constant := _indifferent(training):
        return "faulty", "", constant
    if set(wrong) == {table.LEGAL}:
        return "faulty", "", ("illegal actions played",)
    rows = [(table.distance_of(row, played, seen), row) for row in table.ROWS]
    right, ties = rows[0][0], table.distance_of(table.IGNORANT, played, seen)
    names = _names(training, rows, min(right, ties))
    erring = all(key[0] in HEAPS or key == ("hope", "sure draw over hope") for key in wrong)
    hoping = {key[0] == "hope" for key in wrong}
    if hoping == {True} or (erring and (True in hoping or "-" not in wrong.values())):
        reason = "it counts on mistakes (it was trained against an opponent that errs or explores)"
        also = [name for name in names if name == "minimum for maximum"]
        return "right, but", reason, ("counts on the opponent's mistakes", *also)
    if names:
        losing = [key for key in wrong if key[0] in RESULTS and "win" in key[1]]
        if losing or not HARMLESS.issuperset(names):
            return "faulty", "", names
        reason = "it does not tell a loss from a draw (harmless where there are no draws)"
        return "right, but", reason, names
    # Networks that have learned too little err alike where positions look alike.
    lamps = {*RESULTS, "now or later", "mask"}
    opposite = [key[0] for key, each in wrong.items() if each == "-" and key[0] in lamps]
    if opposite:
        reason = f"it does the opposite of what is right on {', '.join(dict.fromkeys(opposite))}"
        return "not in the list", reason, ()
    reason = "some of its answers are ties, or trainings disagree"
    if right > ties:
        reason = "nothing was learned on most probes, as with no reward or too small a step"
    return "not trained enough", reason, ()


def _indifferent(training: _Training) -> tuple[str, ...]:
    """Return the faults that fit where each training answers alike at all positions."""
    kinds = set()
    for (name, version), chances in training.played.items():
        legal = table.board_of(table.BY_NAME[name]).legal
        for allowed in np.unique(legal[legal.sum(axis=1) > 1], axis=0):
            answers = chances[(legal == allowed).all(axis=1)]
            if np.ptp(answers, axis=0).max() > 0.5:
                return ()
            mean = answers.mean(axis=0)[allowed][:: -1 if version % 2 else 1]
            ends = {0: "first", len(mean) - 1: "last"}
            kinds.add("tie" if np.ptp(mean) < 0.5 else ends.get(int(mean.argmax()), "other"))
    return INDIFFERENT if len(kinds) == 1 and "other" not in kinds else INDIFFERENT[:1]


def _names(
    training: _Training, rows: list[tuple[float, table.Row]], known: float
) -> tuple[str, ...]:
    """Return the faults of the nearest rows, if these say far more than right or tied answers.

    Rows come with their distances; ``known`` is the less of those of right and of tied answers.
    """
    faulty = [
        (far, row) for far, row in rows
        if row.faults and (row.look is None or far <= SIGHT * known)
    ]  # fmt: skip
    nearest = min(far for far, _ in faulty)
    limit = max(0.3 * known, min(1.0, 0.5 * known))
    fits = [(_fit(training, row), far, row) for far, row in faulty if far <= nearest + BY_VALUES]
    best = max(fit for fit, _, _ in fits)
    sure = best >= max(SURE, _fit(training, rows[0][1]) + 0.1)
    if not known or nearest > (2 * limit if sure else limit):
        return ()
    near = [(fit, row) for fit, far, row in fits if far < nearest + NEAR - 1e-9]
    if best >= 0.9 and len({row.faults for _, row in near}) > 1:
        near = [(fit, row) for fit, _, row in fits if fit >= best - 0.02]
    # Rows are dropped whose values fit at less than half the places of another's.
    half = max(fit for fit, _ in near) / 2
    return tuple(dict.fromkeys(name for fit, row in near if fit >= half for name in row.faults))


def _fit(training: _Training, row: table.Row) -> float:
    """Return the share of values within :data:`FIT` of a row's, at the discount that fits best."""
    shares = [0.0]
    for discount in (1.0, 0.95, 0.9, 0.8):
        right: list[bool] = []
        for probe in training.probes:
            values, legal = training.trained[probe.name, 0].values, table.board_of(probe).legal
            if values is not None and row.look is None:
                expected = table.solution(row, probe, discount)
                if values.ndim == 1:
                    expected = np.where(legal, expected, -np.inf).max(axis=1)
                fits = np.abs(expected - values) < FIT
                right += fits.tolist() if values.ndim == 1 else fits[legal].tolist()
        shares += [float(np.mean(right))] if right else []
    return max(shares)


def _notes(training: _Training) -> tuple[str, ...]:
    """Return sentences about values that diverge or never move, where moves fail."""
    values = [each.values for each in training.trained.values() if each.values is not None]
    if not values or set(table.pattern_of(training.played).values()) <= {"+"}:
        return ()
    largest = max(float(np.abs(each).max()) for each in values)
    if largest > 10:
        return (
            f"Values diverge, up to {largest:.3g}: targets go on after the end, where the next "
            "value counts 0, or the step is too large.",
        )
    if largest > 1.5:
        return (f"Values pass 1, the best result, up to {largest:.3g}: is a target unmasked?",)
    if largest < 0.01:
        return ("Values never move from 0: no reward is seen, or the step size is 0 or tiny.",)
    return ()


def _cut_in_words(training: _Training, max_cycles: int) -> str:
    """Return how it plays the probe whose games are truncated, in a sentence."""
    probe = cut(max_cycles)
    shares = []
    for version in range(2):
        chances = training.learned(probe, version, max_cycles=max_cycles).chances
        shares += [chances[probe.row(each), list(each.right)].sum() for each in probe.questions]
    words = {
        "+": "right", "~": "nearly right", "?": "truncation as end: a cut counts as the end",
        "-": "the value after a cut has the wrong sign",
    }[table.letter(float(np.mean(shares)))]  # fmt: skip
    return f"Games that are cut short: {words}."


def _report(training: _Training, verdict: str, reason: str = "", names: tuple[str, ...] = (),
            **more: Any) -> Diagnosis:  # fmt: skip
    """Return the report."""
    seen = table.pattern_of(training.played)
    results = []
    for probe in training.probes:
        trained = [each for (name, _), each in training.trained.items() if name == probe.name]
        if trained:
            letters = {each: seen[probe.name, each] for each in probe.columns}
            letters = dict.fromkeys(letters, "?") if training.oddity else letters
            seconds = sum(each.seconds for each in trained)
            moves = tuple(
                f"  {probe.name}, {each.position}: right {sorted(each.right)}, played "
                + _moves(trained, probe.row(each))
                for each in probe.questions
            )
            results.append(ProbeResult(
                probe.name, letters, _in_words(probe, letters), trained[0].games, seconds,
                len(trained), moves,
            ))  # fmt: skip
    findings = tuple(table.FAULTS[name] for name in names)
    return Diagnosis(verdict, reason, findings, tuple(results), **more)


def _in_words(probe: Probe, letters: dict[str, str]) -> str:
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


def _moves(trained: list[_Trained], row: int) -> str:
    """Return the moves of each training at a position, and values."""
    played = ", ".join("/".join(f"{p:.2g}" for p in each.chances[row]) for each in trained)
    values = trained[0].values
    return played if values is None else f"{played}; values {np.round(values[row], 2).tolist()}"


def _ladder(training: _Training) -> tuple[GameReport, ...]:
    """Return the exact scores on the five boards, on each of which it is trained."""
    arguments = {name: 5 * games for name, games in training.arguments.items()}
    samples = training.repeats if training.repeats > 1 else None
    reports = []
    for name, heaps in BOARDS:
        env = training.make_env(make_game(name, start="uniform", heaps=heaps))
        returned = training.train(env, **arguments)
        reports.append(game_report(_policy_of(returned), env, training.seed, samples))
    return tuple(reports)


def game_report(
    policy: Any, env_or_game: Any, seed: int = 0, samples: int | None = None
) -> GameReport:
    """Return the exact score of a policy on its game, in all and in parts, and its worst moves.

    Args:
        policy: as :func:`nim_envs.optimality` takes it, as are the others.
        env_or_game: its game, or an environment of it.
        seed: seed of policies that draw numbers.
        samples: how often it is asked about each position.
    """

    def score_at(positions: Any, **arguments: Any) -> Any:
        return optimality(policy, env_or_game, positions, samples=samples, seed=seed, **arguments)

    scored = ScoredPolicy(policy, env_or_game, seed)
    board = scored.game.board
    is_listed = board.num_positions * board.num_actions <= LARGEST_TABLE
    score = score_at("all", by_distance=is_listed)
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
        score.count, by_seat, by_value, score.by_distance or {},
        tuple(_blunder(scored, tuple(each)) for each in worst),
    )  # fmt: skip


def _blunder(scored: ScoredPolicy, position: tuple[int, ...]) -> str:
    """Return a sentence about a position where the most probable move is wrong."""
    place, mask = _place(scored.game, position)
    chances = scored.action_probabilities(place, mask)[0]
    action, right = (
        int(chances.argmax()),
        int(scored.game.solution.keeping_actions(position)[0]),
    )
    where = "-".join(map(str, position))
    if not mask[0, action] or not chances.any():
        return f"at {where} it plays illegal action {action}"
    played, better = (scored.game.describe(each, position) for each in (action, right))
    return f"at {where} it plays {played}; right is {better}"
