"""The frame of all learners: moves of a game, exploration, and the policy at the end."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Key = tuple[int, ...]


class Move(NamedTuple):
    """One move and what followed.

    ``reward`` is the mover's, ``rewards`` those of both seats; ``after`` and ``after_mask`` are
    what the opponent sees then; ``ended``: the game is over, ``cut``: it was truncated.
    """

    seat: int
    state: Array
    mask: Array
    action: int
    reward: float
    rewards: tuple[float, ...]
    after: Array
    after_mask: Array
    ended: bool
    cut: bool


class Policy:
    """Greedy actions at many positions; ``values`` is an attribute if there are any."""

    def __init__(
        self, choose: Callable[[Array, Array], int], value: Callable[[Array], Any] | None = None
    ) -> None:
        self.choose = choose
        if value is not None:
            self.values = lambda observations, _: np.array([value(each) for each in observations])

    def __call__(self, observations: Array, masks: Array) -> Array:
        """Return actions, ``(n,)``."""
        pairs = zip(np.asarray(observations), np.asarray(masks) > 0, strict=True)
        return np.array([int(self.choose(state, mask)) for state, mask in pairs], dtype=np.int64)


def best(scores: Array, mask: Array) -> int:
    """Return the first legal action of the highest score."""
    return int(np.where(mask, scores, -np.inf).argmax())


def softmax(logits: Array, mask: Array) -> Array:
    """Return probabilities of legal actions."""
    powers = np.where(mask, np.exp(np.clip(logits - logits[mask].max(), -60, 0)), 0.0)
    return np.asarray(powers / powers.sum())


class Learner:
    """A learner in self-play, epsilon-greedy with a falling epsilon."""

    kind: ClassVar[str] = ""
    games_needed: ClassVar[int] = 500
    epsilon = 0.5
    last_epsilon = 0.05
    discount = 1.0

    def __init__(self, env: Any, games: int, seed: int, **settings: Any) -> None:
        for name, value in settings.items():
            getattr(self, name)  # a misspelt setting is an error
            setattr(self, name, value)
        self.env = env
        self.games = games
        self.played = 0
        self.rng = np.random.default_rng(seed)
        agent = env.possible_agents[0]
        self.space = env.observation_space(agent)["observation"]
        self.actions = int(env.action_space(agent).n)
        env.reset(seed=seed)
        self._build()

    def train(self) -> None:
        """Play and learn from all games."""
        for _ in range(self.games):
            self._learn_game()
            self.played += 1

    def policy(self) -> Policy:
        """Return the greedy policy, with its values."""
        return Policy(self._play, self._value)

    def _build(self) -> None:
        """Make tables or networks."""

    def _learn_game(self) -> None:
        raise NotImplementedError

    def _scores(self, state: Array) -> Array:
        raise NotImplementedError

    def _value(self, state: Array) -> Any:
        return self._scores(state)

    def _play(self, state: Array, mask: Array) -> int:
        return best(self._scores(state), mask)

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        share = self.played / max(1, self.games)
        if self.rng.random() < self.epsilon + share * (self.last_epsilon - self.epsilon):
            return int(self.rng.choice(np.flatnonzero(mask)))
        return best(self._scores(state), mask)

    def _moves(self) -> Iterator[Move]:
        """Play a game, and yield its moves as they are made."""
        env, names = self.env, self.env.possible_agents
        env.reset()
        over = False
        while not over:
            agent = env.agent_selection
            seat = names.index(agent)
            seen = env.observe(agent)
            mask = seen["action_mask"].astype(bool)
            action = self._act(seen["observation"], mask, seat)
            env.step(int(action))
            after = env.observe(names[1 - seat])
            ended, cut = env.terminations[agent], env.truncations[agent]
            rewards = tuple(float(env.rewards[name]) for name in names)
            over = ended or cut
            yield Move(
                seat,
                seen["observation"],
                mask,
                action,
                rewards[seat],
                rewards,
                after["observation"],
                after["action_mask"].astype(bool),
                ended,
                cut,
            )


class TableLearner(Learner):
    """A learner with a row of numbers for each position."""

    rate = 0.3
    start = 0.0

    def _build(self) -> None:
        self.q = self._table()

    def _table(self) -> defaultdict[Key, Array]:
        return defaultdict(lambda: np.full(self.actions, self.start))

    def _key(self, state: Array) -> Key:
        return tuple(int(entry) for entry in np.ravel(state))

    def _scores(self, state: Array) -> Array:
        return self.q[self._key(state)]
