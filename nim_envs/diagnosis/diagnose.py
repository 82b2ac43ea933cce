"""Diagnosis of agents: training on probes, the faults that fit, exact scores on boards."""

import inspect
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from nim_envs.diagnosis import faults as table
from nim_envs.diagnosis.probes import ACTIONS, PROBES, Probe, cut
from nim_envs.diagnosis.report import Diagnosis, GameReport, ProbeResult, game_report
from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import InvalidPolicyError
from nim_envs.game import Game
from nim_envs.players import AnyPlayer, is_player
from nim_envs.registry import make_game
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.starts import FixedStart, UniformStart
from nim_envs.typing import FloatArray, MaskArray
from nim_envs.validation import checked_integer

GAMES = 600  # on a probe, where the training function takes their number
BOARD_GAMES = 3_000  # on one game, likewise
ENOUGH = 300  # games on a probe, below which ties mean too little training
REPEATS = 20  # times that a policy is asked that breaks ties at random
NEAR, BY_VALUES = 0.5, 2.5  # distances of rows that are named together, or by their values
SIGHT = 0.1  # largest distance of a fault of sight, which predicts each answer, by the right one's
FIT = 0.15  # error of a value that fits
SURE = 0.85  # share of values that fit from which a row may be twice as far

INDIFFERENT = (  # faults that make all moves ties, or always the first or the last legal one
    "same action always", "zero reward", "learning rate 0 or tiny", "end read one step early",
    "end as truncation", "observations scaled otherwise in play",
)  # fmt: skip
HARMLESS = {*table.LOSS_IS_DRAW, "draws as losses"}  # they play right where there are no draws
RESULTS = ("one move", "reply", "next turn", "chain", "second player")  # after some moves
HEAPS = ("normal play", "misère play")  # the opponent can err, as it can on *hope*
BOARDS: tuple[tuple[str, tuple[int, ...]], ...] = (  # games and heaps, by ascending difficulty
    ("subtraction", (12,)), ("nim", (2, 3)), ("nim", (3, 4, 5)), ("misere_nim", (3, 4, 5)),
    ("kayles", (7,)),
)  # fmt: skip


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
            probe, or the one game, is truncated by it, ``make_env(game, max_cycles=...)``.
        boards: whether to train and score it on five boards, too; ``None``: where all probes are
            right. With ``probes_on`` it is not, as the boards are other games.
        seed: seed of policies that draw numbers, at least 0.
        verbose: whether the printed report has positions and moves.
        progress: whether to show a progress bar on standard error, if that is a terminal.

    Returns:
        A :class:`~nim_envs.diagnosis.Diagnosis` of a training function, a
        :class:`~nim_envs.diagnosis.GameReport` where there is one game.

    Raises:
        TypeError: neither a training function nor a policy with its game; ``probes_on`` is no
            ``nim_envs.Game``; or ``train`` returned no policy.
        RuntimeError: ``train`` raised an error, which is its cause.
        InvalidPolicyError: the policy returned neither actions nor probabilities, or values of
            another shape.
        InvalidGameError: ``probes_on`` has too few positions or actions; or ``games`` or
            ``max_cycles`` is no integer of at least 1.

    Example:
        >>> from nim_envs import make_game
        >>> def first_legal(observations, action_masks):
        ...     return action_masks.argmax(axis=1)
        >>> print(diagnose(first_legal, make_game("nim", heaps=(2, 3))).line)
        Score: nim, heaps 2-3, normal play: 33.3 % of 9 positions that are not lost, random 49.4 %
    """
    for name, number in (("games", games), ("max_cycles", max_cycles)):
        if number is not None:
            checked_integer(name, number, minimum=1)
    game = getattr(train_or_policy, "game", None) if env_or_game is None else env_or_game
    if isinstance(env_or_game, str) or inspect.isroutine(env_or_game):
        raise TypeError(
            f"env_or_game must be a Game or an environment, not {env_or_game!r}: a game by name is "
            "make_game(name), and a function that returns one is called first"
        )
    if not isinstance(probes_on, Game | None):
        raise TypeError(f"probes_on must be a Game or None, not {probes_on!r}")
    if env_or_game is not None or isinstance(game, Game):
        policy: Any = train_or_policy
        if is_training(policy):
            if isinstance(game, Game):  # from any position, unless it has starts of its own
                fixed = game.starts == FixedStart()
                limit = {} if max_cycles is None else {"max_cycles": max_cycles}
                game = make_env(replace(game, starts=UniformStart()) if fixed else game, **limit)
            hint = "; what takes one argument is a training function, and a policy takes two"
            policy, _ = _learned(policy, game, games or BOARD_GAMES, "its game", hint)
        elif inspect.isroutine(policy) and (_has_games(policy) or not _takes(policy, 2, 3)):
            raise TypeError(
                f"{policy!r} takes neither an environment, as a training function does, "
                "nor observations and action masks, as a policy does"
            )
        return game_report(policy, game, seed)
    is_class = inspect.isclass(train_or_policy)
    if not callable(train_or_policy) or is_class or not _takes(train_or_policy, 1):
        raise TypeError(
            "what is diagnosed is a function train(env), whose other arguments have defaults, that "
            "returns a policy; or a policy with its game, diagnose(policy, env_or_game); not "
            f"{train_or_policy!r}"
        )
    training = _Training(train_or_policy, make_env, games or GAMES, probes_on, seed)
    trained, seen = training.trained, table.Pattern()
    with tqdm(unit="training", disable=None if progress else True) as bar:
        for versions in ((0,), (1,), (2, 3)):
            again = [
                probe for probe in training.probes
                if len(versions) == 1
                or {seen[probe.name, column] for column in probe.columns} & {"?", "~"}
            ]  # fmt: skip
            bar.total = len(trained) + len(again) * len(versions)
            for probe, version in product(again, versions):
                trained[probe, version] = training.on_probe(probe, version)
                bar.update()
                if training.oddity:
                    seen = dict.fromkeys(table.WEIGHTS, "?")
                    return _report(trained, seen, training.oddity, verbose=verbose)
            seen = table.pattern_of(_played(trained))
            if set(seen.values()) == {"+"}:
                break
    verdict, reason, names = judged(trained, seen)
    notes = () if verdict == "right" else _notes(trained)
    if max_cycles is not None:
        notes += (training.cut_in_words(max_cycles),)
    wanted = probes_on is None and (verdict == "right" if boards is None else boards)
    ladder = tuple(training.on_board(*board) for board in BOARDS if wanted)
    return _report(
        trained, seen, verdict, reason, names, notes=notes, boards=ladder, verbose=verbose
    )


def is_training(given: Any) -> bool:
    """Return whether it is a function of an environment, and perhaps of ``games``."""
    if not inspect.isroutine(given) or not _takes(given, 1):
        return False
    return _has_games(given) or not _takes(given, 2)


def _has_games(given: Any) -> bool:
    """Whether it takes the number of games."""
    with suppress(ValueError):  # a built-in function may have no signature
        return "games" in inspect.signature(given).parameters
    return False


def _takes(given: Any, *counts: int) -> bool:
    """Whether it can be called with one of these numbers of arguments, and ``games`` if it can."""
    named = {"games": 1} if _has_games(given) else {}
    for count in counts:
        with suppress(TypeError):
            with suppress(ValueError):
                inspect.signature(given).bind(*[None] * count, **named)
            return True
    return False


def _learned(train: Any, env: Any, games: int, where: str, hint: str = "") -> tuple[Any, Any]:
    """Return the policy that a training function returns, and its values or ``None``.

    Errors of the training name the game, and give a hint.
    """
    try:
        returned = train(env, games=games) if _has_games(train) else train(env)
    except Exception as error:
        hint = "" if isinstance(error, KeyError) else hint
        raise RuntimeError(
            f"training on {where} raised {type(error).__name__}: {error}{hint}"
        ) from error
    if isinstance(returned, tuple) and len(returned) == 2:
        return returned
    return returned, getattr(returned, "values", None)


class Trained(NamedTuple):
    """A policy trained on a version of a probe, as it plays in the frame of the tree."""

    chances: FloatArray  # (positions, ACTIONS)
    values: FloatArray | None  # (positions, ACTIONS) or (positions,)
    games: int | None
    seconds: float


AllTrained = dict[tuple[Probe, int], Trained]


def _played(trained: AllTrained) -> table.Played:
    """Return the moves by probe and version."""
    return {key: each.chances for key, each in trained.items()}


class _Training:
    """A training function, and what it has learned on each version of each probe."""

    def __init__(self, train: Any, make_env: Any, games: int, on: Game | None, seed: int) -> None:
        self.train, self.make_env, self.games, self.on, self.seed = train, make_env, games, on, seed
        self.probes = [p for p in PROBES if on is None or p.name not in ("sight", "scale")]
        self.repeats, self.oddity = 1, ""  # a verdict about answers that change
        self.trained: AllTrained = {}

    def on_probe(self, probe: Probe, version: int, **settings: Any) -> Trained:
        """Return what it learns on a version of a probe, in an environment with settings."""
        game = probe.version(version, self.on)
        env = self.make_env(game, **settings)
        where, count, began = f"the probe {probe.name!r}", [0], time.perf_counter()
        methods = [name for name in ("reset", "next_starts") if hasattr(env, name)]
        for name in methods:  # the second is that of compiled loops
            setattr(env, name, partial(_counting, count, name, getattr(env, name)))
        hint = "; an agent made for the observations and actions of one board needs probes_on=game"
        policy, values = _learned(self.train, env, self.games, where, hint)
        seconds = time.perf_counter() - began
        for name in methods:
            vars(env).pop(name, None)
        if not is_player(policy):
            raise TypeError(
                f"train(env) must return a policy, and on {where} it returned {policy!r}"
            )
        scored, shown = ScoredPolicy(policy, env, self.seed), probe.observed(version, self.on)
        positions = np.array([shown[name] for name in probe.tree])
        masks = game.mask(positions)

        def ask(rows: Any = slice(None)) -> FloatArray:
            return scored.action_probabilities(positions[rows], masks[rows])

        if not self.trained:
            questions = [probe.row(question) for question in probe.questions]
            self.oddity, self.repeats = _oddity(ask, questions, range(len(positions)))
        chances = np.mean([ask() for _ in range(self.repeats)], axis=0)
        if self.repeats == 1:  # the actions that it prefers
            best = (chances >= chances.max(axis=1, keepdims=True) - 1e-3) & (chances > 0)
            chances = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        order = [probe.mapped(action, version) for action in range(ACTIONS)]
        told = None
        if callable(values):
            told = _checked_values(values(*scored.shown(positions, masks)), masks, order)
        games = count[0] if count[0] > 1 else None
        games = self.games if _has_games(self.train) else games
        return Trained(chances[:, order], told, games, seconds)

    def cut_in_words(self, max_cycles: int) -> str:
        """Return how it plays the probe whose games are truncated, in a sentence."""
        probe = cut(max_cycles)
        shares = []
        for version in range(2):
            chances = self.on_probe(probe, version, max_cycles=max_cycles).chances
            shares += [chances[probe.row(q), list(q.right)].sum() for q in probe.questions]
        words = {
            "+": "right", "~": "nearly right", "?": "truncation as end: a cut counts as the end",
            "-": "the value after a cut has the wrong sign",
        }[table.letter(float(np.mean(shares)))]  # fmt: skip
        return f"Games that are cut short: {words}."

    def on_board(self, name: str, heaps: tuple[int, ...]) -> GameReport:
        """Return the exact score on a board on which it is trained."""
        env = self.make_env(make_game(name, start="uniform", heaps=heaps))
        policy, _ = _learned(self.train, env, 5 * self.games, f"the board {name} {heaps}")
        return game_report(policy, env, self.seed, self.repeats if self.repeats > 1 else None)


def _counting(count: list[int], name: str, method: Any, *arguments: Any, **named: Any) -> Any:
    """Call a method of an environment, and count the games that begin by it."""
    count[0] += arguments[0] if name == "next_starts" else 1
    return method(*arguments, **named)


def _oddity(ask: Any, questions: list[int], rows: range) -> tuple[str, int]:
    """Return a verdict about answers that change, and how often a policy has to be asked."""

    def one_by_one(rows: Iterable[int]) -> FloatArray:
        return np.array([ask([row])[0] for row in rows])

    batch = ask()
    again = np.array([one_by_one([row] * REPEATS)[1:] for row in questions])
    varying = np.ptp(again, axis=1).max(axis=1) > 1e-3
    if varying.any():
        # Random ties are even; an agent that explores or draws in play has preferences.
        means = again[varying].mean(axis=1)
        return ("stochastic" if means.max(axis=1).mean() > 0.7 else ""), REPEATS
    forwards, backwards = one_by_one(rows), one_by_one(rows[::-1])[::-1]
    if np.abs(forwards - backwards).max() > 1e-3:
        return "remembers", 1
    return ("batch" if np.abs(batch - forwards).max() > 1e-3 else ""), 1


def _checked_values(values: Any, masks: MaskArray, order: list[int]) -> FloatArray:
    """Return values of positions, or of actions in order, 0 if illegal, as these may have any."""
    answer = np.asarray(values, dtype=np.float64)
    if answer.shape == masks.shape:
        answer = np.where(masks, answer, 0.0)[:, order]
    elif answer.shape != masks.shape[:1]:
        raise InvalidPolicyError(
            f"values must be of shape {masks.shape} or {masks.shape[:1]}, not {answer.shape}"
        )
    if np.isnan(answer).any():
        raise InvalidPolicyError(
            f"{int(np.isnan(answer).sum())} values are NaN, as after a maximum over no legal "
            "action at the end of a game"
        )
    return answer


def judged(trained: AllTrained, seen: table.Pattern) -> tuple[str, str, tuple[str, ...]]:
    """Return the verdict on an agent's moves, a reason, and the names of faults that fit."""
    wrong = {key: each for key, each in seen.items() if each != "+"}
    if not wrong:
        return "right", "", ()
    fewest = min((each.games for each in trained.values() if each.games is not None), default=None)
    if fewest is not None and fewest < ENOUGH:
        return "not trained enough", f"{fewest:,} games on a probe are few", ()
    if constant := _indifferent(trained):
        return "faulty", "", constant
    if set(wrong) == {table.LEGAL}:
        return "faulty", "", ("illegal actions played",)
    played = _played(trained)
    rows = [(table.distance_of(row, played, seen), row) for row in table.ROWS]
    right, ties = rows[0][0], table.distance_of(table.IGNORANT, played, seen)
    names = _names(trained, rows, min(right, ties))
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


