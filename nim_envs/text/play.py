"""Whole games in text, against any opponent, with a verdict on every reply."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nim_envs.envs.arguments import is_seed
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import InvalidResetError, ResetNeededError
from nim_envs.game import Game
from nim_envs.players import AnyPlayer
from nim_envs.starts import Start, as_start
from nim_envs.text.language import GivenPosition, Language, as_language
from nim_envs.text.prompts import PROMPT_VERSION, STYLES, prompt, rules_text
from nim_envs.text.reading import check_form
from nim_envs.text.verdicts import Verdict, reward, verdict
from nim_envs.typing import Position
from nim_envs.validation import checked_choice, checked_integer

PLAY_STYLES = (*STYLES, "conversation")
"""Styles of the prompts of whole games."""


@dataclass(frozen=True)
class Turn:
    """The result of a reply.

    Attributes:
        verdict: exact judgement of the reply.
        fault: verdict on the first reply of this turn that named no legal move, even if a later one
            did; ``None``: there was none.
        again: whether the next prompt is for the same position, as the reply named no legal move.
        prompt: the next prompt; ``None``: the game is over.
        result: 0 while the game goes on; at its end 1 for a win, 0 for a draw and -1 for a loss, in
            self-play of the player who replied.
        opponent_move: the opponent's move as text; ``None``: it made none, or an illegal one.
        truncated: whether the game was truncated by ``max_cycles``, without a winner.
    """

    verdict: Verdict
    fault: Verdict | None
    again: bool
    prompt: str | None
    result: float
    opponent_move: str | None
    truncated: bool = False

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.prompt is None

    @property
    def reward(self) -> float | None:
        """The reward of the turn: that of :func:`reward`; 0 after a fault in the same turn.

        If ``again`` is true the turn is not over, and its reward is that of its last reply.
        """
        return reward(self.verdict if self.fault is None else self.fault)

    @property
    def message(self) -> str:
        """The next message of a conversation: what the opponent did, or a fault; then the prompt.

        Empty at the end of the game.
        """
        if self.prompt is None:
            return ""
        if self.again:
            return f"That is no move: {self.verdict.why}. {self.prompt}"
        return f"I play {self.opponent_move}. {self.prompt}" if self.opponent_move else self.prompt

    @property
    def ending(self) -> str:
        """How the game ended: ``"You win."``, ``"You lose."`` or ``"The game is drawn."``."""
        if self.truncated:
            return "The game is truncated, without a winner."
        return {1.0: "You win.", -1.0: "You lose."}.get(self.result, "The game is drawn.")

    @property
    def points(self) -> float:
        """1 for a game that was won, ½ for a drawn one, 0 for a lost one and until its end."""
        return (1.0 + self.result) / 2 if self.over else 0.0


def mean_reward(turns: Sequence[Turn]) -> float | None:
    """Return the mean reward of the turns that have one; ``None`` where none has.

    A turn that was asked again counts once, when it is over.
    """
    rewards = [turn.reward for turn in turns if not turn.again]
    known = [each for each in rewards if each is not None]
    return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Transcript:
    """One game in text, with everything needed to replay it.

    Attributes:
        game: the game in short, with the seed of its disguise.
        seed: seed of this game alone.
        position: the start that :meth:`TextGame.reset` was given; ``None``: the game's own.
        prompts: in order.
        replies: one for each prompt.
        style: style of the prompts.
        prompt_version: ``PROMPT_VERSION`` when the game was played.
    """

    game: str
    seed: int
    position: Position | None
    prompts: tuple[str, ...]
    replies: tuple[str, ...]
    style: str
    prompt_version: int = PROMPT_VERSION


class TextGame:
    """Games in text against an opponent, with a verdict on every reply.

    The same seed gives the same games, if the opponent draws only from the generator that it is
    given. There are two rewards to choose from: ``Turn.result`` at the end of the game, and
    ``Turn.reward`` for every turn.

    Args:
        game: the game, or its language.
        opponent: as :class:`nim_envs.envs.versus.VersusEnv` takes it: ``"optimal"``, ``"random"``,
            a probability of a random move, a function or an agent. ``None``: self-play, with
            prompts for both players in turn.
        seat: seat of the player who replies: 0 moves first, 1 second, ``"random"``: drawn for each
            game. Ignored in self-play.
        start: distribution of start positions, as :func:`nim_envs.make_game` takes it: ``"fixed"``,
            the full board; ``"n_position"``, any N-position; or any other. ``None``: the game's
            own.
        retries: further replies allowed in a turn after one that names no legal move; after these
            the game is forfeited.
        seed: seed of starts, seats and the opponent, an integer of at least 0.
        hurry: as in :class:`nim_envs.envs.versus.VersusEnv`.
        max_cycles: likewise.
        style: as in :func:`prompt`; or ``"conversation"``: the first prompt of a game is in
            sentences, and each later one has the position alone, for a model that sees the whole
            conversation.
        answer: form of the answers, as in :func:`prompt` and :func:`read_move`.
        last_line: whether only the last line of a reply is read, as in :func:`read_move`.

    Raises:
        TypeError: ``game`` is neither a game nor a language.
        InvalidGameError: another argument is not one of the values above; or prompts in sentences
            have no rules, as :func:`rules_text` says.
        InvalidPositionError: an invalid start.
        InvalidResetError: an invalid seed.
        SearchTooLargeError: the game cannot be solved.

    Example:
        >>> from nim_envs import make_game
        >>> play = TextGame(make_game("nim", heaps=(1, 2)), seat=0)
        >>> play.reset()
        'normal heaps 1 2 move'
        >>> turn = play.reply("heap 1: take 1")
        >>> turn.verdict.kind, turn.reward, turn.opponent_move is not None
        ('kept_win', 1.0, True)
        >>> turn = play.reply("I pass")
        >>> turn.verdict.kind, turn.reward, turn.over, turn.result
        ('format', 0.0, True, -1.0)
    """

    def __init__(
        self,
        game: Game | Language,
        opponent: str | float | AnyPlayer | None = "optimal",
        seat: Literal[0, 1, "random"] | None = "random",
        start: str | Start | Sequence[int] | None = None,
        retries: int = 0,
        seed: int = 0,
        *,
        hurry: bool = False,
        max_cycles: int | None = None,
        style: str = "short",
        answer: str = "line",
        last_line: bool = False,
    ) -> None:
        self.language = as_language(game)
        base = game.game if isinstance(game, Language) else game
        if start is not None:
            base = dataclasses.replace(base, starts=as_start(start))
        self.retries = checked_integer("retries", retries, 0)
        self.style = checked_choice("style", style, PLAY_STYLES)
        check_form(answer, last_line)
        self.answer, self.last_line = answer, last_line
        self._prompts: list[str] = []
        # An error is raised here and not during a game.
        self._prompt_at(base.start)
        self.language.game.solution.value(base.start)
        self._env = VersusEnv(
            base, opponent=opponent, hurry=hurry, max_cycles=max_cycles,
            seat=None if opponent is None else seat,
        )  # fmt: skip
        self._seed = _checked_seed(seed)
        self._games = 0
        self._game_seed = self._seed
        self._position: Position | None = None
        self._prompt: str | None = None
        self._replies: list[str] = []
        self._fault: Verdict | None = None
        self._retries_left = self.retries
        self.faults: tuple[Verdict, ...] = ()

    @property
    def seat(self) -> int:
        """The seat that replies next in the current game: 0 moves first, 1 second."""
        return self._env._seat

    @property
    def position(self) -> Position:
        """The current position."""
        return tuple(self._env.position.tolist())

    def reset(self, position: GivenPosition | None = None, *, seed: int | None = None) -> str:
        """Begin the next game, and return its first prompt.

        Args:
            position: start of this game; ``None``: drawn from ``start``. If the seat is 1, the
                opponent moves first.
            seed: starts the sequence of games of this seed; ``None`` continues the current one.

        Raises:
            InvalidPositionError: not a position of the game that leaves a move.
            InvalidResetError: an invalid seed.
        """
        if seed is not None:
            self._seed, self._games = _checked_seed(seed), 0
        (game_seed,) = np.random.SeedSequence((self._seed, self._games)).generate_state(
            1, np.uint64
        )
        self._games += 1
        return self._begin(position, int(game_seed))

    def _begin(self, position: GivenPosition | None, seed: int) -> str:
        start = None if position is None else self.language.position(position)
        self._prompt, self._position = None, start
        self._env.reset(seed=seed, options=None if start is None else {"start": start})
        self._game_seed = seed
        self._prompts, self._replies, self.faults = [], [], ()
        return self._ask()

    def _ask(self) -> str:
        """Begin a turn."""
        self._fault, self._retries_left = None, self.retries
        self._prompt = self._prompt_at(self.position)
        return self._prompt

    def _prompt_at(self, position: GivenPosition) -> str:
        style = self.style
        if style == "conversation":
            style = "position" if self._prompts else "sentences"
        return prompt(self.language, position, style, answer=self.answer)

    def opening(self, first: str) -> str:
        """Return the first prompt of a conversation, preceded by the rules if it does not say them.

        Args:
            first: the first prompt of a game.
        """
        if self.style in ("sentences", "conversation"):
            return first
        forms = " or ".join(self.language.forms)
        return f"{rules_text(self.language)} A move is written {forms}.\n{first}"

    def reply(self, text: str) -> Turn:
        """Make the move that a reply names, and let the opponent answer.

        Args:
            text: any text.

        Raises:
            ResetNeededError: no game is in progress.
            TypeError: ``text`` is not a string.
        """
        if self._prompt is None:
            raise ResetNeededError("no game is in progress: call reset()")
        truth = verdict(
            self.language, self.position, text, answer=self.answer, last_line=self.last_line
        )
        self._prompts.append(self._prompt)
        self._replies.append(text)
        if truth.action is None:
            return self._without_move(truth)
        fault = self._fault
        self._prompt = None
        _, result, ended, cut, _ = self._env.step(truth.action)
        opponent_move = self._opponent_move(truth)
        following = None if ended or cut else self._ask()
        return Turn(truth, fault, False, following, float(result), opponent_move, cut)

    def _without_move(self, truth: Verdict) -> Turn:
        """Ask again, or end the game."""
        if self._fault is None:
            self._fault = truth
            self.faults += (truth,)
        if self._retries_left:
            self._retries_left -= 1
            self._prompt = self._prompt_at(self.position)
            return Turn(truth, self._fault, True, self._prompt, 0.0, None)
        self._prompt = None
        return Turn(truth, self._fault, False, None, -1.0, None)

    def _opponent_move(self, truth: Verdict) -> str | None:
        """Return the opponent's move as text; ``None`` if it made none."""
        if self._env.opponent is None or truth.after is None:
            return None
        replies = self.language.outcomes(truth.after).after
        action = next((each for each, after in replies.items() if after == self.position), None)
        return None if action is None else self.language.move(truth.after, action)

    @property
    def transcript(self) -> Transcript:
        """The current game so far, or the last one."""
        return Transcript(
            self.language.name,
            self._game_seed,
            self._position,
            tuple(self._prompts),
            tuple(self._replies),
            self.style,
        )

    def replay(self, transcript: Transcript | dict[str, Any]) -> list[Turn]:
        """Play a game again from its transcript, and return its turns.

        Args:
            transcript: transcript of a game with the same arguments, or its
                :func:`dataclasses.asdict`, as read from JSON.

        Raises:
            TypeError: a dictionary without its fields.
            ValueError: it is of another game or other arguments: its prompts differ from those of
                this game; or it has more replies than prompts, or fewer.
        """
        if isinstance(transcript, dict):
            transcript = Transcript(**transcript)
        ours = self.language.name, self.style, PROMPT_VERSION
        theirs = transcript.game, transcript.style, transcript.prompt_version
        if ours != theirs:
            raise ValueError(f"the transcript is of {theirs}, and this game is {ours}")
        now: str | None = self._begin(transcript.position, transcript.seed)
        turns = []
        for index, (old_prompt, text) in enumerate(
            zip(transcript.prompts, transcript.replies, strict=True)
        ):
            if now != old_prompt:
                raise ValueError(f"prompt {index} of the transcript is {old_prompt!r}, not {now!r}")
            turns.append(self.reply(text))
            now = turns[-1].prompt
        return turns


def _checked_seed(seed: Any) -> int:
    if seed is None or not is_seed(seed):
        raise InvalidResetError(f"seed must be a Python integer of at least 0, not {seed!r}")
    return int(seed)
