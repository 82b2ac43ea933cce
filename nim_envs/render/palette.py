"""Colours of pictures of games."""

from typing import TypeAlias

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

PAPER: Color = (250, 249, 246)
WHITE: Color = (255, 255, 255)
PANEL = WHITE
LINE: Color = (222, 220, 214)
FAINT: Color = (238, 236, 231)
INK: Color = (44, 53, 66)
GREY: Color = (118, 124, 134)
OBJECT: Color = (74, 88, 108)
LIMIT: Color = (248, 226, 219)
WINNING: Color = (0, 150, 110)
PLAYERS: tuple[Color, Color] = ((0, 114, 178), (213, 94, 0))
"""Colours of ``player_0`` and ``player_1``; with ``WINNING``, distinct to colour-blind readers."""


def player_color(seat: int | None, unknown: Color = GREY) -> Color:
    """Return the colour of a player, or ``unknown`` where nobody has the turn or has moved."""
    return unknown if seat is None else PLAYERS[seat]


def mixed(color: Color, other: Color, share: float) -> Color:
    """Return ``color`` with a ``share`` of ``other`` in it."""
    red, green, blue = (
        round((1 - share) * one + share * two) for one, two in zip(color, other, strict=True)
    )
    return red, green, blue


def paler(color: Color, share: float) -> Color:
    """Return ``color`` with a ``share`` of white in it."""
    return mixed(color, WHITE, share)


def hexadecimal(color: Color) -> str:
    """Return a colour as web pages have it.

    Example:
        >>> hexadecimal(INK)
        '#2c3542'
    """
    return "#" + bytes(color).hex()