def _indifferent(trained: AllTrained) -> tuple[str, ...]:
    """Return the faults that fit where each training answers alike at all positions."""
    kinds = set()
    for (probe, version), (chances, *_) in trained.items():
        legal = table.board_of(probe).legal
        for allowed in np.unique(legal[legal.sum(axis=1) > 1], axis=0):
            answers = chances[(legal == allowed).all(axis=1)]
            if np.ptp(answers, axis=0).max() > 0.5:
                return ()
            mean = answers.mean(axis=0)[allowed][:: -1 if version % 2 else 1]
            ends = {0: "first", len(mean) - 1: "last"}
            kinds.add("tie" if np.ptp(mean) < 0.5 else ends.get(int(mean.argmax()), "other"))
    return INDIFFERENT if len(kinds) == 1 and "other" not in kinds else INDIFFERENT[:1]


def _names(
    trained: AllTrained, rows: list[tuple[float, table.Row | table.Look]], known: float
) -> tuple[str, ...]:
    """Return the faults of the nearest rows, if these say far more than right or tied answers.

    Rows come with their distances; ``known`` is the less of those of right and of tied answers.
    """
    faulty = [
        (far, row) for far, row in rows
        if row.faults and (isinstance(row, table.Row) or far <= SIGHT * known)
    ]  # fmt: skip
    nearest = min(far for far, _ in faulty)
    limit = max(0.3 * known, min(1.0, 0.5 * known))
    fits = [(_fit(trained, row), far, row) for far, row in faulty if far <= nearest + BY_VALUES]
    best = max(fit for fit, _, _ in fits)
    sure = best >= max(SURE, _fit(trained, rows[0][1]) + 0.1)
    if not known or nearest > (2 * limit if sure else limit):
        return ()
    near = [(fit, row) for fit, far, row in fits if far < nearest + NEAR - 1e-9]
    if best >= 0.9 and len({row.faults for _, row in near}) > 1:
        near = [(fit, row) for fit, _, row in fits if fit >= best - 0.02]
    # Rows are dropped whose values fit at less than half the places of another's.
    half = max(fit for fit, _ in near) / 2
    return tuple(dict.fromkeys(name for fit, row in near if fit >= half for name in row.faults))


