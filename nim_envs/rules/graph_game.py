"""Tokens on a directed acyclic graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import cycle_along
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integer, checked_integers, is_listing


@dataclass(frozen=True)
class Token(Component):
    """A token on a graph; option ``j`` moves it along the ``j``-th edge out of its node.

    Args:
        successors_of: for each node the nodes that its outgoing edges lead to.

    Raises:
        InvalidGameError: not lists of nodes, two edges between the same nodes, or a cycle,
            which the message names.
    """

    successors_of: tuple[tuple[int, ...], ...]

    kind = "token"

    def __post_init__(self) -> None:
        lists = self.successors_of
        if not is_listing(lists) or not isinstance(lists, Sequence) or not lists:
            raise InvalidGameError(
                "successors must be a list of the nodes that can be moved to from each node, for "
                f"one node at least, not {lists!r}"
            )
        checked = []
        for node, targets in enumerate(lists):
            if not is_listing(targets) or not isinstance(targets, Sequence):
                raise InvalidGameError(
                    f"successors[{node}] must be a list of nodes, not {targets!r}"
                )
            name = f"successors[{node}]"
            nodes = [
                checked_integer(f"{name}[{edge}]", target, 0, len(lists) - 1)
                for edge, target in enumerate(targets)
            ]
            if len(set(nodes)) < len(nodes):
                raise InvalidGameError(f"{name} must name every node once, not {nodes}")
            checked.append(tuple(nodes))
        sources = np.repeat(np.arange(len(checked)), [len(nodes) for nodes in checked])
        cycle = cycle_along(len(checked), sources, np.fromiter(chain(*checked), dtype=np.int64))
        if cycle:
            raise InvalidGameError(
                f"the graph must have no cycle, so that every play comes to an end; it has {cycle}"
            )
        object.__setattr__(self, "successors_of", tuple(checked))

    def __repr__(self) -> str:
        """Return the size of the graph; its edges may be thousands."""
        return f"Token({self.states} nodes, {sum(map(len, self.successors_of))} edges)"

    @property
    def states(self) -> int:
        """Number of states: the nodes."""
        return len(self.successors_of)

    @cached_property
    def options(self) -> int:
        """Number of option slots: the most edges out of a node."""
        return max(map(len, self.successors_of))

    @cached_property
    def words(self) -> EdgeWords:
        """Nodes that the token moves to."""
        return EdgeWords(self.successors_of)

    def successors(self, states: IntArray) -> IntArray:
        """Return the nodes that the edges lead to, or ``NO_MOVE`` where there are fewer."""
        nodes = np.asarray(states)
        after = np.full((*nodes.shape, self.options), NO_MOVE, dtype=np.int64)
        for place, node in np.ndenumerate(nodes):
            targets = self.successors_of[node]
            after[place][: len(targets)] = targets
        return after


@dataclass(frozen=True)
class EdgeWords(MoveWords):
    """Moves of a token in words, by the node that it moves to.

    Args:
        successors_of: for each node the nodes that its outgoing edges lead to.
    """

    successors_of: tuple[tuple[int, ...], ...]

    move = "move along one arrow"

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``, at ``state`` if that is given."""
        if state is None or option >= len(self.successors_of[state]):
            return f"move along edge {option}"
        return f"move to {self.successors_of[state][option]}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the node that the token moves to."""
        return (self.successors_of[state][option],)


def graph(successors: Sequence[Sequence[int]], tokens: Sequence[int]) -> Rules:
    """Rules of a graph game: move one token along an edge of a directed acyclic graph.

    Several tokens may be on one node. A token on a node without an edge out of it cannot move.

    Args:
        successors: for each node a list of the nodes that its outgoing edges lead to.
        tokens: node of each token at the start.

    Raises:
        InvalidGameError: not lists of nodes, two edges between the same nodes, a cycle, which
            the message names, or a token that is not on a node.

    References:
        R. P. Sprague, "Über mathematische Kampfspiele", *Tôhoku Mathematical Journal* 41
        (1935); *Winning Ways*, ch. 3 and 12.

    Example:
        >>> rules = graph(successors=((), (0,), (0, 1)), tokens=(2, 1))
        >>> rules.components[0].table.tolist()
        [[-1, -1], [0, -1], [0, 1]]
        >>> rules.describe_action(1, (2, 1))
        'token 0: move to 1'
    """
    token = Token(successors)  # type: ignore[arg-type]
    nodes = checked_integers("tokens", tokens, minimum=0)
    for index, node in enumerate(nodes):
        checked_integer(f"tokens[{index}]", node, 0, token.states - 1)
    return Rules("graph", (token,) * len(nodes), initial=nodes)
