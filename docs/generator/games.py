"""A page for each registered game: rules, a game, ids, arguments, code, theory, results.

All of it comes from the game: its rules' docstring, its solution, and the committed results.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from typing import Any, cast

import numpy as np

from benchmarks.pictures import frames_of, gif, moves_of
from docs.generator import play, results
from docs.generator.markdown import (
    OFTEN,
    code,
    described,
    filled,
    linked,
    paragraphs,
    references,
    table,
    words,
    write,
)
from nim_envs import Convention, Game, GameEnv
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.registration import GAMES, aec_id, gymnasium_id, make_aec, make_game
from nim_envs.render.frame import Frame, png
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene
from nim_envs.render.words import position_in_words
from nim_envs.theory import grundy_values

WINNERS = {
    Convention.NORMAL: "The player who makes the last move wins: if you cannot move, you lose "
    "(*normal play*).",
    Convention.MISERE: "The player who makes the last move loses: if you cannot move, you win "
    "(*misère play*).",
}

SECTIONS = {
    **dict.fromkeys(("Wythoff", "Moore", "Whinihan", "Gale"), "games-of-one-piece"),
    "quotient": "misere-quotients",
    "Bouton": "boutons-theorem",
    "Sprague": "sprague-and-grundy",
    "Ferguson": "misere-play",
    "tame": "misere-play",
    "misère": "misere-play",
    "search": "search",
}
"""Anchors of methods on the theory page, by a word of the method's name."""

LIBRARIES = {"PettingZoo": GameEnv, "Gymnasium": VersusEnv, "batched": VectorGameEnv}
"""The classes of environments, whose docstrings describe their arguments."""

THUMBNAIL = (300, 250)
"""Width and height from which the pictures of cards are cut, in pixels."""

SHOWN_ACTIONS = 6
"""Actions that are listed, at each end, of a board with many."""

LONGEST_VALUES = 16
"""Largest heap whose Grundy value is listed."""


def title(name: str) -> str:
    """Return the name of a game as a heading, as the docstring of its rules calls it."""
    row = GAMES[name]
    found = re.match(r"Rules of (?:an? |the )?([^:.(]+)", words(row.constructor)[0])
    called = found[1].strip() if found else name.replace("_", " ")
    twin = any(
        other.constructor is row.constructor and not other.misere for other in GAMES.values()
    )
    return f"Misère {called}" if row.misere and twin else called[0].upper() + called[1:]


def rules(name: str) -> list[str]:
    """Return the rules in words: first a move of the game, last who wins."""
    constructor = GAMES[name].constructor
    first, *others = (linked(text, constructor.__module__) for text in words(constructor))
    move = re.sub(r"^Rules of [^:]+: ", "", first)
    move = "" if move == first else move[0].upper() + move[1:]
    convention = Convention.from_misere(GAMES[name].misere)
    return [text for text in (move, *others, WINNERS[convention]) if text]


def one_line(name: str) -> str:
    """Return a move of the game in a line."""
    text = re.split(r"(?<=[.])\s", rules(name)[0])[0]
    return f"{text} The last move loses." if GAMES[name].misere else text


def example(name: str) -> str:
    """Return a game as a table, that of the picture."""
    env = make_aec(name)
    rows = []
    for number, (position, action) in enumerate(moves_of(env)):
        winning = env.game.solution.is_winning(position)
        seat = f"`player_{number % 2}`"
        rows.append(
            (
                number + 1, position_in_words(env.game, position),
                f"{seat}, who {'can' if winning else 'cannot'} win",
                env.game.rules.describe_move(action, position),
            )
        )  # fmt: skip
    winner = next(seat for seat, reward in env.rewards.items() if reward > 0)
    header = ("move", "position", "to move", "does")
    return f"{table(header, rows)}\n\nNo move is left, and `{winner}` has won."


def truth(game: Game) -> str:
    """Return who wins, and the proof, in words."""
    start = np.array(game.rules.initial)
    solution = game.solution
    actions = solution.winning_actions(start).tolist()
    moves = "; ".join(game.rules.describe_action(action, start) for action in actions)
    who = f"**first** player wins: {moves}" if actions else "**second** player wins"
    section = next((link for word, link in SECTIONS.items() if word in solution.method), "")
    lines = [
        f"From the starting position above the {who}. "
        f"Method: [{solution.method}](../theory.md#{section}).",
        other_convention(game),
    ]
    try:
        positions = game.rules.lattice(200_000)
    except SearchTooLargeError:
        return "\n\n".join(lines)
    positions = positions[~game.rules.is_terminal(positions)]
    winning = int(solution.is_winning(positions).sum())
    share = 100 * winning / len(positions)
    lines.append(
        f"Of the {len(positions):,} positions with a legal move, {winning:,} are *N-positions* "
        f"({share:.1f} %): the **n**ext player, who is to move, can win there. At the others, the "
        "*P-positions*, every move loses to perfect play."
    )
    return "\n\n".join(lines)


