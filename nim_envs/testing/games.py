"""The check of a game: rules, solution, starts and encodings.

- Components keep their promises; masks, options and steps agree with their ``successors``.
- Who wins, the winning actions and Grundy values equal an exhaustive search; on a large board, a
  position is won exactly where a move leads to a lost one.
- Starts are positions with a legal move, and the same for the same seed.
- Encodings give different positions different observations, in the observation space.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from nim_envs.encoding import ENCODINGS, Encoding
from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.rules import Rules
from nim_envs.testing.components import check_component, check_large_component
from nim_envs.testing.positions import (
    LARGEST_BOARD,
    SAMPLE,
    Play,
    is_small,
    some_positions,
    spread,
)
from nim_envs.testing.requirements import (
    check_copies,
    during,
    require,
    require_equal,
    require_values,
    text_of,
)
from nim_envs.testing.theorems import check_theorem, is_searched
from nim_envs.theory.solution import Solution
from nim_envs.typing import IntArray

STARTS = 64
"""Number of starts to draw."""

MOST_SINGLE_POSITIONS = 64
"""Most positions that are solved one at a time, too."""

MOST_FEATURES = 1 << 26
"""Most numbers in the encodings that are compared."""

LEAST_POSITIONS = 16
"""Number of positions of a large board that are checked where each has very many actions."""

MOST_OBSERVATIONS = 5_000
"""Most positions whose encodings are compared."""


def check_game(game: Game) -> None:
    """Check that a game keeps every promise that environments, solver and scores rely on.

    - *Components.* Every entry of the table of options is a state; the moves form no cycle; all
      functions take arrays of states of any rank; ``is_terminal``, ``legal_count``, ``leads_to``
      and Grundy values agree with the table; legal options have different descriptions; copies are
      equal.
    - *Rules.* Masks, options and steps, the slots that second parts go to, and the end of play
      agree with the components' ``successors``, one position at a time or in arrays.
    - *Solution.* Who wins, the winning actions and Grundy values equal an exhaustive search that
      plays every move of every position and shares no formula with the solver. It is made on
      boards of at most 2**18 (position, action) pairs. On larger ones the solution is checked at
      200 positions: each must be won exactly where one of its moves leads to a lost one.
    - *Theorem.* Where a game brings its own, it says the same as a search at every position; on
      boards of more than 2**24 (position, action) pairs at some thousand positions of all sizes,
      among them lost ones, it agrees with what it says after each move. What is wrong at few
      positions of a large board alone can stay hidden.
    - *Starts* are positions with a legal move, and the same for the same seed.
    - *Encodings* give different positions different observations.

    Args:
        game: any game, registered or not; a small board is checked whole, in about a second.

    Raises:
        ConformanceError: a promise is broken; the message says where.
        SearchTooLargeError: the game is too large to tabulate or to solve: check a smaller board
            of it.
        TypeError: ``game`` is not a :class:`nim_envs.Game`.

    Example:
        >>> from nim_envs import Convention, Game, Rules
        >>> from nim_envs.rules import TableComponent
        >>> path = TableComponent(rows=((-1, -1), (0, -1), (1, 0), (2, 1)))
        >>> check_game(Game(Rules("two paths", (path, path), initial=(3, 2)), Convention.MISERE))
        >>> class Wrong(TableComponent):
        ...     def is_terminal(self, states):
        ...         return states <= 1
        >>> wrong = Wrong(rows=((-1,), (0,), (1,)))
        >>> check_game(Game(Rules("wrong", (wrong,), initial=(2,)), Convention.NORMAL))
        Traceback (most recent call last):
        nim_envs.errors.ConformanceError: is_terminal(1) of component 0 (component) is True, and \
