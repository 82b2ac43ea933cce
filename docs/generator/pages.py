"""The pages of the manual that are made from the project itself; run by mkdocs.

The front page is the README. Each registered game has a page, with its picture, its spaces and
its truth computed on the spot, and with what learners reached, read from docs/results: the
optimality.csv that `python -m benchmarks.optimality` writes, copied there.
Every module has a page. Tutorials are the files of docs/tutorials.
"""

from __future__ import annotations

import csv
import inspect
import re
from pathlib import Path
from typing import Any

import mkdocs_gen_files
import numpy as np
import pettingzoo
from tabulate import tabulate

from agents.registry import LEARNERS
from benchmarks.optimality import GAMES as SETTINGS
from benchmarks.pictures import frames_of, gif
from nim_envs import Convention, Game, GameEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.registration import GAMES, aec_id, gymnasium_id

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results" / "optimality.csv"
PACKAGES = ("nim_envs", "agents", "benchmarks")

LOSERS = {
    Convention.NORMAL: "whoever cannot move loses (normal play)",
    Convention.MISERE: "whoever makes the last move loses (misère play)",
}
COMMON = (
    ("start", '"fixed"', "where games start"),
    ("encoding", '"integer"', "how positions are observed"),
    ("illegal_move", '"forfeit"', "what an illegal move does"),
    ("max_cycles", "None", "most moves of each player"),
    ("render_mode", "None", "`human`, `rgb_array` or `ansi`"),
    ("show_winning_moves", "False", "whether pictures mark the winning moves"),
)


def write(path: str, text: str) -> None:
    """Add a page."""
    with mkdocs_gen_files.open(path, "w") as page:
        page.write(text)


