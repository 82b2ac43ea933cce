"""The result of a diagnosis, and its report."""

from __future__ import annotations

import math
from dataclasses import dataclass

VERDICTS = {
    "right": "right: every move wins where one can",
    "faulty": "faulty",
    "unseen": "a part of the game was never learned: the data, or a fault",
    "unclear": "not trained enough to tell: its moves resemble those of a fault, as moves of "
    "networks that have learned little may",
    "unfinished": "no known fault fits: it plays as a right agent does that is partly trained",
    "unknown": "nothing known fits, and it plays worse than at random",
    "untrained": "not trained enough to tell, or on data that never showed most positions",
}
"""The verdicts, and their texts."""

RIGHT_BY_OUTCOME = "right: every move keeps a win, or a draw, where there is one to keep"
"""Text of the verdict *right* on games with an outcome of their own."""

LINES = 15
"""Most lines of a report without evidence."""


@dataclass(frozen=True)
class Finding:
    """A fault, compared with moves and values.

    Attributes:
        name: name of the fault.
        meaning: what it is, and where to look.
        log_odds: natural logarithm of how many times more probable moves and values are with this
            fault than for a right, partly trained agent.
        next_fault: name of the next fault that fits; ``None``: none does.
        next_log_odds: the same compared with that fault; infinite where none fits.
        evidence: counts and positions, a line each.
    """

    name: str
    meaning: str
    log_odds: float
    next_fault: str | None
    next_log_odds: float
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """The score of the policy in one game.

    Attributes:
        game: the game, in short.
        percent: mean probability of a right move over all N-positions, in percent; in games with
            an outcome of their own over all positions with a move that are not lost.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move over all positions, in percent.
        count: number of these positions.
        has_outcome: whether the game has an outcome of its own.
    """

    game: str
    percent: float
    random_percent: float
    illegal_percent: float
    count: int
    has_outcome: bool = False

    def __str__(self) -> str:
        """Return the score in one line."""
        illegal = f", illegal {self.illegal_percent:.1f} %" if self.illegal_percent else ""
        counted = counted_positions(self.has_outcome)
        return (
            f"{self.game}: {self.percent:.1f} % of {self.count} {counted}, "
            f"random {self.random_percent:.1f} %{illegal}"
        )


@dataclass(frozen=True)
class Diagnosis:
    """Result of a diagnosis: the faults that fit a policy; printed as a report.

    Attributes:
        verdict: a key of :data:`VERDICTS`.
        faults: the faults that fit and cannot be told apart, the most probable first.
        undecided: names of the faults that the evidence neither shows nor excludes.
        excluded: names of the faults that would show in the evidence, and do not.
        scores: the score in each game.
        with_values: whether there were values besides the moves.
        verbose: whether the printed report has the evidence.
    """

    verdict: str
    faults: tuple[Finding, ...]
    undecided: tuple[str, ...]
    excluded: tuple[str, ...]
    scores: tuple[Score, ...]
    with_values: bool = False
    verbose: bool = False

    def __repr__(self) -> str:
        """Return the verdict and the names of the faults."""
        names = ", ".join(finding.name for finding in self.faults)
        return f"Diagnosis({self.verdict!r}{': ' if names else ''}{names})"

    def __str__(self) -> str:
        """Return the report, at most 15 lines without the evidence."""
        right_by_outcome = self.verdict == "right" and any(s.has_outcome for s in self.scores)
        lines = [f"Verdict: {RIGHT_BY_OUTCOME if right_by_outcome else VERDICTS[self.verdict]}"]
        if self.faults:
            first, *others = self.faults
            lines += [f"Most probable fault: {first.name}", f"  {first.meaning}"]
            lines += [f"  odds: {_against(first)}", *self._evidence_of(first)]
            if others:
                rest = ", ".join(finding.name for finding in others)
                lines.append(f"Cannot tell {first.name} from {rest}")
                if self.verbose:
                    lines += [f"  {others[0].meaning}", *self._evidence_of(others[0])]
        games = [f"Score: {score}" for score in self.scores]
        left = LINES - len(lines) - 2
        lines += games if self.verbose or len(games) <= left else [
            *games[: left - 1], f"and {len(games) - left + 1} other games"
        ]  # fmt: skip
        why = "" if self.with_values else " (moves alone do not show all of them: return values)"
        for title, names in ((f"Undecided{why}", self.undecided), ("Excluded", self.excluded)):
            if names:
                lines.append(f"{title}: {', '.join(names)}")
        return "\n".join(lines)

    def _evidence_of(self, finding: Finding) -> list[str]:
        """Return the lines of the evidence for a fault, none unless the report is to have it."""
        return [f"  {line}" for line in finding.evidence if self.verbose]


def counted_positions(has_outcome: bool) -> str:
    """Return the name of the positions that scores count."""
    return "positions that are not lost" if has_outcome else "N-positions"


def _against(finding: Finding) -> str:
    """Return the odds of a finding against a right agent and against the next fault."""
    text = f"{_odds(finding.log_odds)} against a right agent that is partly trained"
    if finding.next_fault is None:
        return f"{text}; no other known fault fits"
    return f"{text}, {_odds(finding.next_log_odds)} against {finding.next_fault}"


def _odds(log_odds: float) -> str:
    """Return odds as a number, or as a power of ten."""
    if log_odds < math.log(1000):
        return f"{math.exp(log_odds):.3g} to 1"
    return f"{power_of_ten(log_odds)} to 1"


def power_of_ten(log_odds: float) -> str:
    """Return odds, given by their natural logarithm, as a power of ten."""
    return f"10^{math.floor(log_odds / math.log(10))}"