def other_convention(game: Game) -> str:
    """Return who wins under the other convention, in words."""
    misere = game.convention is Convention.NORMAL
    other = Game(game.rules, Convention.from_misere(misere))
    wins = "first" if other.solution.is_winning(game.rules.initial) else "second"
    last = "loses" if misere else "wins"
    return f"With `misere={misere}`, where the last move {last}, the **{wins}** player wins."


def values(game: Game) -> str:
    """Return a table of the Grundy values of the largest heap; empty for games without heaps."""
    components = game.rules.components
    heaps = all(each.kind == "heap" and each.coordinate_system.is_default for each in components)
    if game.convention is not Convention.NORMAL or not heaps:
        return ""
    component = max(components, key=lambda each: each.states)
    found = grundy_values(component)[: LONGEST_VALUES + 1].tolist()
    header = ("objects in a heap", *map(str, range(len(found))))
    return (
        "The [Grundy values](../theory.md#sprague-and-grundy) of single heaps:\n\n"
        + table(header, [("Grundy value", *found)])
    )  # fmt: skip


def program(name: str) -> str:
    """Return code that plays a game, in both libraries, and scores a policy exactly."""
    defaults = ", ".join(
        f"{key}={value!r}" for key, value in GAMES[name].defaults.items() if value is not None
    )
    arguments = f", {defaults}" if len(defaults) < 50 else ""
    return f'''\
import gymnasium
import pettingzoo
import nim_envs

env = pettingzoo.make("aec", "{aec_id(name)}"{arguments})
env.reset(seed=0)
for agent in env.agent_iter():  # both players move at random
    observation, reward, termination, truncation, info = env.last()
    mask = observation["action_mask"]
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(mask))

env = gymnasium.make("{gymnasium_id(name)}"{arguments}, opponent="optimal")
observation, info = env.reset(seed=0)
terminated = False
while not terminated:  # the opponent answers inside the step
    action = env.action_space.sample(observation["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)


def first_legal(observations, action_masks):
    return action_masks.argmax(axis=1)


score = nim_envs.optimality(first_legal, env)
print(f"{{score.percent:.1f}} % of {{score.count}} N-positions")
print(f"{{score.random_percent:.1f}} % by random moves")
'''


