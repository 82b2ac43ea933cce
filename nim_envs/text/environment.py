"""Games in text as a Gymnasium environment."""

import string
from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
from gymnasium import spaces

from nim_envs.envs.arguments import checked_options, checked_seed
from nim_envs.game import Game
from nim_envs.players import AnyPlayer
from nim_envs.starts import Start
from nim_envs.text.language import Language
from nim_envs.text.play import TextGame
from nim_envs.text.prompts import PROMPT_VERSION, prompt
from nim_envs.validation import checked_choice

LONGEST_PROMPT = 1 << 20
LONGEST_ACTION = 1 << 12
"""Maximum length of a reply in the action space, in characters; longer ones are accepted too."""

REWARDS = ("result", "turn")


class TextEnv(gymnasium.Env[str, str]):
    """Games in text for Gymnasium: observations are prompts, actions are replies.

    ## Action Space
    ``Text``: printable ASCII. Any other string is accepted too.

    ## Observation Space
    ``Text``: the prompt; at the end of a game a sentence that says who won, or that it is drawn.

    ## Rewards
    ``rewards="result"``: +1 for a win, 0 for a draw and -1 for a loss in the step that ends the
    game, 0 before. ``rewards="turn"``: 1 for a reply that keeps a win, ½ for one that keeps a draw,
    else 0; 0 in lost positions too.

    ## Episode End
    The game terminates when no legal move is left, or after a reply that names no legal move once
    the retries of its turn are used up.

    ## Information
    ``"prompt_version"``; ``"seat"``, which replies next; and on the last reply ``"kind"``,
    ``"winning"`` and ``"kept_win"``, as in :class:`Verdict`, and ``"again"``, whether the next
    prompt is for the same position. In games with an outcome of their own also ``"value"`` and
    ``"kept_value"``.

    Args:
        game: the game, or its language; this and the next ten arguments as in :class:`TextGame`.
        opponent: player of the other seat.
        seat: seat of the player who replies.
        start: distribution of start positions.
        retries: further replies allowed in a turn after one that names no legal move.
        hurry: whether an optimal opponent hurries.
        max_cycles: maximum number of moves of each player.
        style: style of the prompts.
        answer: form of the answers.
        last_line: whether only the last line of a reply is read.
        rewards: ``"result"`` or ``"turn"``.

    Raises:
        InvalidGameError: unknown ``rewards``; for the others see :class:`TextGame`.

    Example:
        >>> from nim_envs import make_game
        >>> env = TextEnv(make_game("nim", heaps=(1, 2)), seat=0)
        >>> env.reset(seed=0)[0]
        'normal heaps 1 2 move'
        >>> observation, reward, terminated, truncated, info = env.step("heap 0: take 2")
        >>> observation, reward, terminated, info["kind"]
        ('The game is over. You lose.', -1.0, True, 'illegal')
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: Game | Language,
        opponent: str | float | AnyPlayer | None = "optimal",
        seat: Literal[0, 1, "random"] | None = "random",
        start: str | Start | Sequence[int] | None = None,
        retries: int = 0,
        *,
        hurry: bool = False,
        max_cycles: int | None = None,
        style: str = "short",
        answer: str = "line",
        last_line: bool = False,
        rewards: str = "result",
        render_mode: str | None = None,
    ) -> None:
        self._play = TextGame(
            game, opponent, seat, start, retries,
            hurry=hurry, max_cycles=max_cycles, style=style, answer=answer, last_line=last_line,
        )  # fmt: skip
        self._rewards = checked_choice("rewards", rewards, REWARDS)
        self.render_mode = checked_choice("render_mode", render_mode, ("ansi",), or_none=True)
        language = self._play.language
        longest_style = "sentences" if style == "conversation" else style
        first_prompt = prompt(language, language.game.start, longest_style, answer=answer)
        self.observation_space = spaces.Text(
            LONGEST_PROMPT, min_length=1, charset=frozenset(string.printable) | set(first_prompt)
        )
        self.action_space = spaces.Text(LONGEST_ACTION, min_length=0, charset=string.printable)
        self._observation = ""
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a game.

        Args:
            seed: seed of this game and of those after it; ``None`` keeps the current generator.
            options: ``{"position": ...}``: start of this game.

        Returns:
            The prompt and the info.

        Raises:
            InvalidResetError: an invalid seed or option.
            InvalidPositionError: not a position of the game that leaves a move.
        """
        super().reset(seed=checked_seed(seed))
        position = checked_options(options, ("position",)).get("position")
        if seed is not None or not self._begun:
            seed = int(self.np_random.integers(2**63))
        self._observation = self._play.reset(position, seed=seed)
        self._begun = True
        return self._observation, self._info()

    def _info(self) -> dict[str, Any]:
        return {"prompt_version": PROMPT_VERSION, "seat": self._play.seat}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Make the move that a reply names, and let the opponent answer.

        Args:
            action: any text.

        Returns:
            The next prompt, the reward, whether the game terminated, whether it was truncated, and
            the info.

        Raises:
            ResetNeededError: no game is in progress.
            TypeError: ``action`` is not a string.
        """
        turn = self._play.reply(action)
        self._observation = turn.prompt or f"The game is over. {turn.ending}"
        truth = turn.verdict
        info = self._info() | {
            "kind": truth.kind,
            "winning": truth.winning,
            "kept_win": truth.kept_win,
            "again": turn.again,
        }
        if self._play.language.game.has_outcome:
            info |= {"value": truth.value, "kept_value": truth.kept_value}
        reward = turn.result if self._rewards == "result" else turn.reward or 0.0
        terminated = turn.over and not turn.truncated
        return self._observation, reward, terminated, turn.truncated, info

    def render(self) -> str | None:
        """Return the last observation where ``render_mode="ansi"``."""
        return self._observation if self.render_mode == "ansi" else None