by its table it is False
    """
    if not isinstance(game, Game):
        raise TypeError(f"check_game takes a nim_envs.Game, not {game!r}")
    names: dict[Component, str] = {}
    for index, component in enumerate(game.rules.components):
        with during(f"the hash of component {index}"):
            names.setdefault(component, f"component {index} ({component.kind})")
    for component, name in names.items():
        if game.theorem is None or is_searched(component):
            check_component(component, name)
        else:
            check_large_component(component, name)
    check_rules(game.rules)
    if game.theorem is not None:
        check_theorem(game)
    with during("solving the game"):
        solution = game.solution
    check_solution(solution)
    _check_starts(game)
    _check_encodings(game.rules)
    check_copies(game, "the game")


def check_rules(rules: Rules) -> None:
    """Check that rules do what their components say, at all positions or a sample of them.

    Args:
        rules: rules whose components were checked before.

    Raises:
        ConformanceError: the rules and a component disagree.
    """
    positions = _checked_positions(rules)
    with during("rules.action_mask, options, is_terminal or step of an array of positions"):
        masks, options = rules.action_mask(positions), rules.options(positions)
        terminal = rules.is_terminal(positions)
        rows, actions = np.nonzero(masks)
        after = rules.step(positions[rows], actions)
    require_equal("rules.positions(rules.indices(positions))", _there_and_back(rules, positions),
                  positions)  # fmt: skip
    require(rules.is_position(positions).all(), "rules.is_position is False of a position")
    by_action = _options_of(rules, positions)
    legal = by_action[..., 0] != NO_MOVE
    every = np.arange(rules.num_actions)
    flat = by_action[:, every, every // rules.num_options]
    for what, actual, expected in (
        ("rules.action_mask", masks, legal.astype(np.int8)),
        ("rules.is_terminal", terminal, ~legal.any(axis=1)),
        ("rules.options", options.reshape(flat.shape), flat),
    ):
        require_values(what, positions, actual, expected, "its components")
    wrong = (after != by_action[rows, actions]).any(axis=1)
    for move in np.flatnonzero(wrong)[:1]:
        row, action = rows[move], actions[move]
        where = f"of action {action} at {positions[row].tolist()}"
        require_equal(f"rules.step {where}", after[move], by_action[row, action])
    for row, position in enumerate(positions):
        where = f"at {position.tolist()}"
        require_equal(f"rules.action_mask of one position, {where},",
                      rules.action_mask(position), masks[row])  # fmt: skip
        possible = np.flatnonzero(masks[row])
        for action in possible[:: max(1, len(possible) - 1)]:  # the first and the last
            single = rules.step(position, np.array(action))
            require_equal(
                f"rules.step of one position, action {action} {where},",
                single,
                by_action[row, action],
            )
        words = [rules.describe_action(action, position) for action in possible.tolist()]
        if len(set(words)) < len(words):
            raise ConformanceError(
                f"describe_action says the same of two legal actions {where}: {text_of(words)}"
            )
    split = rules.is_position(after)
    require(split.all(), f"a move leads to {after[~split][:1].tolist()}, which is not a position")
    pair = np.stack([positions, positions[::-1]])
    require_equal("rules.action_mask of positions (2, n, components)", rules.action_mask(pair),
                  np.stack([masks, masks[::-1]]))  # fmt: skip


def _checked_positions(rules: Rules) -> IntArray:
    """Return the positions that are checked, fewer of a board with very many actions."""
    return some_positions(
        rules, max(LEAST_POSITIONS, min(SAMPLE, LARGEST_BOARD // rules.num_actions))
    )


def _there_and_back(rules: Rules, positions: IntArray) -> IntArray:
    """Positions after a conversion to indices and back, where these are small enough."""
    if rules.num_positions > np.iinfo(np.int64).max:
        return positions
    return rules.positions(rules.indices(positions))


def _options_of(rules: Rules, positions: IntArray) -> IntArray:
    """The positions after each action, ``(n, actions, components)``; ``NO_MOVE`` where illegal.

    They are computed one component, one position and one option at a time.
    """
    components = rules.components
    afterwards = np.full(
        (len(positions), rules.num_actions, len(components)), NO_MOVE, dtype=np.int64
    )
    for index, component in enumerate(components):
        states = positions[:, index]
        first, second = component.successors(states), component.second_successors(states)
        group = [index]  # equal neighbours that split
        while component.splits and group[0] and components[group[0] - 1] == component:
            group.insert(0, group[0] - 1)
        while component.splits and components[group[-1] + 1 : group[-1] + 2] == (component,):
            group.append(group[-1] + 1)
        for row, option in np.argwhere(first != NO_MOVE).tolist():
            after = afterwards[row, index * rules.num_options + option]
            after[:] = positions[row]
            after[index] = first[row, option]
            if second[row, option]:
                empty = [slot for slot in group if not after[slot]]
                require(
                    empty,
                    f"option {option} of component {index} at {positions[row].tolist()} leaves two "
                    "parts, and no slot is empty",
                )
                after[empty[0]] = second[row, option]
    return afterwards


def check_solution(solution: Solution) -> None:
    """Check a solution against exhaustive search, or on large boards against its own options.

    Args:
        solution: solution of any game, by any method.

    Raises:
        ConformanceError: it is wrong somewhere.
    """
    rules = solution.rules
    if is_small(rules):
        play = Play(rules)
        positions, truth = play.positions, play.values(solution.convention)
        rows, actions, reached = play.sources, play.actions, truth[play.targets]
        if not rules.has_outcome:
            values, by_mex = solution.grundy_value(positions), play.grundy_values()
            source = "the mex recursion over whole positions"
            require_values("solution.grundy_value", positions, values, by_mex, source)
        source = "exhaustive search"
    else:
        positions = _checked_positions(rules)
        rows, actions = np.nonzero(rules.action_mask(positions))
        reached = np.asarray(solution.value(rules.step(positions[rows], actions)))
        truth = np.full(len(positions), -1, dtype=np.int8)
        np.maximum.at(truth, rows, -reached)
        ends = rules.is_terminal(positions)
        truth[ends] = solution.convention.end_values(rules, positions[ends])
        source = "its own answers at the options"
    expected = np.zeros((2, len(positions), rules.num_actions), dtype=np.bool_)
    expected[0, rows, actions] = reached == -1
    expected[1, rows, actions] = (-reached == truth[rows]) & (truth[rows] >= 0)
    with during("solution.is_winning or winning_mask"):
        winning, mask = solution.is_winning(positions), solution.winning_mask(positions)
    with during("solution.value, is_losing or keeping_mask"):
        values, losing = solution.value(positions), solution.is_losing(positions)
        keeping = solution.keeping_mask(positions)
    require_values("solution.is_winning", positions, winning, truth == 1, source)
    require_values("solution.winning_mask", positions, mask, expected[0], source)
    require_values("solution.value", positions, values, truth, source)
    require_values("solution.is_losing", positions, losing, truth == -1, source)
    require_values("solution.keeping_mask", positions, keeping, expected[1], source)
    for row in spread(len(positions), MOST_SINGLE_POSITIONS).tolist():
        position = positions[row]
        with during(f"solution.winning_actions({position.tolist()})"):
            actions = solution.winning_actions(position)
        require_equal(f"solution.winning_actions({position.tolist()})", actions,
                      np.flatnonzero(mask[row]))  # fmt: skip
        won = solution.is_winning(position)
        require(
            won is bool(truth[row] == 1),
            f"solution.is_winning({position.tolist()}) of one position is {won!r}, where "
            f"{bool(truth[row] == 1)} is expected",
        )


def _check_starts(game: Game) -> None:
    """Check that starts are positions with a move, and reproducible by a seed."""
    rules = game.rules
    with during("drawing starts"):
        samples = [
            game.start.sampler(game).sample(np.random.default_rng(0), STARTS) for _ in range(2)
        ]
    require_equal("what the same seed draws the second time", samples[1], samples[0])
    starts = {"drawn": samples[0]}
    with suppress(SearchTooLargeError):
        starts["listed"] = game.start_positions()
    for how, positions in starts.items():
        with during(f"a start that was {how}"):
            checked = rules.checked_positions(positions)
        without = rules.is_terminal(checked)
        require(
            not without.any(),
            f"a start that was {how} has no legal move: {checked[without][:1].tolist()}",
        )
    if "listed" in starts:
        listed = set(map(tuple, starts["listed"].tolist()))
        for start in map(tuple, starts["drawn"].tolist()):
            require(
                start in listed, f"{list(start)} was drawn, and game.start_positions has not it"
            )


def _check_encodings(rules: Rules) -> None:
    """Check that observations are in their space, and tell positions apart."""
    several = some_positions(rules, MOST_OBSERVATIONS)
    for name in ENCODINGS:
        try:
            encoding = Encoding(name, rules)
        except SearchTooLargeError:
            continue
        positions = several[: max(2, MOST_FEATURES // sum(encoding.widths))]
        with during(f"encoding {name!r}"):
            codes = encoding.encode(positions)
        for position, code in zip(positions[:SAMPLE], codes, strict=False):
            if not encoding.space.contains(code):  # the message takes longer than the check
                raise ConformanceError(
                    f"encoding {name!r} gives {position.tolist()} the observation {text_of(code)}, "
                    f"which is not in its space {encoding.space}"
                )
        _, first, rows = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        others = first[rows.reshape(-1)]
        twice = np.flatnonzero(others != np.arange(len(positions)))
        if len(twice):
            pair = positions[others[twice[0]]].tolist(), positions[twice[0]].tolist()
            raise ConformanceError(
                f"encoding {name!r} gives {pair[0]} and {pair[1]} the same observation"
            )
