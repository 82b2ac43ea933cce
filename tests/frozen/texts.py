"""Records of games as text: prompts of five games, and the exam's suite 0."""

from collections.abc import Callable

from nim_envs import make_game
from nim_envs.text import move_text, prompt
from nim_envs.text.exam import Suite
from tests.frozen.boards import Board, text
from tests.frozen.records import Entries

GAMES = {
    "nim": {"heaps": (3, 4, 5)},
    "kayles": {"heaps": (7,), "misere": True},
    "euclid": {"pairs": ((36, 13),)},
    "graph": {"tokens": (11, 10)},
    "chomp": {"rows": 4, "columns": 5, "misere": True},
}

NAMES = ("text",)


def prompts(name: str) -> Entries:
    """Record the prompts of a game in every style, and its moves."""
    board = Board(name, lambda: make_game(name, **GAMES[name]))
    game = board.game
    here = [position for position in board.positions if not game.is_over(position)]
    for position in here[:: len(here) // 20 + 1]:
        for style in ("short", "sentences", "position"):
            yield f"{text(position)}, {style}", prompt(game, position, style)
        for answer in ("tag", "boxed", "json"):
            yield f"{text(position)}, {answer}", prompt(game, position, "sentences", answer=answer)
        for action in game.actions(position):
            yield f"{text(position)}, action {action}", move_text(game, position, action)


def exam_prompts(seed: int) -> Entries:
    """Record the prompts of the exam's suite, by the id of each item."""
    for _, item, asked in Suite(seed).prompts(style="sentences", answer="tag"):
        yield item.id, asked


def fields_of(name: str) -> dict[str, Callable[[], Entries]]:
    """Return what is recorded, by field."""
    fields = {f"prompts of {game}": lambda game=game: prompts(game) for game in GAMES}
    return fields | {"exam, suite 0": lambda: exam_prompts(0)}
