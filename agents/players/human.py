"""A person at a prompt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.base import Array, MaskArray
from nim_envs import Game
from nim_envs.errors import SearchTooLargeError


class Quit(Exception):  # noqa: N818 - it is no error
    """Raised when the person wants to stop."""


class Undo(Exception):  # noqa: N818 - it is no error
    """Raised when the person wants to take back their last move."""


class HumanAgent:
    """Asks a person for every move, until the answer is a legal one.

    Args:
        game: the game; observations are its positions.
        read: returns a line, given a prompt; raises ``EOFError`` at the end of the input; by
            default ``input``.
        write: shows a line.
    """

    def __init__(
        self,
        game: Game,
        read: Callable[[str], str] | None = None,
        write: Callable[[str], None] = print,
    ) -> None:
        self.game = game
        self.read = read or input
        self.write = write

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the legal action that the person chose.

        Raises:
            Quit: the person asked to stop, or the input has ended.
            Undo: the person asked to take back a move.
        """
        while True:
            try:
                answer = self.read(f"your move ({self._form()}; hint, undo, quit): ").strip()
            except EOFError:
                raise Quit from None
            text = answer.lower()
            if text in ("quit", "q", "exit"):
                raise Quit
            if text in ("undo", "u"):
                raise Undo
            if text in ("hint", "h", "?"):
                self.write(self._hint(observation))
                continue
            action = self._parse(text, observation)
            if action is not None and action_mask[action]:
                return action
            self.write(f"{answer!r} is no legal move. {self._allowed(observation)}")

    def _form(self) -> str:
        components = self.game.rules.components
        forms = " or ".join(dict.fromkeys(component.option_form for component in components))
        if len(components) == 1:
            return forms
        kinds = {component.kind for component in components}
        return f"{kinds.pop() if len(kinds) == 1 else 'component'} number, {forms}"

    def _parse(self, text: str, observation: Array) -> int | None:
        """The action that ``text`` stands for, if any."""
        parts = text.replace(",", " ").split()
        if not all(part.isdecimal() and len(part) < 19 for part in parts):
            return None
        numbers = [int(part) for part in parts]
        components = self.game.rules.components
        if len(components) == 1:
            numbers.insert(0, 0)
        if not numbers or numbers[0] >= len(components):
            return None
        option = self._options(numbers[0], observation).get(tuple(numbers[1:]))
        return None if option is None else self.game.rules.action(numbers[0], option)

    def _options(self, index: int, observation: Array) -> dict[tuple[int, ...], int]:
        """What may be done in a component now, as the numbers that name it, and the option."""
        component = self.game.rules.components[index]
        state = int(observation[index])
        options = np.flatnonzero(self.game.rules.rows[index][state].mask).tolist()
        return {component.option_numbers(option, state): option for option in options}

    def _allowed(self, observation: Array) -> str:
        """The legal moves in words."""
        lines = []
        for index, component in enumerate(self.game.rules.components):
            names = sorted(self._options(index, observation))
            if names:
                amounts = [name[0] for name in names if len(name) == 1]
                whole = amounts == list(range(amounts[0], amounts[-1] + 1)) if amounts else False
                parts = [f"{amounts[0]} to {amounts[-1]}"] if whole else list(map(str, amounts))
                parts += [" ".join(map(str, name)) for name in names if len(name) > 1]
                lines.append(f"{component.kind} {index}: {', '.join(parts)}")
        return "Legal: " + "; ".join(lines) + "."

    def _hint(self, observation: Array) -> str:
        try:
            winning = self.game.solution.winning_actions(observation)
        except SearchTooLargeError:
            return "This game is too large to solve."
        if not len(winning):
            return "Every move loses against correct play."
        describe = self.game.rules.describe_action
        moves = [describe(action, observation) for action in winning.tolist()]
        return "Winning: " + "; ".join(moves) + "."