def output(text: str) -> str:
    """Return the output of a program."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "example", "exec"), {})
    return printed.getvalue().strip()


def _default(value: Any) -> str:
    return "" if value is inspect.Parameter.empty else code(value)


def common_arguments() -> str:
    """Return the table of the arguments that all games take, from the environments themselves."""
    meaning = {
        name: linked(text, make_game.__module__)
        for name, text in described(make_game).items()
        if name in ("misere", "start")
    }
    defaults: dict[str, dict[str, str]] = {"start": dict.fromkeys(LIBRARIES, "`'fixed'`")}
    for library, environment in LIBRARIES.items():
        texts = described(environment)
        for parameter in inspect.signature(environment).parameters.values():
            if parameter.name in texts and parameter.name not in ("game", "name"):
                text = linked(texts[parameter.name], environment.__module__)
                meaning.setdefault(parameter.name, text)
                defaults.setdefault(parameter.name, {})[library] = _default(parameter.default)
    rows = []
    for name, by_library in defaults.items():
        where = "all" if len(by_library) == len(LIBRARIES) else ", ".join(by_library)
        usual = " or ".join(dict.fromkeys(by_library.values()))
        text = meaning[name]
        argument = f"**`{name}`**<br>default {usual}<br>*{where}*"
        rows.append((argument, text[0].upper() + text[1:]))
    return table(("argument", "what it does"), rows)


def own_arguments(name: str) -> str:
    """Return the table of the arguments of the rules and of the convention."""
    row = GAMES[name]
    constructor = row.constructor
    texts = described(constructor)
    if not texts:
        # Games that differ in one rule alone refer to one of them for their arguments.
        named = re.search(r":func:`(\w+)`", " ".join(words(constructor)))
        module = inspect.getmodule(constructor)
        texts = described(getattr(module, named[1])) if named else {}
    texts["misere"] = "whether whoever makes the last move loses"
    rows = []
    for key, value in {**row.defaults, "misere": row.misere}.items():
        text = linked(texts[key], constructor.__module__)
        rows.append((f"`{key}`", code(value), text[0].upper() + text[1:]))
    return table(("argument", "default", "what it does"), rows)


def actions(game: Game) -> str:
    """Return the actions of the default board, each with the number that environments take."""
    rules = game.rules
    rows = [
        (str(component * rules.num_options + option), rules.describe_action(action))
        for component, each in enumerate(rules.components)
        for option in range(each.options)
        for action in (component * rules.num_options + option,)
    ]
    if len(rows) > 2 * SHOWN_ACTIONS:
        rows[SHOWN_ACTIONS:-SHOWN_ACTIONS] = [("…", "…")]
    text = table(("action", "meaning"), rows)
    if len(rules.components) > 1:
        text += f"\n\n`action = component * {rules.num_options} + option`."
    return text


def thumbnail(env: GameEnv) -> Frame:
    """Return a small picture of a position with a winning move, which is marked.

    It is without header and footer, and its letters are large enough for a card.

    Args:
        env: environment of the game.
    """
    solution = env.game.solution
    positions = [position for position, _ in moves_of(env)]
    position = next(filter(solution.is_winning, positions), positions[0])
    scene = Scene(position, mover=0, winning=solution.winning_actions(position))
    picture = Picture(env.game, THUMBNAIL)
    left, top = int(picture.body.x), int(picture.body.y)
    frame = picture.frame(scene)[top : int(picture.body.bottom), left : int(picture.body.right)]
    return cast(Frame, frame)


def play_here(name: str) -> str:
    """Return a board that one plays on, and write its data; empty for a game too large."""
    boards = play.boards(name)
    if not boards:
        return ""
    play.write_script(name, play.script(name, boards, title(name)))
    return f"## Play\n\n{play.board_on_page(name, 'play/')}"


def page(name: str) -> None:
    """Write the page and the pictures of a registered game."""
    env = make_aec(name)
    frames = frames_of(name)
    write(f"games/{name}.gif", gif(frames))
    write(f"games/{name}.png", png(thumbnail(env)))
    observation = env.observation_space("player_0")
    spaces = [
        ("observation", f"`{observation['observation']}`"),
        ("action mask", f"`{observation['action_mask']}`"),
        ("actions", f"`{env.action_space('player_0')}`"),
    ]
    constructor = GAMES[name].constructor
    what_is_read = references(constructor)
    text = program(name)
    parts = [
        f"# {title(name)}",
        *(part for part in rules(name) if not part.startswith("Arguments and errors")),
        play_here(name),
        f'![A game of {title(name)}, move by move]({name}.gif){{ width="520" }}',
        "## A game",
        "The game in the picture: `player_0` plays optimally, `player_1` moves at random; winning "
        "moves are green.",
        example(name),
        "## Ids",
        table(
            ("library", "id"),
            [
                ("PettingZoo", f"`{aec_id(name)}`"),
                ("Gymnasium, single and batched", f"`{gymnasium_id(name)}`"),
            ],
        ),
        "## Arguments",
        own_arguments(name),
        "[Common arguments](arguments.md) set the start, observations, opponent and rendering.",
        "## Observations and actions",
        table(("", "space"), spaces),
        actions(env.game),
        f"The winner gets +1, the loser −1. {_environment_links()}",
        "## Code",
        f"```python\n{text}```",
        f"```text\n{output(text)}\n```",
        "## Theory",
        truth(env.game),
        values(env.game),
        f"References: {what_is_read}" if what_is_read else "",
        results.of_game(name),
        "## The rules in Python",
        f"The game without an environment is `nim_envs.make_game({name!r})`; its rules are made "
        f'by <autoref optional identifier="{constructor.__module__}.{constructor.__name__}">'
        f"<code>{constructor.__name__}</code></autoref>.",
    ]
    write(f"games/{name}.md", paragraphs(parts), boost=OFTEN)


def _environment_links() -> str:
    links = ", ".join(
        f'<autoref identifier="{environment.__module__}.{environment.__name__}">{library}</autoref>'
        for library, environment in LIBRARIES.items()
    )
    return f"Pages of the environments: {links}."


def index() -> None:
    """Write the page of all games, and that of the arguments they share."""
    cards = [
        f"[![{title(name)}]({name}.png)]({name}.md)\n\n**[{title(name)}]({name}.md)**\n\n"
        f"{one_line(name)}\n\n`{aec_id(name)}`"
        for name in GAMES
    ]
    blocks = "\n\n".join(f'<div class="card" markdown="1">\n\n{card}\n\n</div>' for card in cards)
    write("games/index.md", filled("games", cards=blocks))
    arguments = filled("arguments", arguments=common_arguments(), links=_environment_links())
    write("games/arguments.md", arguments, boost=OFTEN)


def pages() -> list[str]:
    """Write all pages of games; return the lines of the navigation."""
    index()
    for name in GAMES:
        page(name)
    return [
        "* [Games](games/index.md)",
        *(f"    * [{title(name)}](games/{name}.md)" for name in GAMES),
        "    * [Arguments of all games](games/arguments.md)",
    ]
