"""The check of ``render`` and ``close``, which every environment has.

- ``render`` returns what the render mode says: nothing, a text that ends with the position, or a
  picture; of a batch, one of each game.
- An environment can be closed twice; after that, nothing can be played.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.testing.requirements import during, require, require_equal, require_error, text_of
from nim_envs.typing import IntArray


def check_render(env: Any, game: Game, position: IntArray, where: str) -> None:
    """Check the return value of ``render`` for a position, or for a batch.

    Windows are not opened, and renderings that a wrapper changes are not judged.

    Args:
        env: environment with any render mode.
        game: the game that is played.
        position: current position, ``(components,)`` or ``(num_envs, components)``.
        where: beginning of the message.
    """
    mode = env.unwrapped.render_mode
    if mode == "human" or env.render_mode != mode:
        return
    with warnings.catch_warnings(), during(f"{where}, render()"):
        warnings.simplefilter("ignore")  # it warns where there is no render mode
        rendered = env.render()
    if mode is None:
        nothing = rendered is None or all(one is None for one in rendered)
        require(nothing, f"{where}, render() without a render mode returned {text_of(rendered)}")
        return
    pictures = [rendered] if position.ndim == 1 else rendered
    positions = np.atleast_2d(position)
    require_equal(f"{where}, the number of pictures", len(pictures), len(positions))
    for picture, one in zip(pictures, positions, strict=True):
        if mode == "ansi":
            from nim_envs.render.text import render_text

            text = render_text(game.rules, one)
            require(
                isinstance(picture, str) and picture.endswith(text),
                f"{where}, render() returned {text_of(picture)}, which does not end with {text!r}",
            )
        else:
            array = np.asarray(picture)
            require(
                array.dtype == np.uint8 and array.ndim == 3 and array.shape[2] == 3,
                f"{where}, render() returned an array of dtype {array.dtype} and shape "
                f"{array.shape}, where uint8 and (height, width, 3) are expected",
            )


def check_close(env: Any) -> None:
    """Check, on a copy, that an environment can be closed twice, and not be used after that."""
    closed = copy.deepcopy(env)
    with during("close(), called twice"):
        closed.close()
        closed.close()
    require_error("reset() after close()", closed.reset)
    if hasattr(closed.unwrapped, "check_open"):
        require_error("check_open() after close()", closed.unwrapped.check_open)
