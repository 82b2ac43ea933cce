"""A game between a person and an agent, or between two people: moves, replies, undo."""

from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent
from agents.match import MatchedPlayer
from nim_envs import GameEnv
from nim_envs.game import PLAYERS
from nim_envs.render.scene import Scene
from nim_envs.typing import Position


class Move(NamedTuple):
    """A move: its position, its seat, its action, and if that is illegal the player's answer."""

    position: Position
    seat: int
    action: int
    illegal: Any = None


class Match:
    """A game that a person plays, move by move.

    Without an ``opponent`` people play both seats. A seat is named ``"you"`` where a person reads
    about their own.
    """

    def __init__(
        self,
        env: GameEnv,
        opponent: Agent | None,
        seat: int = 0,
        names: tuple[str, str] = PLAYERS,
        seed: int | None = None,
    ) -> None:
        self.env, self.game = env, env.game
        self.opponent, self.seat, self.names = opponent, seat, names
        self._rng, self._moves = np.random.default_rng(seed), list[Move]()
        env.reset(seed=seed)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    @property
    def mover(self) -> int | None:
        """The seat to move, or ``None`` when the game is over."""
        return None if self.over else PLAYERS.index(self.env.agent_selection)

    @property
    def awaits_person(self) -> bool:
        """Whether a person is to move."""
        return not self.over and (self.opponent is None or self.mover == self.seat)

    @property
    def awaits_opponent(self) -> bool:
        """Whether the agent is to move."""
        return not self.over and not self.awaits_person

    @property
    def position(self) -> Position:
        """The position."""
        return tuple(self.env.position.tolist())

    @property
    def winner(self) -> int | None:
        """The seat that has won, or ``None``."""
        rewards = [self.env.rewards[agent] for agent in PLAYERS]
        return int(np.argmax(rewards)) if self.over and any(rewards) else None

    @property
    def status(self) -> str:
        """Whose turn it is, or who has won, in words."""
        seat = self.winner if self.mover is None else self.mover
        if seat is not None and self.names[seat] == "you":
            return "you have won" if self.over else "your move"
        return self.scene().status

    @property
    def last_move(self) -> str:
        """The last move and who made it, in words; empty before the first move."""
        if not self._moves:
            return ""
        position, seat, action, illegal = self._moves[-1]
        if illegal is not None:
            is_action = isinstance(illegal, int) and 0 <= illegal < self.game.num_actions
            said = self.game.describe(illegal, position) if is_action else illegal
            return f"{self.names[seat]} answered {said} at {position}, no legal move, and loses"
        part, option = divmod(action, self.game.options)
        removed = self.game.parts[part].removal(option, self.game.split(position)[part])
        text = self.game.describe(action, position)
        return f"{self.names[seat]}: {text}{f' ({removed})' if removed else ''}"

    def play(self, action: int, illegal: Any = None) -> None:
        """Make a move of the player to move; an illegal answer, which is shown, loses."""
        seat = PLAYERS.index(self.env.agent_selection)
        self._moves.append(Move(self.position, seat, action, illegal))
        if illegal is None:
            self.env.step(action)
        else:
            self.env.forfeit()

    def reply(self, person: Agent | None = None) -> None:
        """Make the move that the opponent chooses, or another agent that stands for a person."""
        agent: Any = person or self.opponent
        observed = self.env.observe(self.env.agent_selection)
        action = agent.act(observed["observation"], observed["action_mask"], self._rng)
        illegal = None
        if action not in self.game.actions(self.position):
            illegal = (isinstance(agent, MatchedPlayer) and agent.adapter.refused) or action
        self.play(action, illegal)

    def undo(self) -> bool:
        """Take back a person's last move and the reply to it; return whether there was one."""
        for index in reversed(range(len(self._moves))):
            position, seat, *_ = self._moves[index]
            if self.opponent is None or seat == self.seat:
                del self._moves[index:]
                self.env.set_position(position, agent=PLAYERS[seat])
                return True
        return False

    def restart(self) -> None:
        """Begin a new game."""
        self._moves.clear()
        self.env.reset()

    def scene(self, winning: bool = False, pointed: int | None = None) -> Scene:
        """Return the contents of a picture of the game."""
        last = self._moves[-1] if self._moves else None
        marked = winning and not self.over
        return Scene(
            position=self.position,
            mover=self.mover,
            winner=self.winner,
            previous=None if last is None else last.position,
            last_mover=None if last is None else last.seat,
            last_move=self.last_move,
            winning=self.game.solution.keeping_actions(self.position) if marked else None,
            pointed=pointed,
            names=self.names,
            drawn=self.winner is None and any(self.env.terminations.values()),
        )
