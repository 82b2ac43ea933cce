"""Small learners of ten kinds, each with one fault at a time as a switch.

They are written for this study alone, against the environment's public interface, and share nothing
with the code that diagnoses them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

HIDDEN = 32
INPUTS = 8
"""Values of an entry in one-hot inputs, the largest of them for all above."""


@dataclass(frozen=True)
class Setting:
    """A learner's settings, and its fault.

    Attributes:
        fault: name of the fault; empty for a right learner.
        form: ``"negamax"`` or ``"own"``, the position that targets bootstrap from.
        rate: learning rate; ``None``: that of the kind.
        epsilon: probability of a random move in training.
        discount: discount a turn of the form.
        one_hot: whether networks see entries one-hot; else as numbers.
        opponent: ``"self"`` or ``"random"``: who moves for the other seat.
        ties: ``"first"`` or ``"random"``: the choice among equal values.
    """

    fault: str = ""
    form: str = "negamax"
    rate: float | None = None
    epsilon: float = 0.3
    discount: float = 0.95
    one_hot: bool = False
    opponent: str = "self"
    ties: str = "first"

    def has(self, *faults: str) -> bool:
        """Whether the fault is one of some."""
        return self.fault in faults

    def rate_or(self, usual: float) -> float:
        """Return the learning rate, given that of the kind."""
        if self.has("learning rate 0 or tiny"):
            return 0.0
        return usual if self.rate is None else self.rate


@dataclass
class Played:
    """A game: what each mover saw and did, the results by seat, and the first turn after it."""

    seen: list[Any] = field(default_factory=list)
    masks: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    results: list[float] = field(default_factory=list)
    last: Any = None
    last_mask: Any = None
    cut: bool = False


def looked(observation: Any, setting: Setting, *, playing: bool) -> Any:
    """Return an observation as the learner sees it."""
    x = np.asarray(observation)
    if setting.has("blind to an entry"):
        x = x.copy()
        x[..., 1] = 0
    elif setting.has("blind to the order of entries"):
        x = np.sort(x, axis=-1)
    elif setting.has("observations cut"):
        x = np.minimum(x, 5)
    elif setting.has("entries cut off"):
        x = x[..., :2]
    elif setting.has("observations halved"):
        x = x // 2
    elif setting.has("observations scaled otherwise in play") and playing:
        x = x / 10
    return x


def read(result: float, seat: int, last: bool, setting: Setting) -> float:
    """Return a result as the learner reads it."""
    changed = {
        "players swapped": -result,
        "first player's result": -result if seat else result,
        "rewards clipped to 0..1": max(result, 0.0),
        "loser rewarded": abs(result),
        "draws as losses": result or -1.0,
        "draws as wins": result or 1.0,
        "zero reward": 0.0,
        "normal for misère": 1.0 if last else -1.0,
        "misère for normal": -1.0 if last else 1.0,
        "winner's result to both": result if last else -result,
    }
    return float(changed.get(setting.fault, result))


def play(env: Any, seed: int, setting: Setting, choose: Callable[..., int], rng: Any) -> Played:
    """Play a game, and return it."""
    game = Played()
    env.reset(seed=seed)
    opposed = int(rng.integers(2))
    observed, _, over, cut, _ = env.last()
    while not (over or cut):
        legal = np.flatnonzero(observed["action_mask"])
        seen = looked(observed["observation"], setting, playing=False)
        seat = env.possible_agents.index(env.agent_selection)
        theirs = setting.opponent == "random" and seat == opposed
        explores = theirs or rng.random() < setting.epsilon
        action = int(rng.choice(legal)) if explores else choose(seen, legal)
        game.seen.append(seen)
        game.masks.append(observed["action_mask"])
        game.actions.append(action)
        game.seats.append(seat)
        env.step(action)
        observed, _, over, cut, _ = env.last()
    mover = game.seats[-1]
    rewards = [env.rewards[agent] for agent in env.possible_agents]
    game.results = [read(rewards[seat], seat, seat == mover, setting) for seat in (0, 1)]
    game.last = looked(observed["observation"], setting, playing=False)
    game.last_mask, game.cut = observed["action_mask"], cut and not over
    return game


def chosen(values: Any, legal: Any, setting: Setting, rng: Any) -> int:
    """Return the legal action of the largest value."""
    among = values[legal]
    if setting.ties == "random":
        return int(rng.choice(legal[among == among.max()]))
    return int(legal[among.argmax()])


def policy_of(
    values: Callable[[Any], Any], setting: Setting, with_values: Callable[..., Any] | None = None
) -> Any:
    """Return the greedy policy of a function from what is seen, ``(n, ...)``, to values."""
    rng = np.random.default_rng(0)

    def policy(observations: Any, masks: Any) -> Any:
        q = np.asarray(values(looked(observations, setting, playing=True)), dtype=float)
        if setting.has("argmin"):
            q = -q
        if setting.has("same action always"):
            q = np.broadcast_to(-np.arange(q.shape[1], dtype=float), q.shape)
        if not setting.has("illegal actions played"):
            q = np.where(masks, q, -np.inf)
        if setting.ties == "random":
            ties = q == q.max(axis=1, keepdims=True)
            answer = (rng.random(q.shape) * ties).argmax(axis=1)
        else:
            answer = q.argmax(axis=1)
        if setting.has("actions off by one"):
            answer = (answer + 1) % q.shape[1]
        if setting.has("actions reversed"):
            answer = q.shape[1] - 1 - answer
        if setting.has("explores in play"):
            random = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
            answer = np.where(rng.random(len(answer)) < setting.epsilon, random, answer)
        return answer

    if setting.has("stale observations"):
        return stale(policy)
    if with_values is not None:
        policy.values = with_values  # type: ignore[attr-defined]
    return policy


def stale(policy: Any) -> Any:
    """Return a policy that answers to the observation of the row or call before."""
    before: list[Any] = [None]

    def late(observations: Any, masks: Any) -> Any:
        first = observations[:1] if before[0] is None else before[0]
        shown = np.concatenate([first, observations[:-1]])
        before[0] = observations[-1:].copy()
        return policy(shown, masks)

    return late


def targets(
    game: Played, setting: Setting, best: Callable[..., float], first: Any
) -> Iterator[tuple[int, float]]:
    """Yield the moves to learn from, by their index in the game, with their targets."""
    count, own = len(game.actions), setting.form == "own"
    step = 2 if own else 1
    factor = setting.discount * (1.0 if own else -1.0)
    if setting.has("wrong sign"):
        factor = -factor
    for t in range(count):
        seat, ends = game.seats[t], t + step >= count
        result = game.results[seat]
        if setting.has("one seat never learned", "first player's turns alone") and seat == 1:
            continue
        if setting.has("second player's turns alone") and seat == 0:
            continue
        if setting.has("winners only") and game.results[seat] <= 0 and ends:
            continue
        if setting.has("result of the loser never learned") and own and t == count - 2:
            continue
        if setting.has("end read one step early") and t == count - 1:
            continue
        if ends and game.cut and not setting.has("truncation as end"):
            if t + step == count:  # the game was cut at the next turn
                yield t, factor * best(game.last, game.last_mask, None)
            continue
        if ends:
            target = result
            if setting.has("bootstrap beyond the end"):
                target += factor * best(*first, None)
            yield t, target
            continue
        if setting.has("discount 0"):
            yield t, 0.0
        elif setting.has("next state not re-read"):
            yield t, factor * best(game.seen[t], game.masks[t], game.actions[t])
        else:
            mask = game.masks[t + step]
            if setting.has("maximum over illegal actions"):
                mask = np.ones_like(mask)
            yield t, factor * best(game.seen[t + step], mask, game.actions[t + step])


def rows_of(size: int) -> Callable[[Any], Any]:
    """Return a function from what is seen to its row of numbers, 0 at first."""
    rows: dict[Any, Any] = {}
    return lambda seen: rows.setdefault(tuple(np.asarray(seen).ravel().tolist()), np.zeros(size))


def table(env: Any, games: int, seed: int, setting: Setting, update: str = "q") -> Any:
    """Q-learning, SARSA, expected SARSA or Monte Carlo with a table."""
    rng = np.random.default_rng(seed)
    size = env.action_space(env.possible_agents[0]).n
    of, rate = rows_of(size), setting.rate_or(0.3)

    def best(seen: Any, mask: Any, action: int | None) -> float:
        if setting.has("target frozen"):
            return 0.0
        legal = of(seen)[np.flatnonzero(mask)]
        if setting.has("minimum for maximum"):
            return float(legal.min())
        if update == "sarsa" and action is not None:
            return float(of(seen)[action])
        if update == "expected":
            return float((1 - setting.epsilon) * legal.max() + setting.epsilon * legal.mean())
        return float(legal.max())

    start: Any = None
    for each in range(games):
        game = play(
            env, seed * 100_000 + each, setting,
            lambda seen, legal: chosen(of(seen), legal, setting, rng), rng,
        )  # fmt: skip
        if update == "monte carlo":
            learned = returns(game, setting)
        else:
            learned = targets(game, setting, best, start or (game.seen[0], game.masks[0]))
        for t, target in learned:
            values = of(game.seen[t])
            values[game.actions[t]] += rate * (target - values[game.actions[t]])
        start = game.seen[0], game.masks[0]  # of another game, for the one after it

    def many(observations: Any) -> Any:
        return np.array([of(each) for each in observations])

    return policy_of(many, setting, lambda observations, masks: many(observations))


def returns(game: Played, setting: Setting) -> Iterator[tuple[int, float]]:
    """Yield the moves to learn from, backwards, with what they have brought in the end."""
    count = len(game.actions)
    if game.cut and not setting.has("truncation as end"):
        return
    for t in reversed(range(count)):
        seat = game.seats[t]
        if setting.has("one seat never learned", "first player's turns alone") and seat == 1:
            continue
        winners = setting.has("result of the loser never learned", "winners only")
        if winners and game.results[seat] < 0:
            continue
        if setting.has("end read one step early") and t == count - 1:
            continue
        result = game.results[seat]
        if setting.has("wrong sign"):  # every move gets the result of the last mover
            result = game.results[game.seats[-1]]
        if setting.has("discount 0") and t < count - 1:
            result = 0.0
        yield t, result * setting.discount ** (count - 1 - t)


class Network:
    """One hidden layer of rectified units, trained with Adam."""

    def __init__(self, inputs: int, outputs: int, rng: Any, rate: float) -> None:
        self.weights = [
            rng.normal(size=(inputs, HIDDEN)) * np.sqrt(2 / inputs), np.zeros(HIDDEN),
            rng.normal(size=(HIDDEN, outputs)) * np.sqrt(1 / HIDDEN) * 0.1, np.zeros(outputs),
        ]  # fmt: skip
        self.rate, self.steps = rate, 0
        self.first = [np.zeros_like(w) for w in self.weights]
        self.second = [np.zeros_like(w) for w in self.weights]

    def __call__(self, x: Any) -> Any:
        """Return the outputs, ``(n, outputs)``."""
        return (
            np.maximum(x @ self.weights[0] + self.weights[1], 0) @ self.weights[2] + self.weights[3]
        )

    def step(self, x: Any, gradient: Any) -> None:
        """Take a step against the gradient of the loss by the outputs, ``(n, outputs)``."""
        hidden = np.maximum(x @ self.weights[0] + self.weights[1], 0)
        back = (gradient @ self.weights[2].T) * (hidden > 0)
        gradients = [x.T @ back, back.sum(axis=0), hidden.T @ gradient, gradient.sum(axis=0)]
        self.steps += 1
        for w, g, m, v in zip(self.weights, gradients, self.first, self.second, strict=True):
            m += 0.1 * (g - m)
            v += 0.01 * (g * g - v)
            up = m / (1 - 0.9**self.steps) / (np.sqrt(v / (1 - 0.99**self.steps)) + 1e-8)
            w -= self.rate * up


def inputs_of(setting: Setting) -> Callable[[Any], Any]:
    """Return the function from what is seen, ``(n, entries)``, to a network's inputs."""
    if setting.one_hot:
        return lambda x: np.eye(INPUTS)[np.clip(np.asarray(x).astype(int), 0, INPUTS - 1)].reshape(
            len(x), -1
        )
    return lambda x: np.asarray(x, dtype=float) / 4


