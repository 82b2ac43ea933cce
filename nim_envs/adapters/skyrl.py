"""SkyRL: whole games in text, as environments of skyrl-gym, with a reward for every turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from nim_envs.optional import imports_for
from nim_envs.registration import make_game
from nim_envs.text import TextGame, Turn
from nim_envs.text.language import language_of
from nim_envs.text.play import mean_reward
from nim_envs.validation import checked_choice

with imports_for("the adapter for SkyRL", "skyrl"):
    from skyrl_gym.envs.base_text_env import BaseTextEnv

REWARDS = ("turn", "result")

Message = dict[str, str]


class SkyRLTextEnv(BaseTextEnv):
    """One game against an opponent, in which the model's messages are its moves.

    Register it with the game as ``kwargs``; a row of the dataset may have a ``seed`` and a
    ``position`` of its own, which SkyRL passes as ``extras``.

    Args:
        env_config: SkyRL's settings of the environment, which has none.
        extras: the row: ``seed``, the seed of its game; ``position``, the start of its game. Other
            entries are ignored.
        game: name of a registered game.
        arguments: arguments of :func:`nim_envs.make_game`.
        disguise: seed of other names; ``None``: the game's own names.
        rules: sentences that say what a move is and who wins, as :class:`nim_envs.text.Language`
            takes them; ``None``: those of the game.
        rewards: ``"turn"``: 1 for each reply that keeps the win, ½ for one that keeps a draw, else
            0, and 0 where every move loses; ``"result"``: 1, 0 for a draw, or -1 at the end of the
            game, 0 before.
        seed: seed of the game of a row that has none.
        of_play: other arguments of :class:`nim_envs.text.TextGame`; the style is
            ``"conversation"`` by default and for ``"sentences"``, which give the rules once.

    Raises:
        ValueError: unknown ``rewards``; for the other arguments see
            :class:`nim_envs.text.TextGame`.

    Example:
        >>> import skyrl_gym
        >>> skyrl_gym.register(
        ...     id="nim_1_2",
        ...     entry_point="nim_envs.adapters.skyrl:SkyRLTextEnv",
        ...     kwargs={"game": "nim", "arguments": {"heaps": (1, 2)}, "seat": 0},
        ... )
        >>> env = skyrl_gym.make("nim_1_2", extras={"seed": 1})
        >>> messages, _ = env.init([{"role": "system", "content": "Play to win."}])
        >>> messages[-1]["content"][:52]
        'Two players move in turn. There are 2 heaps, numbere'
        >>> turn = env.step("heap 1: take 1")
        >>> turn["reward"], turn["done"], turn["metadata"]["verdict"]
        (1.0, False, 'kept_win')
        >>> turn["observations"][0]["content"].partition(". ")[2]
        'Now heap 0 has 1 object and heap 1 has 0 objects. It is your turn.'
    """

    def __init__(
        self,
        env_config: Any = None,
        extras: Mapping[str, Any] | None = None,
        *,
        game: str = "nim",
        arguments: Mapping[str, Any] | None = None,
        disguise: int | None = None,
        rules: str | None = None,
        rewards: Literal["turn", "result"] = "turn",
        seed: int = 0,
        **of_play: Any,
    ) -> None:
        super().__init__()
        checked_choice("rewards", rewards, REWARDS)
        row = extras or {}
        language = language_of(make_game(game, **(arguments or {})), disguise, rules)
        if of_play.setdefault("style", "conversation") == "sentences":
            of_play["style"] = "conversation"
        self._play = TextGame(language, seed=row.get("seed", seed), **of_play)
        self._position = row.get("position")
        self._by_turn = rewards == "turn"
        self.replies: list[Turn] = []

    def init(self, prompt: list[Message]) -> tuple[list[Message], dict[str, Any]]:
        """Begin the game.

        Args:
            prompt: messages before the game, such as a system message; may be empty.

        Returns:
            These, with the rules and the first position in a message of the user, and no metadata.

        Raises:
            InvalidPositionError: the row's position is none of the game that leaves a move.
        """
        self.replies, self.turns = [], 0
        start = None if self._position is None else tuple(self._position)
        return [*prompt, _from_user(self._play.opening(self._play.reset(start)))], {}

    def step(self, action: str) -> dict[str, Any]:
        """Make the move that a reply names.

        Args:
            action: the model's message.

        Returns:
            ``observations``, the opponent's move and the next position in a message of the user,
            none at the end; ``reward``; ``done``; ``metadata``, with the ``verdict`` on the reply
            and the ``result`` of the game, 0 until its end.

        Raises:
            ResetNeededError: no game is in progress.
        """
        turn = self._play.reply(action)
        self.replies.append(turn)
        self.turns += 1
        earned = 0.0 if turn.again or turn.reward is None else turn.reward
        return {
            "observations": [] if turn.over else [_from_user(turn.message)],
            "reward": earned if self._by_turn else turn.result,
            "done": turn.over,
            "metadata": {"verdict": turn.verdict.kind, "result": turn.result},
        }

    def get_metrics(self) -> dict[str, float]:
        """Return whether the game was won or drawn, and the mean reward of the turns with one."""
        if not self.replies:
            return {}
        won = {"won": float(self.replies[-1].result > 0)}
        if self._play.language.game.has_outcome:
            won["drawn"] = float(self.replies[-1].points == 0.5)
        keep_rate = mean_reward(self.replies)
        return won if keep_rate is None else {**won, "kept_win": keep_rate}


def _from_user(content: str) -> Message:
    return {"role": "user", "content": content}