def table(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Return a table in Markdown; what is text stays as it is."""
    return str(tabulate(rows, header, tablefmt="github", floatfmt=".1f", disable_numparse=True))


def title(name: str) -> str:
    """Return the name of a game as a heading, as the docstring of its rules calls it."""
    row = GAMES[name]
    found = re.match(r"Rules of (?:an? |the )?([^:.(]+)", inspect.getdoc(row.rules) or "")
    words = found[1].strip() if found else name.replace("_", " ")
    twin = any(other.rules is row.rules and not other.misere for other in GAMES.values())
    return f"Misère {words}" if row.misere and twin else words[0].upper() + words[1:]


def truth(game: Game) -> str:
    """Return in words who wins and how that is known."""
    start = np.array(game.rules.initial)
    solution = game.solution
    actions = solution.winning_actions(start).tolist()
    moves = "; ".join(game.rules.describe_action(action, start) for action in actions)
    who = f"**first** player wins: {moves}" if actions else "**second** player wins"
    lines = [
        f"With the arguments above {LOSERS[game.convention]}, and the {who}.",
        f"Solved by: {solution.method}.",
    ]
    try:
        positions = game.rules.lattice(200_000)
    except SearchTooLargeError:
        return "\n\n".join(lines)
    positions = positions[~game.rules.is_terminal(positions)]
    winning = int(solution.is_winning(positions).sum())
    share = 100 * winning / len(positions)
    lines.append(
        f"Of the {len(positions)} positions that leave a move, {winning} are N-positions "
        f"({share:.1f} %): the player to move can win there."
    )
    return "\n\n".join(lines)


def results(name: str) -> str:
    """Return what learners reached on a game, out of the benchmark's file."""
    if not RESULTS.exists():
        return ""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [
            row for row in csv.DictReader(file)
            if row["game"] in SETTINGS and SETTINGS[row["game"]].name == name
        ]  # fmt: skip
    if not rows:
        return ""
    parts = [
        "## What learners reach\n\nPrinted by `python -m benchmarks.optimality`: the share of "
        "N-positions at which a winning move is played, over the seeds the mean, the lowest and "
        "the highest; and how many positions count. A learner with a table for each seat is "
        "scored by seat, over the positions that it can face.\n"
    ]
    for setting in dict.fromkeys(row["game"] for row in rows):
        arguments = ", ".join(f"{key}={value!r}" for key, value in
                              SETTINGS[setting].arguments.items())  # fmt: skip
        columns = ("optimality %", "lowest", "highest")
        shown = [
            (row["learner"], row["games"], *(f"{float(row[key]):.1f}" for key in columns),
             row["of"])
            for row in rows if row["game"] == setting
        ]  # fmt: skip
        header = ("learner", "games", "mean %", "lowest", "highest", "positions")
        parts.append(f"### {setting}\n\n`{arguments}`\n\n{table(header, shown)}\n")
    return "\n".join(parts)


def game_page(name: str) -> None:
    """Write the page and the picture of a registered game."""
    row = GAMES[name]
    env = pettingzoo.make("aec", aec_id(name)).unwrapped
    assert isinstance(env, GameEnv)
    with mkdocs_gen_files.open(f"games/{name}.gif", "wb") as picture:
        picture.write(gif(frames_of(name)))
    defaults = {**row.defaults, "misere": row.misere}
    arguments = [(f"`{key}`", f"`{value!r}`", "of the rules, below")
                 for key, value in defaults.items() if key != "misere"]  # fmt: skip
    arguments.append(("`misere`", f"`{row.misere!r}`", "whether the last mover loses"))
    arguments += [(f"`{key}`", f"`{value}`", words) for key, value, words in COMMON]
    rules = f"{inspect.getmodule(row.rules).__name__}.{row.rules.__name__}"
    observation = env.observation_space("player_0")
    spaces = [
        ("`observation`", f"`{observation['observation']}`"),
        ("`action_mask`", f"`{observation['action_mask']}`"),
        ("actions", f"`{env.action_space('player_0')}`"),
    ]
    winning = "The optimal player plays first, against a random one; winning moves are green."
    write(
        f"games/{name}.md",
        f"""# {title(name)}

![A game of {title(name)}]({name}.gif){{ width="520" }}

{winning}

{
            table(
                ("library", "id"),
                [
                    ("PettingZoo", f"`{aec_id(name)}`"),
                    ("Gymnasium", f"`{gymnasium_id(name)}`, also batched"),
                ],
            )
        }

## Arguments

{table(("argument", "default", "what it is"), arguments)}

## Spaces

{table(("", "space"), spaces)}

`action = component * options + option`. More in <autoref identifier="nim_envs.envs.aec.GameEnv">the
environment's page</autoref>.

## Theory

{truth(env.game)}

{results(name)}

## Rules

::: {rules}
    options:
      heading_level: 3
      skip_local_inventory: true
""",
    )


def learners_page() -> None:
    """Write the page of all learners: what each is, its rule, and the names it has."""
    parts = [
        "# Learners\n\nEach is one file of `agents/learners`, whose page in the reference has the "
        "source of its rule. s is a position, a a move, s' the next position, r the reward, γ the "
        "discount and α the learning rate. Names are those of the command line "
        "(`python -m agents train --learner NAME`) and of the benchmarks, where the learner is "
        "made with the arguments beside the name.\n"
    ]
    by_class: dict[Any, dict[str, Any]] = {}
    for name, row in LEARNERS.items():
        by_class.setdefault(row.learner, {})[name] = row
    for cls, rows in by_class.items():
        link = f'<autoref identifier="{cls.__module__}.{cls.__name__}">{cls.__name__}</autoref>'
        looks = "It knows the rules, and looks one move ahead by them." if cls.looks_ahead else ""
        names = []
        for name, row in rows.items():
            arguments = ", ".join(f"{key}={value!r}" for key, value in row.arguments.items())
            each = ", one for each player" if row.one_for_each_seat else ""
            names.append(f"- `{name}`" + (f": `{arguments}`" if arguments else "") + each)
        summary = (inspect.getdoc(cls) or "").partition("\n")[0]
        formula = re.sub(r"([*\[\]])", r"\\\1", next(iter(rows.values())).formula)
        parts.append(f"## {link}\n\n{summary} {looks}\n\n> {formula}\n\n" + "\n".join(names) + "\n")
    write("learners.md", "\n".join(parts))


def root_page(source: str, page: str) -> None:
    """Write a file of the repository's root as a page, its links as they are in the manual."""
    text = (ROOT / source).read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->\n", "", text).replace("(CONTRIBUTING.md)", "(contributing.md)")
    write(page, re.sub(r"\(docs/([^)]*\.(?:gif|md|svg))\)", r"(\1)", text))


def reference() -> list[str]:
    """Write a page for each module; return the lines of the navigation."""
    lines = []
    for package in PACKAGES:
        lines.append(f"    * [{package}](reference/{package}/index.md)")
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[-1] == "__main__":
                continue
            page = Path("reference", *parts).with_suffix(".md")
            if parts[-1] == "__init__":
                parts, page = parts[:-1], page.with_name("index.md")
            write(
                page.as_posix(),
                f"::: {'.'.join(parts)}\n    options:\n      heading_level: 1\n"
                "      show_root_full_path: true\n",
            )
            if len(parts) > 1:
                indent = "    " * len(parts)
                lines.append(f"{indent}* [{parts[-1]}]({page.as_posix()})")
    return lines


def tutorials() -> list[str]:
    """Return the lines of the navigation to the tutorials, by their own headings."""
    lines = []
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
        heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        name = heading[1] if heading else path.stem.replace("_", " ")
        lines.append(f"    * [{name}](tutorials/{path.name})")
    return lines


root_page("README.md", "index.md")
root_page("CONTRIBUTING.md", "contributing.md")
for registered in GAMES:
    game_page(registered)
learners_page()
overview = [
    (f"[{title(name)}]({name}.md)", f"`{aec_id(name)}`", f"`{gymnasium_id(name)}`")
    for name in GAMES
]
write("games/index.md", f"# Games\n\n{table(('game', 'PettingZoo', 'Gymnasium'), overview)}\n")
navigation = ["* [nim_envs](index.md)", "* [Games](games/index.md)"]
navigation += [f"    * [{title(name)}](games/{name}.md)" for name in GAMES]
navigation += ["* [Learners](learners.md)"]
tutorial_lines = tutorials()
if tutorial_lines:
    navigation += ["* Tutorials", *tutorial_lines]
navigation += ["* [Misère quotients](misere_quotients.md)"]
navigation += ["* [Architecture](architecture.md)", "* [Contributing](contributing.md)"]
navigation += ["* Reference", *reference()]
write("SUMMARY.md", "\n".join(navigation) + "\n")