def width_of(env: Any, encode: Callable[[Any], Any], setting: Setting) -> int:
    """Return the number of a network's inputs."""
    env.reset(seed=0)
    first = looked(env.last()[0]["observation"][None], setting, playing=False)
    return int(encode(first).shape[1])


def network(env: Any, games: int, seed: int, setting: Setting) -> Any:
    """DQN: a network of action values, replay and a target network."""
    rng = np.random.default_rng(seed)
    size = env.action_space(env.possible_agents[0]).n
    encode, rate = inputs_of(setting), setting.rate_or(0.003)
    width = width_of(env, encode, setting)
    net, old = Network(width, size, rng, rate), Network(width, size, rng, rate)
    old.weights = [w.copy() for w in net.weights]
    memory: list[Any] = []
    factor = setting.discount * (1.0 if setting.form == "own" else -1.0)

    start: Any = None
    for each in range(games):
        game = play(
            env, seed * 100_000 + each, setting,
            lambda seen, legal: chosen(net(encode(seen[None]))[0], legal, setting, rng), rng,
        )  # fmt: skip
        for t, result, seen, mask, goes_on in _transitions(game, setting, start):
            now, then = encode(np.stack([game.seen[t], seen]))
            memory.append((now, game.actions[t], result, then, mask, goes_on))
        start = game.seen[0], game.masks[0]
        memory = memory[-2000:]
        for _ in range(2):
            if len(memory) < 32:
                break
            rows = [memory[i] for i in rng.integers(len(memory), size=32)]
            x, a, r, x2, mask, goes_on = (np.array(column) for column in zip(*rows, strict=True))
            later = np.where(
                mask > 0, old(x2), np.inf if setting.has("minimum for maximum") else -np.inf
            )
            value = later.min(axis=1) if setting.has("minimum for maximum") else later.max(axis=1)
            sign = -1.0 if setting.has("wrong sign") else 1.0
            y = r + sign * factor * np.where(goes_on > 0, value, 0.0)
            error = np.zeros((len(x), size))
            error[np.arange(len(x)), a] = net(x)[np.arange(len(x)), a] - y
            net.step(x, error / len(x))
        if each % 10 == 0 and not setting.has("target frozen"):
            old.weights = [w.copy() for w in net.weights]
    return policy_of(lambda x: net(encode(x)), setting,
                     lambda x, m: net(encode(looked(x, setting, playing=True))))  # fmt: skip


