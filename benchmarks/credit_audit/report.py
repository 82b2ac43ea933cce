"""The page of the audit, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata

from benchmarks.credit_audit.conclusions import CONCLUSIONS
from benchmarks.credit_audit.functions import CREDIT_FUNCTIONS, NOT_CALLED
from benchmarks.credit_audit.games import GROUP, SETTINGS
from benchmarks.credit_audit.measurements import EXACT, STEPS, Measurement
from benchmarks.report import machine, table
from benchmarks.turn_credit.report import span

DRAWS = 3
"""Policies of each kind, random and half-trained."""

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
