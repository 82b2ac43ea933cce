"""A page for each registered game: rules, a board, arguments, code, theory, results.

All of it comes from the game: its rules' docstring, its solution, and the committed results.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import replace
from typing import Any

from tqdm import tqdm

from benchmarks.pictures import frames_of, gif, moves_of
from benchmarks.tasks import GAMES as TASKS
from docs.generator import play, results
from docs.generator.markdown import description, filled, table, write
from nim_envs import Game, GameEnv
from nim_envs.games.words import titled
from nim_envs.graph import LARGEST_TABLE, Graph
from nim_envs.registry import GAMES, make_aec, make_game
from nim_envs.render.frame import png
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene
from nim_envs.render.words import position_in_words
from nim_envs.solution import grundy_values
from nim_envs.sums import board_of

THUMBNAIL = (300, 250)
"""Width and height from which the pictures of cards are cut, in pixels."""

SHOWN_ACTIONS = 6
"""Actions that are listed, at each end, of a board with many."""

MOST_COUNTED = 200_000
"""Most positions of a game whose N-positions are counted."""

LARGEST_HEAP = 16
"""Largest heap whose Grundy value is listed."""


def title(name: str) -> str:
    """Return the name of a game as a heading, as the docstring of its constructor calls it."""
    row = GAMES[name]
    found = re.match(
        r"(?:Return )?(?:(?:an?|the) )?([^:.(]+?)(?: \([^)]*\))?:",
        description(row.constructor)[0],
        re.I,
    )
    called = found[1] if found else titled(name)
    twin = any(
        other.constructor is row.constructor and not other.misere for other in GAMES.values()
    )
    return f"Misère {called}" if row.misere and twin else called[0].upper() + called[1:]


def rules(name: str) -> list[str]:
    """Return the rules in paragraphs, the first of which begins with a move."""
    first, *others = description(GAMES[name].constructor)
    move = first.partition(": ")[2]
    return [move[0].upper() + move[1:], *others] if move else others


def one_line(name: str) -> str:
    """Return a move of the game in a line."""
    text = re.split(r"(?<=[.])\s", rules(name)[0])[0]
    return f"{text} The last move loses." if GAMES[name].misere else text


def example(env: GameEnv) -> str:
    """Return a game as a table, that of the picture; it is over in ``env`` afterwards."""
    rows = [
        (
            number + 1, position_in_words(env.game, position),
            f"`player_{number % 2}`, who "
            f"{'can' if env.game.solution.is_winning(position) else 'cannot'} win",
            env.game.describe_move(action, position),
        )
        for number, (position, action) in enumerate(moves_of(env))
    ]  # fmt: skip
    return table(("move", "position", "to move", "does"), rows)


def truth(game: Game) -> dict[str, Any]:
    """Return who wins, by which method, and how often, by their names in the template."""
    solution = game.solution
    actions = solution.winning_actions(game.start).tolist()
    moves = "; ".join(game.describe(action, game.start) for action in actions)
    who = f"**first** player wins: {moves}." if actions else "**second** player wins."
    other = replace(game, misere=not game.misere).solution
    found = {
        "truth": who, "method": solution.method, "misere": game.misere,
        "who_wins": game.who_wins[0].upper() + game.who_wins[1:],
        "other_winner": "first" if other.is_winning(game.start) else "second", "total": 0,
    }  # fmt: skip
    board = board_of(game.parts, LARGEST_TABLE)
    if isinstance(board, Graph) and board.num_positions <= MOST_COUNTED:
        positions = board.coordinates[~board.ends]
        found["total"] = len(positions)
        found["winning"] = int(solution.is_winning(positions).sum())
    return found


def values(game: Game) -> str:
    """Return a table of the Grundy values of the largest heap; empty for games without heaps."""
    heaps = all(part.picture.style in ("heap", "slots", "pins") for part in game.parts)
    if game.misere or not heaps:
        return ""
    largest = max(game.parts, key=lambda part: part.num_positions)
    found = grundy_values(largest)[: LARGEST_HEAP + 1].tolist()
    return table(("objects in a heap", *map(str, range(len(found)))), [("Grundy value", *found)])


def actions(game: Game) -> str:
    """Return the actions of the default board, each with the number that environments take."""
    options = game.num_actions // len(game.parts)
    rows = [
        (str(index * options + option), game.describe(index * options + option))
        for index, part in enumerate(game.parts)
        for option in range(part.num_actions)
    ]
    if len(rows) > 2 * SHOWN_ACTIONS:
        rows[SHOWN_ACTIONS:-SHOWN_ACTIONS] = [("…", "…")]
    rule = f"\n\n`action = part * {options} + option`." if len(game.parts) > 1 else ""
    return table(("action", "meaning"), rows) + rule


def program(name: str) -> str:
    """Return code that plays a game, in both libraries, and scores a policy exactly."""
    given = [f", {key}={value!r}" for key, value in GAMES[name].defaults.items() if value]
    short = "".join(given) if len("".join(given)) < 52 else ""
    return filled("program.txt", game=GAMES[name], arguments=short)


def output(text: str) -> str:
    """Return the output of a program."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "example", "exec"), {})
    return printed.getvalue().strip()


def thumbnail(env: GameEnv) -> bytes:
    """Return a small picture of a position with its winning moves, without header and footer."""
    solution = env.game.solution
    positions = [position for position, _ in moves_of(env)]
    position = next(filter(solution.is_winning, positions), positions[0])
    scene = Scene(position, mover=0, winning=solution.winning_actions(position))
    picture = Picture(env.game, THUMBNAIL)
    left, top = int(picture.body.x), int(picture.body.y)
    frame = picture.frame(scene)[top : int(picture.body.bottom), left : int(picture.body.right)]
    return png(frame)


def page(name: str) -> str:
    """Return the page of a registered game."""
    row, env, code = GAMES[name], make_aec(name), program(name)
    played = example(env)
    shared = [text for text in rules(name) if text.startswith("Arguments and errors")]
    return filled(
        "game.md",
        game=row,
        name=name,
        title=title(name),
        rules=[text for text in rules(name) if text not in shared],
        arguments_of="".join(shared),
        board=play.board_on_page(name, "play/") if play.boards(name) else "",
        example=played,
        winner=next(seat for seat, reward in env.rewards.items() if reward > 0),
        constructor=f"{row.constructor.__module__}.{row.constructor.__name__}",
        defaults=", ".join(f"`{key}={value!r}`" for key, value in row.defaults.items()),
        space=env.observation_space("player_0"),
        action_space=env.action_space("player_0"),
        actions=actions(env.game),
        program=code,
        output=output(code),
        values=values(env.game),
        results=results.scores([task for task in TASKS if TASKS[task].name == name]),
        **truth(make_game(name)),
    )


def pages() -> None:
    """Write the pages, pictures and boards of all games, and the page that lists them."""
    cards = []
    for name, row in tqdm(GAMES.items(), "games", unit="game", disable=None):
        cards.append({"name": name, "title": title(name), "line": one_line(name), "id": row.aec_id})
        write(f"games/{name}.md", page(name))
        write(f"games/{name}.gif", gif(frames_of(name)))
        write(f"games/{name}.png", thumbnail(make_aec(name)))
        if play.boards(name):
            write(f"games/play/{name}.js", play.script(name, title(name)))
    write("games/index.md", filled("games.md", cards=cards))
