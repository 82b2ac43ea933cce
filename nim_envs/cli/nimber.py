"""The commands that calculate with nimbers."""

from __future__ import annotations

from typing import Any

import click

from nim_envs.cgt.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.cli.layout import Group
from nim_envs.cli.options import together
from nim_envs.theory.nimbers import nim_sum


def as_number(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """Return the integer, in decimal or as ``0x…``, that ``value`` is; for click."""
    try:
        return int(value, 0)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not an integer") from None


@click.group(cls=Group)
def nimber() -> None:
    """Calculate with nimbers, integers of any size."""


def operation(name: str, function: Any, operands: tuple[str, ...], text: str) -> None:
    """Add the command that prints the value of ``function``."""

    def command(**values: int) -> None:
        try:
            click.echo(function(*(values[operand] for operand in operands)))
        except (ArithmeticError, ValueError) as error:  # a negative number; 0 has no inverse
            raise click.UsageError(str(error)) from error

    command.__doc__ = text
    command = together(*(click.argument(name, callback=as_number) for name in operands))(command)
    # A negative number must be refused as such, not as an unknown option.
    settings = {"ignore_unknown_options": True}
    nimber.command(name, context_settings=settings)(command)


operation("add", lambda x, y: nim_sum((x, y)), ("x", "y"), "Print the nim-sum of X and Y.")
operation("multiply", nim_product, ("x", "y"), "Print the nim-product of X and Y.")
operation("divide", nim_quotient, ("x", "y"), "Print the nimber whose nim-product with Y is X.")
operation("invert", nim_inverse, ("x",), "Print the nimber whose nim-product with X is 1.")
operation("power", nim_power, ("x", "exponent"), "Print the nim-product of EXPONENT factors X.")
operation("root", nim_square_root, ("x",), "Print the nimber whose nim-square is X.")
