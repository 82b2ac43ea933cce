"""A quotient as text."""

from tabulate import tabulate

from agents.research.quotients.heap_periods import classes_of_states, periods
from agents.research.quotients.quotient import Quotient

MOST_ROWS = 60
"""Most classes listed."""


def quotient_in_words(quotient: Quotient, proof: str | None, refuted: str | None) -> str:
    """Return classes, sums with each generator, classes of states and the proof, as text."""
    parts = quotient.parts
    names = [parts.name(word) for word in quotient.words]
    generators = list(dict.fromkeys(element for element in quotient.elements if element))
    rows = [["class", "lost", *(f"+ {names[element]}" for element in generators)]]
    for element, name in enumerate(names[:MOST_ROWS]):
        sums = (names[quotient.products[element, step]] for step in generators)
        rows.append([name, "lost" if quotient.lost[element] else "", *sums])
    lines = [
        f"{quotient.order} classes, named by their shortest positions:",
        tabulate(rows, tablefmt="plain", disable_numparse=True),
    ]
    if quotient.order > MOST_ROWS:
        lines.append(f"and {quotient.order - MOST_ROWS} more")
    for index, kind in enumerate(parts.kinds):
        classes = (names[element] for element in classes_of_states(quotient, index))
        lines.append(f"states 0, 1, ... of {parts.kind_name(index)}: {', '.join(classes)}")
        if kind.states > len(classes_of_states(quotient, index)):
            lines.append("not all are learned yet")
    for period in periods(quotient, proof is not None):
        says = "proved" if period.refuted is None else f"not proved: {period.refuted}"
        lines.append(f"{period.in_words} ({says})")
    lines.append(f"proved: {proof}" if proof else f"not proved{f': {refuted}' if refuted else ''}")
    return "\n".join(lines)
