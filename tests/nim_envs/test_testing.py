"""The checks for everyone: what is right passes, and every fault is named."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from nim_envs import Convention, Game, GameEnv, Rules, make_game
from nim_envs.encoding import Encoding
from nim_envs.errors import NimEnvsError, SearchTooLargeError
from nim_envs.registration import make_versus
from nim_envs.rules import Component, MoveWords, SubtractionHeap, TableComponent
from nim_envs.starts import Sampler, Start
from nim_envs.testing import ConformanceError, check_env, check_game, check_policy
from nim_envs.theory.search import SearchSolution
from tests.games import ALL, label
from tests.pairwise import in_turn


@dataclass(frozen=True)
class Stairs(Component):
    """A coin on a stair goes down by one or by half; a component of the tests' own."""

    top: int

    kind = "coin"

    @property
    def states(self):
        return self.top + 1

    @property
    def options(self):
        return 2

    def successors(self, states):
        states = np.asarray(states)
        down = np.stack([states - 1, states // 2], axis=-1)
        # From 1 both moves would lead to 0, and one of them is enough.
        down[..., 1] = np.where(states <= 1, -1, down[..., 1])
        return down

    @property
    def words(self):
        return StairWords()


class StairWords(MoveWords):
    """Moves on a stair in words."""

    def describe(self, option, state=None):
        return ("go down by one", "go down by half")[option]


class VagueWords(MoveWords):
    """The same words for every move."""

    def describe(self, option, state=None):
        return "go down"


@dataclass(frozen=True)
class Bricks(Component):
    """A row of bricks: knock one off an end, or halve a row of an even number."""

    length: int

    kind = "row"
    splits = True

    @property
    def states(self):
        return self.length + 1

    @property
    def options(self):
        return 2

    def successors(self, states):
        states = np.asarray(states)
        halved = np.where((states > 0) & (states % 2 == 0), states // 2, -1)
        return np.stack([states - 1, halved], axis=-1)

    def second_successors(self, states):
        halved = np.maximum(self.successors(states)[..., 1], 0)
        return np.stack([np.zeros_like(halved), halved], axis=-1)


def game_of(*components, start=None, misere=False):
    """A game with components as high as they can be, or at ``start``."""
    start = start or tuple(component.states - 1 for component in components)
    return Game(Rules("own", components, start), Convention.MISERE if misere else Convention.NORMAL)


PATH = TableComponent(rows=((-1, -1), (0, -1), (1, 0), (2, 1)))
PAIRS = TableComponent(
    rows=((-1, -1), (0, -1), (1, 1), (2, 1)), second_rows=((0, 0), (0, 0), (0, 1), (0, 2))
)
OWN_GAMES = [
    game_of(PATH, PATH, misere=True),
    game_of(Stairs(9), Stairs(5)),
    game_of(Stairs(9), PATH, misere=True),
    game_of(*(PAIRS,) * 3, start=(3, 0, 0)),
    game_of(*(PAIRS,) * 3, PATH, start=(3, 0, 0, 3), misere=True),
    game_of(*(Bricks(4),) * 4, start=(4, 0, 0, 0)),
    game_of(Stairs(40), Stairs(40), Stairs(40), Stairs(40)),  # too many positions to check all
]


@pytest.mark.parametrize(
    ("game", "arguments"),
    in_turn(OWN_GAMES, [{}, {"encoding": "binary"}, {"illegal_move": "raise"}, {"max_cycles": 2}]),
    ids=lambda part: str(part.rules.shape) if isinstance(part, Game) else str(part),
)
def test_a_custom_game_passes(game, arguments, brief_checks):
    check_game(game)
    check_env(GameEnv(game, **arguments))
    check_policy(OptimalAgent(game), game)


@pytest.mark.parametrize("case", ALL, ids=label)
def test_every_registered_game_passes(case):
    check_game(make_game(case[0], **case[1]))


def test_too_large_games_are_refused_by_the_check():
    with pytest.raises(SearchTooLargeError):
        check_game(make_game("nim", heaps=(10**15,)))


class Changed(Stairs):
    """A stair with something overridden; equal only to its like."""


def changed(**attributes):
    return type("Changed", (Stairs,), attributes)(6)


def successors_with(state, option, entry):
    def successors(self, states):
        table = Stairs.successors(self, states)
        table[np.asarray(states) == state, option] = entry
        return table

    return successors


def one_at_a_time(self, states):
    return np.array([[s - 1, -1] for s in states]).reshape(-1, 2)


def overwriting(self, states):
    after = Stairs.successors(self, states)
    if np.ndim(states):
        states[...] = 0
    return after


class Odd(SubtractionHeap):
    """Only odd amounts may be taken: not what the closed form of the values is for."""

    legal_count = Component.legal_count
    is_terminal = Component.is_terminal
    option_to = Component.option_to

    def successors(self, states):
        after = super().successors(states)
        return np.where(self._amounts % 2 == 1, after, -1)


class Unequal(Stairs):
    """A component whose copies are not equal to it."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


class WrongSolution(SearchSolution):
    def __init__(self, rules, convention):
        super().__init__(rules, convention)
        self.winning[5] = not self.winning[5]


class WrongGrundyValue(SearchSolution):
    def _values(self, positions):
        return super()._values(positions) + (positions == 3)


class WrongWinningActions(SearchSolution):
    def _winning_actions(self, position):
        return super()._winning_actions(position)[:1]


class WronglySolved(Game):
    kind: Any = WrongSolution

    @cached_property
    def solution(self):
        return self.kind(self.rules, self.convention)


@dataclass(frozen=True)
class StartAnywhere(Start):
    """Starts that may have no move."""

    def sampler(self, game, *, search=True):
        return Anywhere(game)


class Anywhere(Sampler):
    def __init__(self, game):
        self.rules = game.rules

    def sample(self, rng, size):
        return rng.integers(0, self.rules.shape, size=(size, len(self.rules.shape)))

    def draw(self, rng):
        return self.sample(rng, 1)[0]

    def support(self):
        lattice = self.rules.lattice()
        return lattice, np.full(len(lattice), 1 / len(lattice))


class Unseeded(StartAnywhere):
    def sampler(self, game, *, search=True):
        sampler = Anywhere(game)
        sampler.sample = lambda rng, size: np.random.default_rng().integers(
            1, game.rules.shape, size=(size, len(game.rules.shape))
        )
        return sampler


def solved_by(kind):
    class Kind(WronglySolved):
        pass

    Kind.kind = kind
    return Kind(Rules("own", (PATH, PATH), (3, 3)), Convention.NORMAL)


GAME_FAULTS = {
    "an entry that is no state": (
        lambda: game_of(changed(successors=successors_with(4, 1, 9))),
        r"option 1 of state 4 of component 0 \(coin\) leads to state 9, and its states are 0 to 6",
    ),
    "a cycle": (
        lambda: game_of(changed(successors=successors_with(1, 0, 2))),
        r"component 0 \(coin\): the moves form a cycle: 1 -> 2 -> 1",
    ),
    "a wrong is_terminal": (
        lambda: game_of(changed(is_terminal=lambda self, states: states <= 1)),
        r"is_terminal\(1\) of component 0 \(coin\) is True, and by its table it is False",
    ),
    "a wrong legal_count": (
        lambda: game_of(changed(legal_count=lambda self, states: np.minimum(states, 3))),
        r"legal_count\(3\) of .* is 3, and by its table it is 2",
    ),
    "a wrong leads_to": (
        lambda: game_of(changed(leads_to=lambda self, before, after: before > after)),
        r"leads_to\(\[2, 0\]\) of .* is True, and by its table it is False",
    ),
    "a function of vectors alone": (
        lambda: game_of(changed(successors=one_at_a_time)),
        r"successors of component 0 \(coin\) raised TypeError",
    ),
    "a function that writes to what it is given": (
        lambda: game_of(changed(successors=overwriting)),
        "changes what it is given|raised|is .* where .* is expected",
    ),
    "closed Grundy values of other rules": (
        lambda: game_of(Odd(5, range(1, 6))),
        r"the Grundy value of state 2 of .* is 2, and the mex of the values of its options, "
        r"\[1\], is 0",
    ),
    "second parts without splits": (
        lambda: game_of(
            changed(
                second_successors=lambda self, states: np.ones((*np.shape(states), 2), dtype=int)
            )
        ),
        "leaves a second part, and its splits is False",
    ),
    "descriptions that are alike": (
        lambda: game_of(changed(words=VagueWords())),
        r"words\.describe of .* says 'go down' of both option 0 and option 1 of state 2",
    ),
    "copies that are not equal": (
        lambda: game_of(Unequal(3)),
        r"a copy of component 0 \(coin\) by pickle does not equal it",
    ),
    "a wrong solution": (
        lambda: solved_by(WrongSolution),
        r"solution.is_winning\(\[1, 1\]\) is True, and by exhaustive search it is False",
    ),
    "a wrong Grundy value": (
        lambda: solved_by(WrongGrundyValue),
        r"solution.grundy_value\(\[0, 3\]\) is 1, and by the mex recursion .* it is 0",
    ),
    "a winning action left out": (
        lambda: solved_by(WrongWinningActions),
        r"solution.winning_actions\(\[.*\]\) is \[\d\], where \[\d, .*\] is expected",
    ),
    "a start without a move": (
        lambda: Game(Rules("own", (PATH,), (3,)), Convention.NORMAL, StartAnywhere()),
        r"a start that was drawn has no legal move: \[\[0\]\]",
    ),
    "starts that no seed decides": (
        lambda: Game(Rules("own", (Stairs(30),), (3,)), Convention.NORMAL, Unseeded()),
        "what the same seed draws the second time is",
    ),
}


@pytest.mark.parametrize("fault", GAME_FAULTS)
def test_a_fault_of_a_game_is_named(fault):
    make, named = GAME_FAULTS[fault]
    with pytest.raises(ConformanceError, match=named) as caught:
        check_game(make())
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, NimEnvsError)


def test_an_encoding_that_confuses_positions_is_named(monkeypatch):
    right = Encoding.encode
    monkeypatch.setattr(Encoding, "encode", lambda self, p: right(self, np.minimum(p, 2)))
    with pytest.raises(ConformanceError, match=r"'integer' gives \[2\] and \[3\] the same obs"):
        check_game(game_of(PATH))


def test_faults_are_found_where_python_leaves_assertions_out():
    code = (
        "from nim_envs import *; from nim_envs.rules import TableComponent; "
        "from nim_envs.testing import *\n"
        "class Wrong(TableComponent):\n"
        "    def is_terminal(self, states): return states <= 1\n"
        "wrong = Wrong(rows=((-1,), (0,), (1,)))\n"
        "try: check_game(Game(Rules('wrong', (wrong,), (2,)), Convention.NORMAL))\n"
        "except ConformanceError: print('found')"
    )
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "found"


def versus(**arguments):
    return make_versus("nim", heaps=(2, 3), **{"opponent": "random", **arguments})


def test_other_peoples_environments_are_refused():
    for other in (pettingzoo.make("aec", "classic/tictactoe-v3"), gymnasium.make("CartPole-v1")):
        with pytest.raises(TypeError, match="nim_envs"):
            check_env(other)
    with pytest.raises(TypeError, match="AECEnv"):
        check_env(make_game("nim"))
    with pytest.raises(TypeError, match="Game"):
        check_game(GameEnv(NIM))


NIM = make_game("nim", heaps=(2, 3))


def equal_chances(observations, masks):
    return masks / masks.sum(axis=1, keepdims=True)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


class Taker:
    """Takes one object."""

    def __init__(self, amount=1):
        self.amount = amount

    def move(self, position):
        heap = max(range(len(position)), key=position.__getitem__)
        return [left - self.amount * (i == heap) for i, left in enumerate(position)]


@pytest.mark.parametrize(
    "policy",
    [equal_chances, first_legal, RandomAgent(), EpsilonOptimalAgent(NIM, 0.3), Taker()],
    ids=lambda policy: getattr(policy, "__name__", type(policy).__name__),
)
def test_policies_of_every_kind_pass(policy):
    check_policy(policy, NIM)
    if not isinstance(policy, EpsilonOptimalAgent):
        check_policy(policy, versus(encoding="one_hot"))
        check_policy(policy, make_game("kayles", heaps=(6,)) if policy != Taker else NIM)


def test_a_mover_on_heaps_too_large_to_tabulate_passes():
    check_policy(Taker(), make_game("nim", heaps=(10**15, 10**15)))


def of_the_batch(observations, masks):
    first = np.arange(len(masks)) == 0
    return np.where(first, masks.argmax(axis=1), masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))


class Draws:
    """Acts at random from a generator of its own."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def act(self, observation, mask, rng):
        return int(self.rng.choice(np.flatnonzero(mask)))


class SaysOtherwise:
    """Says that it takes the first legal action, and takes the last."""

    def act(self, observation, mask, rng):
        return int(np.flatnonzero(mask)[-1])

    def action_probabilities(self, observations, masks):
        return np.eye(masks.shape[1])[masks.argmax(axis=1)]


def nan(observations, masks):
    return np.full(masks.shape, np.nan)


POLICY_FAULTS = [
    (lambda o, m: m * 1.0, "sum to 1; row 1 of 11 does not sum to 1"),
    (nan, "is not finite"),
    (lambda o, m: m.argmax(axis=1)[:1], "must return actions, integers of shape"),
    (of_the_batch, r"the policy returns actions with probabilities .* in a batch of"),
    (lambda o, m: m.argmin(axis=1), r"gives probability 1 to action \d \(heap .*is illegal at \["),
    (Draws(), "asked twice"),
    (SaysOtherwise(), r"act\(\) returned \d at .*, where action_probabilities returns"),
    (lambda o, m: np.full(len(m), -1), r"returns -1, no legal move, at \["),
    (Taker(2), r"move\(.*\) returned .*, and no legal move leads there"),
    (lambda o, m: 1 / 0, "the policy raised ZeroDivisionError"),
]


@pytest.mark.parametrize(("policy", "named"), POLICY_FAULTS, ids=[n for _, n in POLICY_FAULTS])
def test_a_fault_of_a_policy_is_named(policy, named):
    with pytest.raises(ConformanceError, match=named):
        check_policy(policy, NIM)


def test_illegal_actions_can_be_allowed():
    check_policy(lambda o, m: np.zeros(len(m), dtype=int), NIM, illegal=True)
    check_policy(Taker(2), NIM, illegal=True)


def test_an_object_that_is_no_policy_is_refused():
    with pytest.raises(TypeError, match="policy"):
        check_policy(7, NIM)
    with pytest.raises(TypeError, match="nim_envs"):
        check_policy(first_legal, 7)
