"""Players that do not learn: random, optimal, and a person at a prompt."""

import re
from collections.abc import Callable

import numpy as np

from agents.policies import uniform_probabilities, with_exploration
from agents.selection import random_action
from nim_envs import Game
from nim_envs.caches import LimitedCache
from nim_envs.errors import SearchTooLargeError
from nim_envs.games.words import any_of, listed
from nim_envs.render.words import rules_in_words
from nim_envs.typing import Array, FloatArray, MaskArray, Position
from nim_envs.validation import checked_boolean, checked_number


class RandomAgent:
    """Chooses a legal action at random, all equally likely."""

    def __repr__(self) -> str:
        """Return its name."""
        return "RandomAgent()"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        return int(random_action(np.flatnonzero(action_mask), rng.random()))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the legal actions."""
        return uniform_probabilities(action_masks)


REMEMBERED_POSITIONS = 1 << 16


class OptimalAgent:
    """Moves to a P-position wherever one can be reached; where draws exist, it keeps the value.

    Args:
        game: game to solve; observations must be its positions (``encoding="integer"``).
        hurry: whether it chooses among the moves that win soonest, and at a P-position among those
            that resist longest.

    Raises:
        SearchTooLargeError: the game cannot be solved, or has too many positions to hurry in.
    """

    def __init__(self, game: Game, *, hurry: bool = False) -> None:
        self.game = game
        self.solution = game.solution
        self.hurry = checked_boolean("hurry", hurry)
        if hurry:
            self.solution.distance(game.start)  # an error is raised now and not during a game
        self._choices: LimitedCache[bytes, MaskArray] = LimitedCache(REMEMBERED_POSITIONS)

    def __repr__(self) -> str:
        """Return its game."""
        return f"{type(self).__name__}({self.game.summary})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a winning action, or one that keeps a draw; at a P-position, a losing one."""
        chosen = self._choices.get_or_create(
            observation.tobytes(),
            lambda: self._chosen(observation[np.newaxis], action_mask[np.newaxis])[0],
        )
        return int(random_action(np.flatnonzero(chosen), rng.random()))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action."""
        return uniform_probabilities(self._chosen(observations, action_masks))

    def _chosen(self, observations: Array, action_masks: MaskArray) -> MaskArray:
        """Mask of the actions that may be chosen, all equally likely, int8 ``(n, actions)``."""
        mask_of = self.solution.hurrying_mask if self.hurry else self.solution.keeping_mask
        chosen: MaskArray = mask_of(observations).astype(np.int8)
        lost = ~chosen.any(axis=1)
        chosen[lost] = action_masks[lost]
        return chosen


class EpsilonOptimalAgent(OptimalAgent):
    """Plays optimally with probability ``1 - epsilon``, else a random legal action.

    Args:
        game: game to solve; observations must be its positions (``encoding="integer"``).
        epsilon: probability of a random action, 0 to 1.
        hurry: as of :class:`OptimalAgent`.

    Raises:
        ValueError: ``epsilon`` is outside 0 to 1.
    """

    def __init__(self, game: Game, epsilon: float, *, hurry: bool = False) -> None:
        self.epsilon = checked_number("epsilon", epsilon, 0, 1)
        super().__init__(game, hurry=hurry)

    def __repr__(self) -> str:
        """Return its game and its epsilon."""
        return f"{type(self).__name__}({self.game.summary}; epsilon {self.epsilon})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an optimal action or, with probability ``epsilon``, a random one."""
        if rng.random() < self.epsilon:
            return int(random_action(np.flatnonzero(action_mask), rng.random()))
        return super().act(observation, action_mask, rng)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the mixture of the optimal and the uniform probabilities."""
        optimal = super().action_probabilities(observations, action_masks)
        return with_exploration(optimal, action_masks, self.epsilon)


MOST_LISTED = 12
"""Most moves, or ranges of moves, that are listed for a part."""

NUMBERED = re.compile(r"(\D*)(\d+)")
"""Pattern of a move named by one number, such as ``take 3``."""


class Quit(Exception):  # noqa: N818 - it is no error
    """Raised when the person wants to stop."""


class Undo(Exception):  # noqa: N818 - it is no error
    """Raised when the person wants to take back their last move."""


class HumanAgent:
    """Asks a person for every move, until the answer is legal.

    A move is named in words, such as ``heap 0: take 2``, or by numbers alone, such as ``0 2``.

    Args:
        game: rules that name the moves; observations are its positions.
        read: takes a prompt and returns a line; raises ``EOFError`` at the end of the input; by
            default ``input``.
        write: shows a line.
    """

    unscorable = "it asks a person"

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
            Quit: the person wants to stop, or the input has ended.
            Undo: the person wants to take back a move.
        """
        legal, position = np.flatnonzero(action_mask).tolist(), tuple(observation.tolist())
        example = f"such as {self._example(legal[0], position)}; " if legal else ""
        while True:
            try:
                answer = self.read(f"your move ({example}help, hint, undo, quit): ").strip()
            except EOFError:
                raise Quit from None
            text = answer.lower()
            if text in ("quit", "q", "exit"):
                raise Quit
            if text in ("undo", "u"):
                raise Undo
            if text in ("hint", "h"):
                self.write(self._hint(position))
                continue
            moves = self._legal_moves(legal, position)
            if text in ("help", "?"):
                aim = "win, or keep a draw" if self.game.has_outcome else "win"
                self.write(
                    f"{rules_in_words(self.game)}\n{moves}\nType a move, such as "
                    f"{self._example(legal[-1], position)}.\nOr type hint for the moves that "
                    f"{aim}, undo to take back your last move, or quit."
                )
                continue
            actions = self._meant(text, legal, position)
            if len(actions) == 1:
                return actions[0]
            if actions:
                named = [f'"{self.game.describe(action, position)}"' for action in actions]
                self.write(f"{answer!r} may mean {listed(named, 'or')}: say which.")
            else:
                self.write(f"{answer!r} is not a legal move. {moves}")

    def _example(self, action: int, position: Position) -> str:
        """Both names of a move, in words and by numbers."""
        words = self.game.describe(action, position)
        return f'"{words}" or "{self._numbers(action, position)}"'

    def _numbers(self, action: int, position: Position) -> str:
        """A move by numbers: the part, if there are several, and the move's own number."""
        parts = self.game.parts
        index, option = divmod(action, self.game.options)
        numbers = parts[index].numbers(option, self.game.split(position)[index])
        return " ".join(map(str, (index, *numbers) if len(parts) > 1 else numbers))

    def _meant(self, text: str, legal: list[int], position: Position) -> list[int]:
        """The legal actions that ``text`` may mean: by numbers, else in full, else by option."""
        from nim_envs.text.phrases import words_of

        meant: tuple[list[int], ...] = [], [], []
        for action in legal:
            part, option = self.game.part_and_option(action, position)
            names = self._numbers(action, position), f"{part}: {option}", option
            for same, name in zip(meant, names, strict=True):
                if words_of(name) == words_of(text) != []:
                    same.append(action)
        return next(filter(None, meant), [])

    def _legal_moves(self, legal: list[int], position: Position) -> str:
        """The legal moves in words, a line for each part."""
        by_part: dict[str, list[str]] = {}
        for action in legal:
            owner, move = self.game.part_and_option(action, position)
            by_part.setdefault(owner, []).append(move)
        several = len(self.game.parts) > 1
        lines = [f"{owner}: " * several + _listed(moves) for owner, moves in by_part.items()]
        return "\n  ".join(["Legal moves:", *lines])

    def _hint(self, position: Position) -> str:
        """The moves that win, or keep a draw."""
        try:
            best = self.game.solution.keeping_actions(position)
            drawn = self.game.solution.value(position) == 0
        except SearchTooLargeError:
            return "This game is too large to solve."
        if not len(best):
            return "Every move loses against correct play."
        return ("Keeping the draw: " if drawn else "Winning: ") + "; ".join(
            self.game.describe(action, position) for action in best.tolist()
        )


def _listed(moves: list[str]) -> str:
    """The moves of a part in words; moves named by one number are joined to ranges."""
    numbers: dict[str, list[int]] = {}
    for move in moves:
        match = NUMBERED.fullmatch(move)
        # Moves named by several numbers are listed alone.
        numbers.setdefault(match[1] if match else move, []).extend([int(match[2])] if match else [])
    parts = [
        name + (any_of(sorted(choices)) if choices else "") for name, choices in numbers.items()
    ]
    more = len(parts) - MOST_LISTED
    return "; ".join(parts[:MOST_LISTED] + ([f"… and {more} more"] if more > 0 else []))
