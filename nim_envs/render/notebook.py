"""A board to play on in a notebook: the boards of the manual as a widget."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nim_envs.games.words import titled
from nim_envs.optional import needed
from nim_envs.render.board_data import (
    SCRIPT,
    STYLE,
    data_of_board,
    data_of_game,
    reachable_board,
    replies,
)
from nim_envs.scored_policy import game_of

__all__ = ["widget"]

AS_MODULE = """
export default {
  render({ model, el }) {
    const root = document.createElement("div");
    el.append(root);
    nimPlay.on(root, model.get("data"));
  },
};
"""
"""End of the script where it is loaded as a module: the function that anywidget calls."""


def widget(
    env_or_game: Any, opponents: Mapping[str, Any] | None = None, *, max_positions: int = 6_000
) -> Any:
    """Return a board to play on in a notebook, with hints, undo and exact verdicts.

    It needs the extra ``notebook``. Opponents are optimal and random play, and the given ones.

    Args:
        env_or_game: a game, or an environment, which shows its positions to the opponents.
        opponents: policies by their names, as :func:`nim_envs.optimality` takes them, such as
            ``{"mine": agent.greedy()}``; they play their most probable moves.
        max_positions: largest number of positions that can be reached from the start.

    Returns:
        An ``anywidget.AnyWidget``, which a notebook shows; its ``data`` are the board's tables.

    Raises:
        MissingPackageError: ``anywidget`` is not installed.
        SearchTooLargeError: the game has more positions.
        TypeError: ``env_or_game`` or an opponent is of another kind.

    Example:
        >>> from nim_envs import make_game
        >>> from nim_envs.render import widget
        >>> shown = widget(make_game("nim", heaps=(1, 2)))
        >>> shown.data["title"], shown.data["boards"][0]["words"][0]
        ('Nim', 'heaps 1, 2')
    """
    anywidget = needed("anywidget", "a board in a notebook", "notebook")
    traitlets = needed("traitlets", "a board in a notebook", "notebook")
    game = game_of(env_or_game)
    board = reachable_board(game, max_positions)
    theirs = [replies(board, policy, env_or_game) for policy in (opponents or {}).values()]
    games = {"outcome": game}
    if not game.has_outcome:
        games = {"normal": replace(game, misere=False), "misere": replace(game, misere=True)}
    data = data_of_game(
        titled(game.name),
        "outcome" if game.has_outcome else "misere" if game.misere else "normal",
        list(opponents or {}),
        [data_of_board(board, str(game), games, dict.fromkeys(games, theirs))],
    )
    board_widget = type(
        "BoardWidget",
        (anywidget.AnyWidget,),
        {
            "__doc__": "A board to play on.",
            "__module__": __name__,
            "_esm": SCRIPT.read_text(encoding="utf-8") + AS_MODULE,
            "_css": STYLE.read_text(encoding="utf-8"),
            "data": traitlets.Dict().tag(sync=True),
        },
    )
    return board_widget(data=data)
