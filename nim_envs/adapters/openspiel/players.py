"""Agents, bots and policies of OpenSpiel as players."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy, rl_agent, rl_environment

from nim_envs.adapters.openspiel.part import OpenSpielPart
from nim_envs.errors import InvalidPolicyError
from nim_envs.game import Game
from nim_envs.typing import FloatArray, IntArray

Chances = dict[int, float]
"""Probabilities of actions by their ids."""


class OpenSpielPlayer:
    """An agent, a bot or a policy of OpenSpiel, asked at positions of a game.

    - An agent is asked by ``step`` with ``is_evaluation=True``, so that it neither learns nor
      explores, and gives its probabilities; its time step has the full state.
    - A bot is asked for its policy where it provides one, else by ``step``, after ``restart_at``
      where it has that: from position to position it remembers nothing.
    - A policy is asked by ``action_probabilities``.

    An agent or a bot of one player alone is asked only where that player moves: with scores over
    ``"player_0"`` or ``"player_1"``, in matches and as an opponent.
    ``open_spiel.python.rl_agent_policy.JointRLAgentPolicy`` joins the agents of both.

    Args:
        player: an agent, a bot or a policy of OpenSpiel.
        game: a game of :func:`game_of`; ``None``: the environment has none.

    Raises:
        TypeError: ``player`` is none of these, or the game is not one of :func:`game_of`.
    """

    def __init__(self, player: Any, game: Game | None) -> None:
        part = None if game is None else game.parts[0]
        if game is None or not isinstance(part, OpenSpielPart):
            name = "an environment of another package" if game is None else game.name
            raise TypeError(
                f"{player!r} plays games of nim_envs.adapters.openspiel.game_of, not {name}"
            )
        self._part, self._player = part, player
        self._chances_at: Callable[[Any], Chances]
        if isinstance(player, (policy.Policy, pyspiel.Policy)):
            self._chances_at = player.action_probabilities
        elif isinstance(player, pyspiel.Bot):
            self._chances_at = self._chances_of_bot
        elif isinstance(player, rl_agent.AbstractAgent):
            self._env = rl_environment.Environment(part.openspiel_game, include_full_state=True)
            self._chances_at = self._chances_of_agent
        else:
            raise TypeError(
                f"{player!r} of OpenSpiel plays nothing: an Agent, a Bot or a Policy does"
            )

    def __repr__(self) -> str:
        """Return the player of OpenSpiel."""
        return repr(self._player)

    def position_probabilities(self, positions: IntArray) -> FloatArray:
        """Return the probability of every action, ``(n, actions)``.

        Args:
            positions: coordinates ``(n, fields)``, each with a legal move.

        Raises:
            InvalidPolicyError: the player raises, or names no action of the game.
        """
        chances = np.zeros((len(positions), self._part.num_actions))
        for row, position in zip(chances, map(tuple, positions.tolist()), strict=True):
            if self._part.is_forced_pass(position):
                row[-1] = 1.0
                continue
            reached = self._part.openspiel_state(position)
            try:
                answer = self._chances_at(reached)
            except Exception as error:
                raise self._fault(reached, f"raised {type(error).__name__}: {error}") from error
            ids = list(answer)
            if not ids or min(ids) < 0 or max(ids) >= len(row):
                raise self._fault(reached, f"named the actions {ids}")
            row[ids] = list(answer.values())
        return chances

    def _fault(self, state: Any, did: str) -> InvalidPolicyError:
        """Return the error for a player that failed at a state."""
        return InvalidPolicyError(
            f"{self._player!r} {did}, where player {state.current_player()} is to move after the "
            f"actions {state.history()}. An agent or a bot of one player is scored with "
            "positions='player_0' or 'player_1'; JointRLAgentPolicy of OpenSpiel joins two"
        )

    def _chances_of_bot(self, state: Any) -> Chances:
        """Return the probabilities of a bot."""
        bot = self._player
        if _defines(bot, "restart_at"):
            bot.restart_at(state)
        if not bot.provides_policy():
            return {int(bot.step(state)): 1.0}
        # A bot of C++ that draws among no actions, those of another player, ends the process.
        of_policy = _defines(bot, "get_policy")
        return dict(bot.get_policy(state) if of_policy else bot.step_with_policy(state)[0])

    def _chances_of_agent(self, state: Any) -> Chances:
        """Return the probabilities of an agent."""
        self._env.set_state(state)
        output = self._player.step(self._env.get_time_step(), is_evaluation=True)
        if output.probs is None:
            return {int(output.action): 1.0}
        return {action: float(chance) for action, chance in enumerate(output.probs) if chance}


def _defines(bot: Any, method: str) -> bool:
    """Return whether a bot has a method of its own: that of ``pyspiel.Bot`` raises an error."""
    kind = type(bot)
    return kind.__module__ == "pyspiel" or getattr(kind, method) is not getattr(pyspiel.Bot, method)
