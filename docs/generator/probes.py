"""Pictures of the probe games: python -m docs.generator.probes writes docs/images/probes/."""

from pathlib import Path
from xml.sax.saxutils import escape

from nim_envs.diagnosis import PROBES, Probe
from nim_envs.diagnosis.probes import ENDS

FOLDER = Path(__file__).parents[1] / "images" / "probes"
STEP, ROW, LEFT, TOP = 38, 22, 12, 18
COLORS = {1: "#2a8f4f", 0: "#888888", -1: "#c2443c"}
WORDS = {1: "win", 0: "draw", -1: "loss"}


def picture(probe: Probe) -> str:
    """Return the moves after the first question of a probe as SVG, for who is asked there.

    The right action is a thick line; positions with the other player to move are hollow.
    """
    question = probe.questions[-1 if probe.name == "mask" else 0]
    parts: list[str] = []
    row, width, asked = 0, 0, int(probe.name == "second player")

    def draw(name: str, depth: int) -> float:
        """Draw a position and those after it, and return its height."""
        nonlocal row, width
        x = LEFT + depth * STEP
        if name in ENDS:
            height, row, width = TOP + row * ROW, row + 1, max(width, x + 30)
            value = ENDS[name] if depth % 2 == asked else -ENDS[name]
            parts.append(
                f'<text x="{x - 6}" y="{height + 4}" fill="{COLORS[value]}">{WORDS[value]}</text>'
            )
            return height
        first = len(parts)
        ends = {a: draw(to, depth + 1) for a, to in sorted(probe.tree[name].items())}
        y = sum(ends.values()) / len(ends)
        for action, end in ends.items():
            thick = 4 if name == question.position and action in question.right else 1.5
            parts.insert(first, (
                f'<line x1="{x}" y1="{y}" x2="{x + STEP - 12}" y2="{end}" stroke="#888" '
                f'stroke-width="{thick}"/>'
            ))  # fmt: skip
        fill = "#888" if depth % 2 == asked else "white"
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill="{fill}" stroke="#888"/>')
        return y

    draw(probe.starts[0] if asked else question.position, 0)
    if probe.looks and "-" in question.position:
        parts.append(f'<text x="2" y="12" fill="#888">{escape(question.position)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{8 + row * ROW}" '
        f'font-family="sans-serif" font-size="13">{"".join(parts)}</svg>\n'
    )


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for probe in PROBES:
        name = probe.name.replace(" ", "_").replace("è", "e")
        (FOLDER / f"{name}.svg").write_text(picture(probe), encoding="utf-8")


if __name__ == "__main__":
    main()
