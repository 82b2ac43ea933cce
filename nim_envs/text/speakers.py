"""Speakers, functions that answer prompts with text, as players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidPolicyError, InvalidPositionError
from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.text.language import Language, Position, as_language
from nim_envs.text.prompts import STYLES, prompt
from nim_envs.text.reading import read_move
from nim_envs.text.replies import Answer, Ask, Request
from nim_envs.typing import IntArray
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

Speak = Callable[[list[str]], Sequence[str]]
"""A function from a list of prompts to the replies, one for each, in the same order."""

BATCH_SIZE = 64
"""Default maximum number of prompts in one call of a speaker."""


def checked_replies(replies: Any, count: int) -> list[str]:
    """Return the replies to ``count`` prompts as a list.

    Raises:
        InvalidPolicyError: they are not ``count`` strings.
    """
    allowed = f"a speaker must return one string for each of {count} prompts"
    if isinstance(replies, (str, bytes)) or not hasattr(replies, "__iter__"):
        raise InvalidPolicyError(f"{allowed}, not {replies!r}")
    listed = list(replies)
    for reply in listed:
        if not isinstance(reply, str):
            raise InvalidPolicyError(f"{allowed}, not {reply!r} of type {type(reply).__name__}")
    if len(listed) != count:
        raise InvalidPolicyError(f"{allowed}, not {len(listed)} strings")
    return listed


def asking(speak: Speak) -> Ask:
    """Return a speaker as a function from requests to answers.

    Raises:
        TypeError: ``speak`` cannot be called.
    """
    _check_speaker(speak)

    def ask(requests: list[Request]) -> list[Answer]:
        replies = speak([request.prompt for request in requests])
        return [Answer(reply) for reply in checked_replies(replies, len(requests))]

    return ask


def _check_speaker(speak: Any) -> None:
    if not callable(speak):
        raise TypeError(
            f"speak must be a function of a list of prompts that returns replies, not {speak!r}"
        )


class TextPolicy:
    """A speaker as a policy, which can be scored or be an opponent in any environment.

    Observations are positions. A reply that names no legal move is the action -1.

    Args:
        speak: function from a list of prompts to the replies, one for each.
        game: the game, or its language.
        style: ``"short"`` or ``"sentences"``, as in :func:`prompt`.
        last_line: whether only the last line of a reply is read, as in :func:`read_move`.
        batch_size: maximum number of prompts in one call.

    Raises:
        TypeError: ``speak`` cannot be called, or ``game`` is neither a game nor a language.
        InvalidGameError: an unknown ``style``, or a ``batch_size`` below 1.

    Example:
        >>> import nim_envs
        >>> game = nim_envs.make_game("nim")
        >>> policy = TextPolicy(lambda prompts: ["heap 0: take 1"] * len(prompts), game)
        >>> positions = np.array([[3, 4, 5], [0, 4, 5]])
        >>> policy(positions, game.rules.action_mask(positions)).tolist()
        [0, -1]
    """

    def __init__(
        self,
        speak: Speak,
        game: Game | Language,
        *,
        style: str = "short",
        last_line: bool = False,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        self.language = as_language(game)
        self.last_line = checked_boolean("last_line", last_line)
        _check_speaker(speak)
        self._speak = speak
        self._style = checked_choice("style", style, STYLES)
        prompt(self.language, self.language.game.rules.initial, style)  # raises errors now
        self._batch_size = checked_integer("batch_size", batch_size, 1)

    def __call__(
        self, observations: npt.NDArray[Any], action_masks: npt.NDArray[np.int8]
    ) -> IntArray:
        """Return actions, int64 ``(n,)``, -1 for no legal move.

        Args:
            observations: positions, ``(n, components)``.
            action_masks: ``(n, actions)``; where no action is legal the speaker is not asked, and
                the action is 0.

        Raises:
            InvalidPositionError: observations that are not positions, such as those of an
                encoding; or arrays of other shapes.
            InvalidPolicyError: the speaker returned something else than one string for each prompt.
        """
        rules = self.language.game.rules
        positions = rules.checked_positions(observations)
        masks = np.asarray(action_masks)
        if positions.ndim != 2 or masks.shape != (len(positions), rules.num_actions):
            raise InvalidPositionError(
                f"positions (n, {len(rules.components)}) and action masks (n, {rules.num_actions}) "
                f"are expected, not of shapes {positions.shape} and {masks.shape}"
            )
        answers = np.zeros(len(positions), dtype=np.int64)
        to_ask = np.flatnonzero(masks.any(axis=-1))
        for first in range(0, len(to_ask), self._batch_size):
            batch = to_ask[first : first + self._batch_size]
            here = [tuple(position) for position in positions[batch].tolist()]
            prompts = [prompt(self.language, position, self._style) for position in here]
            replies = checked_replies(self._speak(prompts), len(prompts))
            answers[batch] = list(map(self._action, here, replies))
        return answers

    def _action(self, position: Position, reply: str) -> int:
        reading = read_move(self.language, position, reply, last_line=self.last_line)
        return NO_LEGAL_MOVE if reading.action is None else reading.action
