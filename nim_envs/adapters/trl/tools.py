"""TRL: whole games as environments, in which the model moves by calling a tool."""

from collections.abc import Callable, Sequence
from typing import Any

from nim_envs.game import Game
from nim_envs.text import Language, TextGame, Transcript, Turn
from nim_envs.text.play import mean_reward
from nim_envs.validation import checked_choice


def game_environment(
    game: Game | Language, *, rewards: str = "result", seed: int = 0, **arguments: Any
) -> Callable[[], Any]:
    """Return a factory of whole games, for ``GRPOTrainer(environment_factory=...)``.

    The model moves by calling the tool ``move``; its chat template must know tools. TRL takes one
    reward for each rollout.

    Args:
        game: the game, or its language.
        rewards: ``"result"``: 1 for a game that was won, 0 for a drawn one and -1 for any other,
            including unfinished ones. ``"turn"``: the mean reward of the turns that have one.
        seed: seed of all environments of the factory; each plays different games.
        arguments: those of :class:`nim_envs.text.TextGame`.

    Raises:
        ValueError: unknown ``rewards``; for the arguments see :class:`nim_envs.text.TextGame`.
    """
    checked_choice("rewards", rewards, ("result", "turn"))
    TextGame(game, seed=seed, **arguments)  # raises errors
    count = 0

    class GameEnvironment:
        """One game at a time, played by calling ``move``."""

        def __init__(self) -> None:
            nonlocal count
            self._play = TextGame(game, seed=seed + count, **arguments)
            self.turns: list[Turn] = []
            count += 1

        def reset(self, position: Sequence[int] | None = None, **_: Any) -> str:
            """Begin a game, from the row's position if it has one; return rules and prompt."""
            self.turns = []
            first = self._play.reset(None if position is None else tuple(position))
            return self._play.opening(first)

        @property
        def transcript(self) -> Transcript:
            """The game so far, to be replayed."""
            return self._play.transcript

        def move(self, move: str) -> str:
            """Make a move in the game.

            Args:
                move: The move, in the form that the rules ask for.

            Returns:
                The opponent's move and the position after it, or the result.
            """
            if self.turns and self.turns[-1].over:
                return "The game is over."
            turn = self._play.reply(move)
            self.turns.append(turn)
            if turn.again:
                return turn.message
            answer = f"The opponent: {turn.opponent_move}. " if turn.opponent_move else ""
            return answer + (turn.prompt or f"The game is over. {turn.ending}")

        def get_reward(self) -> float:
            """Return the reward of the game."""
            if rewards == "result":
                return self.turns[-1].result if self.turns and self.turns[-1].over else -1.0
            return mean_reward(self.turns) or 0.0

    return GameEnvironment
