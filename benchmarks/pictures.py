"""Moving pictures of games: that of the README, and those of the manual's pages of games.

python -m benchmarks.pictures --help explains every option.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click
import numpy as np

from agents import Agent, OptimalAgent, RandomAgent
from nim_envs import GameEnv
from nim_envs.files import write_atomically
from nim_envs.optional import needed
from nim_envs.registry import make_aec
from nim_envs.render.frame import Frame
from nim_envs.render.picture import Picture
from nim_envs.render.renderer import Renderer
from nim_envs.typing import IntArray

MILLISECONDS = 1_100
"""Time for which each position is shown; the last one is shown twice as long."""

COLORS = 64

SCALE = 2
"""Pixels for each that a page shows: screens of phones and of many laptops are as fine."""

HEAPS = (3, 4, 5, 7)
"""The heaps of Nim on the README's picture."""


def moves_of(env: GameEnv, seed: int = 0) -> Iterator[tuple[IntArray, int]]:
    """Yield the positions and actions of a game of the optimal player against a random one."""
    rng = np.random.default_rng(seed)
    players: dict[str, Agent] = {"player_0": OptimalAgent(env.game), "player_1": RandomAgent()}
    env.reset(seed=seed)
    while not any(env.terminations.values()):
        seat = env.agent_selection
        observed = env.observe(seat)
        action = players[seat].act(observed["observation"], observed["action_mask"], rng)
        yield env.position, action
        env.step(action)


def frames_of(name: str, arguments: dict[str, Any] | None = None, seed: int = 0) -> list[Frame]:
    """Return the pictures of a game that the optimal player plays against a random one.

    One for each position, with winning moves marked, twice as sharp as those of an environment.
    """
    env = make_aec(name, **(arguments or {}))
    picture = Picture(env.game, scale=SCALE)
    renderer = Renderer(env.game, None, show_winning_moves=True)
    seats = env.possible_agents

    def frame(mover: int | None, winner: int | None = None) -> Frame:
        return picture.frame(renderer.scene(env.position, mover, winner, env.last_move))

    frames = [frame(seats.index(env.agent_selection)) for _ in moves_of(env, seed)]
    winners = [seat for seat, name in enumerate(seats) if env.rewards[name] > 0]
    return [*frames, frame(None, *winners)]


def darkened(frame: Frame) -> Frame:
    """Return a picture for a dark ground: light and dark are exchanged, and hues stay."""
    wide = frame.astype(np.int16)
    lightness = wide.max(axis=-1, keepdims=True) + wide.min(axis=-1, keepdims=True)
    return cast(Frame, (wide + 255 - lightness).astype(np.uint8))


def gif(frames: list[Frame], milliseconds: int = MILLISECONDS) -> bytes:
    """Return an animated GIF of pictures of one size; the last one is shown twice as long."""
    image = needed("PIL.Image", "a GIF", "docs")
    # The most common colours, the same in all, so that only what changes from one picture to the
    # next is stored.
    red, green, blue = np.moveaxis(np.concatenate(frames), -1, 0).astype(np.int32)
    pixels = (red << 16 | green << 8 | blue).ravel()
    counts = np.bincount(pixels)
    colors = np.flatnonzero(counts)
    most = np.argsort(-counts[colors], kind="stable")[:COLORS]
    common = colors[most, np.newaxis] >> (16, 8, 0) & 255
    palette = image.new("P", (1, 1))
    palette.putpalette(common.ravel().tolist())
    pictures = [
        image.fromarray(frame).quantize(palette=palette, dither=image.Dither.NONE)
        for frame in frames
    ]
    buffer = io.BytesIO()
    pictures[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[milliseconds] * (len(pictures) - 1) + [2 * milliseconds],
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


@click.command()
@click.option(
    "--output", default="docs/images", show_default=True, metavar="DIRECTORY",
    type=click.Path(file_okay=False, path_type=Path), help="Where to write it.",
)  # fmt: skip
def main(output: Path) -> None:
    """Write the README's moving picture, for a light and for a dark ground."""
    frames = frames_of("nim", {"heaps": HEAPS})
    pictures = {"nim.gif": frames, "nim_dark.gif": [darkened(frame) for frame in frames]}
    for name, images in pictures.items():
        path, content = output / name, gif(images)
        write_atomically(path, content)
        print(f"wrote {path}, {len(content) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