def _transitions(game: Played, setting: Setting, start: Any) -> list[Any]:
    """Return rows of a replay memory: move, result, next position, its mask, whether it counts."""
    following: list[Any] = []

    def record(seen: Any, mask: Any, action: int | None) -> float:
        following[:] = [seen, mask]
        return 0.0

    found = []
    for t, value in targets(game, setting, record, start or (game.seen[0], game.masks[0])):
        goes_on = float(bool(following))
        seen, mask = following or (game.seen[t], game.masks[t])
        following.clear()
        found.append((t, value, seen, mask, goes_on))
    return found


def gradient(env: Any, games: int, seed: int, setting: Setting, how: str = "table") -> Any:
    """REINFORCE with a table or a network of preferences, or PPO with a network."""
    rng = np.random.default_rng(seed)
    size = env.action_space(env.possible_agents[0]).n
    encode, rate = inputs_of(setting), setting.rate_or(0.5 if how == "table" else 0.005)
    net = Network(width_of(env, encode, setting), size + 1, rng, rate)
    of = rows_of(size + 1)

    def outputs(x: Any) -> Any:
        return np.array([of(each) for each in x]) if how == "table" else net(encode(x))

    def chances(x: Any, masks: Any) -> Any:
        z = np.where(masks, outputs(x)[:, :size], -np.inf)
        p = np.exp(z - z.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def choose(seen: Any, legal: Any) -> int:
        p = chances(seen[None], np.isin(np.arange(size), legal)[None])[0]
        return int(rng.choice(size, p=p))

    quiet = Setting(**{**setting.__dict__, "epsilon": 0.05})
    batch: list[Any] = []
    for each in range(games):
        game = play(env, seed * 100_000 + each, quiet, choose, rng)
        for t, g in returns(game, setting):
            batch.append((game.seen[t], game.masks[t], game.actions[t], g))
        if len(batch) < (1 if how == "table" else 16):
            continue
        x, m, a, returned = (np.array(column) for column in zip(*batch, strict=True))
        batch.clear()
        before = chances(x, m)[np.arange(len(x)), a]
        advantage = returned - outputs(x)[:, size]
        for _ in range(4 if how == "ppo" else 1):
            p = chances(x, m)
            weight = advantage.copy()
            if how == "ppo":
                ratio = p[np.arange(len(x)), a] / before
                clipped = np.where(weight > 0, ratio > 1.2, ratio < 0.8)
                weight = np.where(clipped, 0.0, weight * ratio)
            slope = np.zeros((len(x), size + 1))
            slope[:, :size] = p * weight[:, None]
            slope[np.arange(len(x)), a] -= weight
            slope[:, size] = outputs(x)[:, size] - returned
            if how == "table":
                for row, seen in enumerate(x):
                    of(seen)[:] -= rate * slope[row]
            else:
                net.step(encode(x), slope / len(x))
    return policy_of(lambda x: outputs(x)[:, :size], setting)


def afterstate(env: Any, games: int, seed: int, setting: Setting) -> Any:
    """TD(0) with values of positions after a move, to the player who made it."""
    rng = np.random.default_rng(seed)
    rate = setting.rate_or(0.3)
    value: dict[Any, float] = {}
    game = env.game

    def options(position: Any) -> dict[int, Any]:
        return dict(game.moves(tuple(int(x) for x in position)))

    def choose(seen: Any, legal: Any, sign: float = 1.0) -> int:
        after = options(seen)
        worth = np.array([value.get(after[int(action)], 0.0) for action in legal])
        return int(legal[(sign * worth).argmax()])

    factor = setting.discount * (1.0 if setting.has("wrong sign") else -1.0)
    factor = 0.0 if setting.has("discount 0") else factor
    for each in range(games):
        played = play(env, seed * 100_000 + each, setting, choose, rng)
        # The value after a move is minus that of the next player's best afterstate.
        for t in reversed(range(len(played.actions))):
            key = tuple(
                int(x) for x in (played.seen[t + 1] if t + 1 < len(played.seen) else played.last)
            )
            if t + 1 == len(played.actions):
                target = played.results[played.seats[t]]
            else:
                target = factor * max(value.get(to, 0.0) for to in options(key).values())
            value[key] = value.get(key, 0.0) + rate * (target - value.get(key, 0.0))

    class Player:
        def act(self, observation: Any, mask: Any, rng: Any) -> int:
            return choose(observation, np.flatnonzero(mask), -1.0 if setting.has("argmin") else 1.0)

    return Player()


def tree_search(env: Any, games: int, seed: int, setting: Setting) -> Any:
    """Monte Carlo tree search, with the game's own moves; it does not train."""
    game, simulations = env.game, 300
    known: dict[Any, int] = {}

    def search(root: Any) -> int:
        rng = np.random.default_rng(seed)
        count: dict[Any, dict[int, int]] = {}
        total: dict[Any, dict[int, float]] = {}
        for _ in range(simulations):
            position, path = root, []
            while not game.is_over(position):
                after = dict(game.moves(position))
                n = count.setdefault(position, dict.fromkeys(after, 0))
                w = total.setdefault(position, dict.fromkeys(after, 0.0))
                new = [a for a in after if not n[a]]
                everything = sum(n.values())
                action = int(rng.choice(new)) if new else max(
                    after, key=lambda a: w[a] / n[a] + 1.4 * np.sqrt(np.log(everything) / n[a])
                )  # fmt: skip
                path.append((position, action))
                position = after[action]
            # To the player who made the last move.
            mover = len(path) % 2
            result = read(-game.end_value(position), 1 - mover, True, setting)
            if setting.has("sign of a search's backup"):
                result = -result
            for position, action in reversed(path):
                count[position][action] += 1
                total[position][action] += result
                if not setting.has("wrong sign", "sign of a search's backup"):
                    result = -result
                if setting.has("discount 0"):
                    result = 0.0
        counts = count[root]
        worst = setting.has("argmin")
        return (min if worst else max)(counts, key=lambda action: counts[action])

    class Player:
        def act(self, observation: Any, mask: Any, rng: Any) -> int:
            position = tuple(int(x) for x in observation)
            if position not in known:
                known[position] = search(position)
            return known[position]

    return Player()
