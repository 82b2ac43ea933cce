"""A game between a person and an agent, or between two people: moves, replies, undo."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from agents.base import Agent
from nim_envs import GameEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.render.scene import Scene
from nim_envs.typing import IntArray


@dataclass(frozen=True)
class _Move:
    """A move that was made: its position, its seat and its action."""

    position: IntArray
    seat: int
    action: int


class Match:
    """A game that a person plays, move by move.

    Args:
        env: environment of the game; the constructor resets it.
        opponent: agent in the other seat; ``None``: people play both.
        seat: the person's seat, 0 or 1.
        names: names of the seats; ``"you"`` where a person reads about their own seat.
        seed: seed of the starts and of the opponent's choices.
    """

    def __init__(
        self,
        env: GameEnv,
        opponent: Agent | None,
        seat: int = 0,
        names: tuple[str, str] = ("player_0", "player_1"),
        seed: int | None = None,
    ) -> None:
        self.env = env
        self.game = env.game
        self.opponent = opponent
        self.seat = seat
        self.names = names
        self._rng = np.random.default_rng(seed)
        self._moves: list[_Move] = []
        env.reset(seed=seed)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    @property
    def mover(self) -> int | None:
        """The seat to move, or ``None`` when the game is over."""
        return None if self.over else self.env.possible_agents.index(self.env.agent_selection)

    @property
    def awaits_person(self) -> bool:
        """Whether a person is to move."""
        return not self.over and (self.opponent is None or self.mover == self.seat)

    @property
    def awaits_opponent(self) -> bool:
        """Whether the agent is to move."""
        return not self.over and not self.awaits_person

    @property
    def position(self) -> IntArray:
        """The position, ``(components,)``."""
        return self.game.rules.positions_at(self.env.position)

    @property
    def winner(self) -> int | None:
        """The seat that has won, or ``None``."""
        rewards = [self.env.rewards[agent] for agent in self.env.possible_agents]
        return int(np.argmax(rewards)) if self.over and any(rewards) else None

    @property
    def status(self) -> str:
        """Whose turn it is, or who has won, in words."""
        if self.mover is not None and self.names[self.mover] == "you":
            return "your move"
        if self.winner is not None and self.names[self.winner] == "you":
            return "you have won"
        return self.scene().status

    def legal_actions(self, component: int) -> list[int]:
        """Return the legal actions in a component, in ascending order of the state they leave."""
        rules = self.game.rules
        successors = rules.state_options[component][int(self.position[component])].successors
        options = np.flatnonzero(successors >= 0)
        order = np.argsort(successors[options], kind="stable")
        return [rules.action(component, int(option)) for option in options[order]]

    @property
    def last_move(self) -> str:
        """The last move and who made it, in words; empty before the first move."""
        if not self._moves:
            return ""
        move = self._moves[-1]
        text = self.game.rules.describe_move(move.action, move.position)
        return f"{self.names[move.seat]}: {text}"

    def thrown(self) -> str:
        """Return the last mistake of a person that cost them a win or a draw, in words.

        Returns:
            The move, and those that would have kept the result; empty before the end of the game,
            if there is no such mistake, and where the game is too large to solve.
        """
        if not self.over:
            return ""
        solution = self.game.old_solution
        with suppress(SearchTooLargeError):
            for move in reversed(self._moves):
                by_person = self.opponent is None or move.seat == self.seat
                if not by_person or self.winner == move.seat:
                    continue
                keeping = solution.keeping_actions(move.position).tolist()
                if not keeping or move.action in keeping:
                    continue
                who = self.names[move.seat] if self.opponent is None else "you"
                result = "draw" if solution.value(move.position) == 0 else "win"
                if result == "draw" and self.winner is None:
                    continue
                describe = partial(self.game.rules.describe_action, position=move.position)
                others = f", or {len(keeping) - 1} more" if len(keeping) > 1 else ""
                place = " ".join(map(str, self.game.rules.coordinate_tuple(move.position)))
                return (
                    f"{who} threw the {result} away at {place} with "
                    f"{describe(move.action)}; {describe(keeping[0])}{others} would have kept it"
                )
        return ""

    def play(self, action: int) -> None:
        """Make a move of the player to move.

        Args:
            action: a legal action; the game is not over.
        """
        seat = self.env.possible_agents.index(self.env.agent_selection)
        self._moves.append(_Move(self.position, seat, action))
        self.env.step(action)

    def move_by(self, agent: Agent) -> None:
        """Make the move that ``agent`` chooses for the player to move."""
        observed = self.env.observe(self.env.agent_selection)
        self.play(agent.act(observed["observation"], observed["action_mask"], self._rng))

    def reply(self) -> None:
        """Let the opponent, whose turn it is, make its move."""
        assert self.opponent is not None
        self.move_by(self.opponent)

    def undo(self) -> bool:
        """Take back a person's last move and the reply to it; return whether there was one."""
        for index in reversed(range(len(self._moves))):
            move = self._moves[index]
            if self.opponent is None or move.seat == self.seat:
                del self._moves[index:]
                before = self.game.rules.coordinates(move.position)
                self.env.set_position(before, agent=self.env.possible_agents[move.seat])
                return True
        return False

    def restart(self) -> None:
        """Begin a new game."""
        self._moves.clear()
        self.env.reset()

    def scene(self, winning: bool = False, pointed: int | None = None) -> Scene:
        """Return the contents of a picture of the game.

        Args:
            winning: whether to mark the winning moves, or those that keep a draw.
            pointed: legal action to preview; ``None``: none.

        Raises:
            SearchTooLargeError: ``winning`` is true and the game is too large to solve.
        """
        last = self._moves[-1] if self._moves else None
        return Scene(
            position=self.position,
            mover=self.mover,
            winner=self.winner,
            previous=None if last is None else last.position,
            last_mover=None if last is None else last.seat,
            last_move="; ".join(filter(None, (self.last_move, self.thrown()))),
            winning=(
                self.game.old_solution.keeping_actions(self.position)
                if winning and not self.over
                else None
            ),
            pointed=pointed,
            names=self.names,
            drawn=self.winner is None and any(self.env.terminations.values()),
        )
