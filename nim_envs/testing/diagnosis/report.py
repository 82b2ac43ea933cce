"""The report of a diagnosis."""

from __future__ import annotations

import math
from dataclasses import dataclass

VERDICTS = {
    "right": "right: every move wins where one can",
    "faulty": "faulty",
    "unseen": "a part of the game was never learned: the data, or a fault",
    "unfinished": "no known fault fits: it plays as a right agent does that is partly trained",
    "unknown": "nothing known fits, and it plays worse than at random",
    "untrained": "not trained enough to tell, or on data that never showed most positions",
}
"""The verdicts, and what they say."""

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
        percent: mean probability of a winning move over all N-positions, in percent.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move over all positions, in percent.
        count: number of N-positions.
    """

    game: str
    percent: float
    random_percent: float
    illegal_percent: float
    count: int

    def __str__(self) -> str:
        """Return the score in one line."""
        illegal = f", illegal {self.illegal_percent:.1f} %" if self.illegal_percent else ""
        return (
            f"{self.game}: {self.percent:.1f} % of {self.count} N-positions, "
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
        lines = [f"Verdict: {VERDICTS[self.verdict]}"]
        for number, finding in enumerate(self.faults[:2]):
            if number:
                rest = ", ".join(each.name for each in self.faults[1:])
                lines.append(f"Cannot tell {self.faults[0].name} from {rest}")
            else:
                lines.append(f"Most probable fault: {finding.name}")
            if not number or self.verbose:
                lines.append(f"  {finding.meaning}")
            if not number:
                lines.append(f"  odds: {_against(finding)}")
            if self.verbose:
                lines += [f"  {line}" for line in finding.evidence]
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


def _against(finding: Finding) -> str:
    """Return the odds of a finding, and what against."""
    text = f"{_odds(finding.log_odds)} against a right agent that is partly trained"
    if finding.next_fault is None:
        return f"{text}; no other known fault fits"
    return f"{text}, {_odds(finding.next_log_odds)} against {finding.next_fault}"


def _odds(log_odds: float) -> str:
    """Return odds as a number, or as a power of ten."""
    if log_odds < math.log(1000):
        return f"{math.exp(log_odds):.3g} to 1"
    return f"10^{math.floor(log_odds / math.log(10))} to 1"
