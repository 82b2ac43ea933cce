"""A person at a prompt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.base import Array, MaskArray
from nim_envs import Game
from nim_envs.rules import AdditionTotal, SubtractionHeap


class Quit(Exception):  # noqa: N818 - it is no error
    """The person wants to stop."""


class Undo(Exception):  # noqa: N818 - it is no error
    """The person wants to take the last own move back."""


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
            Quit: the person said so, or the input has ended.
            Undo: the person said so.
        """
        while True:
            try:
                answer = self.read(f"your move ({self._form()}; hint, undo, quit): ").strip()
            except EOFError:
                raise Quit from None
            word = answer.lower()
            if word in ("quit", "q", "exit"):
                raise Quit
            if word in ("undo", "u"):
                raise Undo
            if word in ("hint", "h", "?"):
                self.write(self._hint(observation))
                continue
            action = self._parse(word, observation)
            if action is not None and action_mask[action]:
                return action
            self.write(f"{answer!r} is no legal move. {self._allowed(observation)}")

    def _form(self) -> str:
        return "number" if len(self.game.rules.components) == 1 else "heap number, amount"

    def _parse(self, text: str, observation: Array) -> int | None:
        """The action that ``text`` names, if it names one."""
        parts = text.replace(",", " ").split()
        if not all(part.isdecimal() and len(part) < 19 for part in parts):
            return None
        numbers = [int(part) for part in parts]
        components = self.game.rules.components
        if len(numbers) == 1 and len(components) == 1:
            numbers.insert(0, 0)
        if len(numbers) != 2 or numbers[0] >= len(components):
            return None
        amounts = self._amounts(numbers[0], observation)
        if numbers[1] not in amounts:
            return None
        return self.game.rules.action(numbers[0], amounts[numbers[1]])

    def _amounts(self, index: int, observation: Array) -> dict[int, int]:
        """What may be taken from or added to a component now, and the option that does it."""
        component = self.game.rules.components[index]
        options = np.flatnonzero(component.table[int(observation[index])] >= 0).tolist()
        if isinstance(component, SubtractionHeap):
            return {component.amounts[option]: option for option in options}
        first = 1 if isinstance(component, AdditionTotal) else 0
        return {option + first: option for option in options}

    def _allowed(self, observation: Array) -> str:
        """The legal range in words."""
        lines = []
        for index, component in enumerate(self.game.rules.components):
            amounts = sorted(self._amounts(index, observation))
            if amounts:
                span = f"{amounts[0]} to {amounts[-1]}"
                whole = list(range(amounts[0], amounts[-1] + 1)) == amounts
                what = span if whole else ", ".join(map(str, amounts))
                lines.append(f"{component.kind} {index}: {what}")
        return "Legal: " + "; ".join(lines) + "."

    def _hint(self, observation: Array) -> str:
        winning = self.game.solution.winning_actions(observation)
        if not len(winning):
            return "Every move loses against correct play."
        words = [self.game.rules.describe_action(action) for action in winning.tolist()]
        return "Winning: " + "; ".join(words) + "."
