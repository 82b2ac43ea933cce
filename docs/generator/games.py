"""A page for each registered game: rules, a board, arguments, code, theory, results.

All of it comes from the game: its rules' docstring, its solution, and the committed results.
"""

import contextlib
import io
import re
from dataclasses import replace

from tqdm import tqdm

from benchmarks.leaderboard import RESULTS
from benchmarks.pictures import frames_of, gif, moves_of
from benchmarks.report import read_csv
from benchmarks.tasks import GAMES as TASKS
from docs.generator import play, results
from docs.generator.markdown import arguments, description, filled, table, write
from nim_envs import Game, GameEnv
from nim_envs.registry import GAMES, make_aec
from nim_envs.render.frame import png
from nim_envs.render.picture import Picture
from nim_envs.render.scene import Scene
from nim_envs.render.words import position_in_words
from nim_envs.solution import grundy_values

THUMBNAIL = (300, 250)
"""Width and height from which the pictures of cards are cut, in pixels."""

SHOWN_ACTIONS = 6
"""Actions that are listed, at each end, of a board with many."""

LARGEST_HEAP = 16
"""Largest heap whose Grundy value is listed."""


def title(name: str) -> str:
    """Return the name of a game as a heading, as the docstring of its constructor calls it."""
    called = description(GAMES[name].constructor)[0].partition(": ")[0]
    called = re.sub(r"^(?:Return )?(?:(?:an?|the) )?| \(.*", "", called, flags=re.IGNORECASE)
    return ("Misère " if name.startswith("misere_") else "") + called[0].upper() + called[1:]


def rules(name: str) -> list[str]:
    """Return the rules in paragraphs, the first of which begins with a move."""
    first, *others = description(GAMES[name].constructor)
    move = first.partition(": ")[2]
    return [move[0].upper() + move[1:], *others]


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
    numbers = [
        index * game.options + option
        for index, part in enumerate(game.parts)
        for option in range(part.num_actions)
    ]
    rows = [(str(action), game.describe(action)) for action in numbers]
    if len(rows) > 2 * SHOWN_ACTIONS:
        rows[SHOWN_ACTIONS:-SHOWN_ACTIONS] = [("…", "…")]
    rule = f"\n\n`action = part * {game.options} + option`." if len(game.parts) > 1 else ""
    return table(("action", "meaning"), rows) + rule


def program(name: str) -> tuple[str, str]:
    """Return code that plays a game in both libraries and scores a policy, and its output."""
    row, printed = GAMES[name], io.StringIO()
    given = "".join(f", {each}" for each in arguments(row.defaults) if not each.endswith("=None"))
    code = filled("program.txt", game=row, arguments=given if len(given) < 52 else "")
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    return code, printed.getvalue().strip()


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
    env = make_aec(name)
    game, solution = env.game, env.game.solution
    positions = game.positions()
    positions = positions[game.mask(positions).any(axis=1)]
    code, output = program(name)
    return filled(
        "game.md",
        row=GAMES[name],
        name=name,
        title=title(name),
        rules=rules(name),
        board=bool(play.boards(name)),
        game=game,
        example=example(env),
        winner=max(env.rewards, key=env.rewards.__getitem__),
        space=env.observation_space("player_0"),
        action_space=env.action_space("player_0"),
        actions=actions(game),
        program=code,
        output=output,
        moves=[game.describe(each, game.start) for each in solution.winning_actions(game.start)],
        method=solution.method,
        first_wins_other=replace(game, misere=not game.misere).solution.is_winning(game.start),
        total=len(positions),
        winning=solution.is_winning(positions).sum(),
        values=values(game),
        learner=results.learner,
        results=[
            each
            for each in read_csv(RESULTS / "optimality.csv")
            if TASKS[each["game"]].name == name
        ],
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
