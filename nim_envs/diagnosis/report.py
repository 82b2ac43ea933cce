"""The reports of diagnoses."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from nim_envs.diagnosis.faults import Fault
from nim_envs.errors import InvalidPositionError
from nim_envs.game import PLAYERS
from nim_envs.graph import LARGEST_TABLE
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.scoring import optimality
from nim_envs.starts import as_start

VERDICTS = {
    "right": "right on every probe",
    "right, but": "right, but {reason}",
    "faulty": "faulty",
    "not in the list": "faulty, with a fault that is not in the list: {reason}",
    "not trained enough": "not trained enough to tell: {reason}",
    "stochastic": "the policy is stochastic: return probabilities, or its most probable action",
    "batch": "the policy answers differently in a batch, by statistics of the batch",
    "remembers": "the policy remembers earlier calls: it answers otherwise in another order",
}
"""The verdicts, and what the report says."""

REMEDY = (
    "more games; with a table, less exploration and smaller steps towards the end; with a network, "
    "a larger one or other features"
)

MOST_SHOWN = 12  # distances to the end that a report shows
LINES = 16  # of a report that is not verbose, at most


@dataclass(frozen=True)
class ProbeResult:
    """How an agent plays a probe.

    Attributes:
        name: name of the probe.
        letters: a letter for each column: ``+`` right, ``~`` nearly, ``?`` a tie or noise, ``-``
            the opposite.
        words: how it fails, in words; empty where all is right.
        games: games of one training; ``None`` where they could not be counted.
        seconds: seconds of all trainings.
        trainings: number of trainings.
        moves: a line for each question, shown by ``verbose=True``.
    """

    name: str
    letters: dict[str, str]
    words: str
    games: int | None
    seconds: float
    trainings: int
    moves: tuple[str, ...] = field(default=(), repr=False)

    @property
    def right(self) -> bool:
        """Whether all columns are right."""
        return set(self.letters.values()) <= {"+"}


@dataclass(frozen=True)
class GameReport:
    """Exact score of a policy on one game, where no fault is named; printed as a report.

    Attributes:
        game: the game in short.
        percent: share of right moves over the positions that are not lost, in percent.
        random_percent: the same of random moves.
        illegal_percent: mean probability of an illegal move, in percent.
        count: number of positions that are scored.
        by_seat: percent of right moves, by seat.
        by_value: percent of right moves at won and at drawn positions.
        by_distance: percent of right moves by moves to the end when the winner hurries and the
            loser delays, -1 where drawn; empty where positions are too many to list.
        worst: sentences about positions where a wrong move is the most probable, at most three.
    """

    game: str
    percent: float
    random_percent: float
    illegal_percent: float
    count: int
    by_seat: dict[str, float]
    by_value: dict[str, float]
    by_distance: dict[int, float]
    worst: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The score in one line."""
        illegal = f", illegal {self.illegal_percent:.1f} %" if self.illegal_percent else ""
        return (
            f"Score: {self.game}: {self.percent:.1f} % of {self.count} positions that are not "
            f"lost, random {self.random_percent:.1f} %{illegal}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the report, at most eight lines."""
        lines = [self.line]
        far: dict[Any, float] = {"drawn" if d < 0 else d: p for d, p in self.by_distance.items()}
        for title, scores in (
            ("By seat", self.by_seat), ("By value", self.by_value), ("By moves to the end", far),
        ):  # fmt: skip
            cells = [f"{name} {percent:.1f} %" for name, percent in scores.items()]
            cells[MOST_SHOWN:] = ["…"] * (len(cells) > MOST_SHOWN)
            lines += [f"{title}: {', '.join(cells)}"] if cells else []
        lines += [f"Worst: {sentence}" for sentence in self.worst]
        if self.percent < 99.995 or self.illegal_percent:
            lines.append(
                "On one game no fault is named. Where diagnose(train) finds all probes right: "
                + REMEDY
            )
        return "\n".join(lines)


def game_report(
    policy: Any, env_or_game: Any, seed: int = 0, samples: int | None = None
) -> GameReport:
    """Return the exact score of a policy on its game, in all and in parts, and its worst moves.

    Arguments are those of :func:`nim_envs.optimality`.
    """

    def score_at(positions: Any, **arguments: Any) -> Any:
        return optimality(policy, env_or_game, positions, samples=samples, seed=seed, **arguments)

    scored = ScoredPolicy(policy, env_or_game, seed)
    game = scored.game
    is_listed = game.board.num_positions * game.board.num_actions <= LARGEST_TABLE
    score = score_at("all", by_distance=is_listed)
    by_seat = {name: each.percent for name in PLAYERS if (each := score_at(name)).count}
    by_value = {}
    if score.decisive is not None:
        for title, start in (("won", "n_position"), ("drawn", "draw_position")):
            with suppress(InvalidPositionError):
                by_value[title] = score_at(as_start(start).sampler(game).support()[0]).percent
    worst = sorted(score.blunders.tolist(), key=sum)[:3]
    return GameReport(
        game.summary, score.percent, score.random_percent, score.illegal_percent,
        score.count, by_seat, by_value, score.by_distance or {},
        tuple(_blunder(scored, tuple(each)) for each in worst),
    )  # fmt: skip


def _blunder(scored: ScoredPolicy, position: tuple[int, ...]) -> str:
    """Return a sentence about a position where the most probable move is wrong."""
    game, positions = scored.game, np.array([position])
    mask = game.mask(positions)
    chances = scored.action_probabilities(positions, mask)[0]
    action, where = int(chances.argmax()), "-".join(map(str, position))
    if not mask[0, action] or not chances.any():
        return f"at {where} it plays illegal action {action}"
    right = int(game.solution.keeping_actions(position)[0])
    played, better = (game.describe(each, position) for each in (action, right))
    return f"at {where} it plays {played}; right is {better}"


@dataclass(frozen=True)
class Diagnosis:
    """Verdict on a training function; printed as a report.

    Attributes:
        verdict: a key of :data:`VERDICTS`.
        reason: why, where the verdict needs it.
        faults: the faults that fit, as near as one another.
        probes: how it plays each probe.
        notes: sentences about values, and about truncated games.
        boards: exact scores on five boards, where they were asked for or all probes are right.
        verbose: whether the printed report has positions and moves.
    """

    verdict: str
    reason: str
    faults: tuple[Fault, ...]
    probes: tuple[ProbeResult, ...]
    notes: tuple[str, ...] = ()
    boards: tuple[GameReport, ...] = ()
    verbose: bool = field(default=False, repr=False)

    @property
    def ladder(self) -> str:
        """A sentence on the scores on the five boards."""
        low = [each for each in self.boards if each.percent < 99.995]
        chance = [each for each in low if each.percent < each.random_percent + 10]
        if not low:
            return "Right on all boards, too."
        if chance:
            where = "all boards" if len(chance) == len(self.boards) else chance[0].game
            return f"No better than random on {where}: too few games, or it does not see them."
        return f"Below 100 % from {low[0].game} on: {REMEDY}."

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON."""
        return {**asdict(self), "faults": [fault._asdict() for fault in self.faults]}

    def __str__(self) -> str:
        """Return the report, at most sixteen lines unless it is verbose."""
        lines = [f"Verdict: {VERDICTS[self.verdict].format(reason=self.reason)}"]
        if self.faults:
            lines.append(f"Fault: {', or '.join(fault.name for fault in self.faults)}")
            lines.append(f"  {self.faults[0].meaning} Look at {self.faults[0].look_at}.")
        lines += self.notes
        right = ", ".join(probe.name for probe in self.probes if probe.right)
        lines += [f"Right: {right}"] if right else []
        wrong = [f"{probe.name}: {probe.words}" for probe in self.probes if not probe.right]
        ends = [*(board.line for board in self.boards), *([self.ladder] if self.boards else [])]
        seconds = sum(probe.seconds for probe in self.probes)
        games = sorted({f"{probe.games:,}" for probe in self.probes if probe.games is not None})
        counted = " to ".join(dict.fromkeys([games[0], games[-1]])) if games else "uncounted"
        trainings = sum(probe.trainings for probe in self.probes)
        ends.append(f"Trained {trainings} times, {counted} games each, {seconds:.1f} s in all")
        room = LINES - len(lines) - len(ends)
        if self.verbose:
            wrong += [line for probe in self.probes for line in probe.moves]
        elif len(wrong) > room:
            left = len(wrong) - room + 1
            wrong[room - 1 :] = [f"and {left} other probes, which verbose=True shows"]
        return "\n".join([*lines, *wrong, *ends])
