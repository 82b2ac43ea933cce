"""The report of a diagnosis."""

from __future__ import annotations

import math
from dataclasses import dataclass

VERDICTS = {
    "right": "right: every move wins where one can",
    "faulty": "faulty",
    "unfinished": "no known fault fits: it plays as a right agent does that is partly trained",
    "unknown": "nothing known fits, and it plays worse than at random",
    "untrained": "not trained enough to tell",
}
"""The verdicts, and what they say."""


@dataclass(frozen=True)
class Finding:
    """A fault, compared with the moves.

    Attributes:
        name: name of the fault.
        meaning: what it is, and where to look.
        log_odds: natural logarithm of how many times more probable the moves are with this fault
            than for a right, partly trained agent.
        evidence: counts and positions, a line each.
    """

    name: str
    meaning: str
    log_odds: float
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
        faults: the faults that fit, the most probable first.
        undecided: names of the faults that the moves neither show nor exclude.
        excluded: names of the faults that the moves exclude.
        scores: the score in each game.
    """

    verdict: str
    faults: tuple[Finding, ...]
    undecided: tuple[str, ...]
    excluded: tuple[str, ...]
    scores: tuple[Score, ...]

    def __repr__(self) -> str:
        """Return the verdict and the names of the faults."""
        names = ", ".join(finding.name for finding in self.faults)
        return f"Diagnosis({self.verdict!r}{': ' if names else ''}{names})"

    def __str__(self) -> str:
        """Return the report, some lines of text."""
        lines = [f"Verdict: {VERDICTS[self.verdict]}"]
        for number, finding in enumerate(self.faults):
            lead = "Most probable fault" if not number else "Fits, too"
            lines += [
                f"{lead}: {finding.name}",
                f"  {finding.meaning}",
                f"  odds against a right, partly trained agent: {_odds(finding.log_odds)}",
                *(f"  {line}" for line in finding.evidence),
            ]
        lines += [f"Score: {score}" for score in self.scores]
        for title, names in (("Undecided", self.undecided), ("Excluded", self.excluded)):
            if names:
                lines.append(f"{title}: {', '.join(names)}")
        return "\n".join(lines)


def _odds(log_odds: float) -> str:
    """Return odds as a power of ten."""
    return f"10^{math.floor(log_odds / math.log(10))} to 1"