def _fit(trained: AllTrained, row: table.Row | table.Look) -> float:
    """Return the share of values within :data:`FIT` of a row's, at the discount that fits best."""
    first = [(probe, each.values) for (probe, version), each in trained.items() if not version]
    shares = [0.0]
    for discount in (1.0, 0.95, 0.9, 0.8):
        right = []
        for probe, values in first:
            if values is not None and isinstance(row, table.Row):
                expected, legal = table.solution(row, probe, discount), table.board_of(probe).legal
                if values.ndim == 1:
                    expected = np.where(legal, expected, -np.inf).max(axis=1)
                    legal = np.asarray(legal.any(axis=1))
                right.append((np.abs(expected - values) < FIT)[legal])
        shares += [float(np.concatenate(right).mean())] if right else []
    return max(shares)


def _notes(trained: AllTrained) -> tuple[str, ...]:
    """Return a sentence about values that diverge or never move, if they do."""
    values = [each.values for each in trained.values() if each.values is not None]
    if not values:
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


def _report(
    trained: AllTrained, seen: table.Pattern, verdict: str, reason: str = "",
    names: tuple[str, ...] = (), **more: Any,
) -> Diagnosis:  # fmt: skip
    """Return the report."""
    results = []
    for probe in dict.fromkeys(probe for probe, _ in trained):
        of_probe = [each for (one, _), each in trained.items() if one is probe]
        letters = {column: seen[probe.name, column] for column in probe.columns}
        moves, values = [], of_probe[0].values
        for question in probe.questions:
            row = probe.row(question)
            played = ", ".join("/".join(f"{p:.2g}" for p in each.chances[row]) for each in of_probe)
            told = "" if values is None else f"; values {np.round(values[row], 2).tolist()}"
            where = f"  {probe.name}, {question.position}: right {sorted(question.right)}"
            moves.append(f"{where}, played {played}{told}")
        results.append(ProbeResult(
            probe.name, letters, _in_words(probe, letters), of_probe[0].games,
            sum(each.seconds for each in of_probe), len(of_probe), tuple(moves),
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
