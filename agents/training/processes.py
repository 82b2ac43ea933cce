"""The decision process that a run learns from, for a checkpoint: environment, start and players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

from agents import storage
from agents.base import Agent, Learner
from agents.games import game_in_words, game_of, shows_address
from agents.training.opponents import Opponents
from nim_envs import Game, GameEnv
from nim_envs.starts import as_start


class Environment(TypedDict):
    """Arguments of :class:`nim_envs.GameEnv` that its process depends on."""

    game: Game
    encoding: str
    illegal_move: str
    max_cycles: int | None


def environment_of(env: Any) -> Environment | None:
    """Return the arguments that make an environment again.

    ``None`` if a file cannot hold them: of another environment, a wrapped one, or one of a game
    that is not registered.
    """
    if type(env) is not GameEnv or not storage.is_savable(env.game):
        return None
    return {
        "game": env.game,
        "encoding": env.encoding.name,
        "illegal_move": env.illegal_move,
        "max_cycles": env.max_cycles,
    }


def process_of(
    env: Any,
    agents: tuple[Agent, Agent] | Opponents,
    learners: Sequence[Learner],
    options: dict[str, Any] | None,
) -> dict[str, str]:
    """Return the process that a run learns from, in words: runs of one process have the same.

    Args:
        env: environment of the run, wrapped or not.
        agents: players of the two seats, or a learner and its opponents.
        learners: learners among them, each once; a file holds these.
        options: options of every reset.
    """
    game, others = game_of(env), dict(options or {})
    process = {"environment": _environment_in_words(env)}
    if game is not None:
        if "start" in others:
            game = replace(game, starts=as_start(others.pop("start")))
        process |= game_in_words(game)
    return {**process, "options": str(others), "agents": _agents_in_words(agents, learners)}


def seats_of(
    agents: tuple[Agent, Agent] | Opponents, learners: Sequence[Learner]
) -> list[int] | None:
    """Return the index of each seat's learner; ``None`` if another agent plays."""
    if isinstance(agents, Opponents):
        return None
    seats = [
        index for agent in agents for index, learner in enumerate(learners) if learner is agent
    ]
    return seats if len(seats) == len(agents) else None


def _environment_in_words(env: Any) -> str:
    """Return the kind of an environment, its settings and its wrappers, from inside out."""
    wrappers = []
    while env is not env.unwrapped:
        wrappers.append(type(env).__qualname__)
        env = env.env
    parts = [type(env).__qualname__]
    if isinstance(env, GameEnv):
        parts.append(
            f"encoding={env.encoding.name!r}, illegal_move={env.illegal_move!r}, "
            f"max_cycles={env.max_cycles!r}"
        )
    else:
        parts.append(str(env))
    return " in ".join([", ".join(parts), *reversed(wrappers)])


def _agents_in_words(agents: tuple[Agent, Agent] | Opponents, learners: Sequence[Learner]) -> str:
    if isinstance(agents, Opponents):
        opponents = ", ".join(_in_words(agent, learners) for agent in agents.opponents)
        learner = _in_words(agents.learner, learners)
        return f"{learner} in seat {agents.seat} against {opponents} in {agents.order} order"
    first, second = agents
    other = "itself" if second is first else _in_words(second, learners)
    return f"{_in_words(first, learners)} against {other}"


def _in_words(agent: Agent, learners: Sequence[Learner]) -> str:
    """Return an agent's class, with its number among the learners or as it shows itself."""
    kind = type(agent)
    for index, learner in enumerate(learners):
        if learner is agent:
            return f"{kind.__qualname__} (learner {index})"
    return kind.__qualname__ if shows_address(agent) else repr(agent)
