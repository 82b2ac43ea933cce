"""Two networks in PyTorch: a Q-network, and a policy with a value."""

from typing import Any

import numpy as np
import torch

from .dqn import Features
from .learner import Array, Move, best, softmax
from .registry import fault, faults, right

torch.set_num_threads(1)
Tensor = torch.Tensor


def network(inputs: int, hidden: int, outputs: int) -> torch.nn.Sequential:
    """Return a network with one hidden layer."""
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, outputs)
    )


class TorchQ(Features):
    """A Q-network that learns from batches of recent moves."""

    kind = "Q-network in PyTorch"
    needs = "torch"
    games_needed = 800
    hidden = 48
    rate = 0.005
    batch = 48
    sync = 20

    def _build(self) -> None:
        torch.manual_seed(int(self.rng.integers(2**31)))
        inputs = len(self._features(np.zeros(self.space.shape)))
        self.net, self.target = (network(inputs, self.hidden, self.actions) for _ in range(2))
        self.target.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self._parameters(), lr=self.rate)
        self.buffer: list[Move] = []
        self.updates = 0
        self.known: dict[bytes, Array] = {}

    def _parameters(self) -> Any:
        return self.net.parameters()

    def _tensor(self, states: list[Array]) -> Tensor:
        rows = [self._cached(np.ravel(each).tobytes(), each) for each in states]
        return torch.from_numpy(np.array(rows, dtype=np.float32))

    def _cached(self, key: bytes, state: Array) -> Array:
        if key not in self.known:
            self.known[key] = self._features(state)
        return self.known[key]

    def _scores(self, state: Array) -> Array:
        with torch.no_grad():
            return np.asarray(self.net(self._tensor([state]))[0].numpy(), dtype=float)

    def _learn_game(self) -> None:
        for move in self._moves():
            self.buffer = [*self.buffer[-1999:], self._note(move)]
        if len(self.buffer) >= self.batch:
            self._update()

    def _note(self, move: Move) -> Move:
        return move

    def _update(self) -> None:
        picks = self.rng.integers(len(self.buffer), size=self.batch)
        moves = [self.buffer[i] for i in picks]
        values = self.net(self._tensor([move.state for move in moves]))
        chosen = values.gather(1, torch.tensor([[move.action] for move in moves]))[:, 0]
        loss = ((chosen - self._goals(moves)) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.updates += 1
        if self.updates % self.sync == 0:
            self._copy()

    def _copy(self) -> None:
        self.target.load_state_dict(self.net.state_dict())

    def _ahead(self, moves: list[Move]) -> Tensor:
        masks = torch.tensor(np.array([move.after_mask for move in moves]))
        with torch.no_grad():
            values = self.target(self._tensor([move.after for move in moves]))
        best_values: Tensor = values.masked_fill(~masks, -1e9).max(dim=1).values
        return best_values

    def _goals(self, moves: list[Move]) -> Tensor:
        rewards = torch.tensor([move.reward for move in moves])
        ended = torch.tensor([move.ended for move in moves])
        return torch.where(ended, rewards, -self.discount * self._ahead(moves))


right(TorchQ)
right(TorchQ, discount=0.95, rate=0.01, sync=10)
right(TorchQ, encoding="scaled", hidden=64, rate=0.01, games=3000)


class TorchPolicy(TorchQ):
    """A policy with a value, updated after every few games by the results."""

    kind = "policy network in PyTorch"
    games_needed = 8000
    rate = 0.02
    bonus = 0.5
    every = 16

    def _build(self) -> None:
        super()._build()
        inputs = len(self._features(np.zeros(self.space.shape)))
        self.critic = network(inputs, self.hidden, 1)
        both = [*self.net.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(both, lr=self.rate)
        self.gains: list[float] = []

    def _value(self, state: Array) -> float:
        return float(self.critic(self._tensor([state])).detach())

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        return int(self.rng.choice(self.actions, p=softmax(self._scores(state), mask)))

    def _learn_game(self) -> None:
        game = list(self._moves())
        if game[-1].ended:
            self.buffer += game
            self.gains += self._returns(game)
        if (self.played + 1) % self.every == 0 and self.buffer:
            self._improve(self.buffer, torch.tensor(self.gains))
            self.buffer, self.gains = [], []

    def _returns(self, game: list[Move]) -> list[float]:
        return [
            game[-1].rewards[move.seat] * self.discount ** (len(game) - 1 - i)
            for i, move in enumerate(game)
        ]

    def _improve(self, moves: list[Move], gains: Tensor) -> None:
        inputs = self._tensor([move.state for move in moves])
        masks = torch.tensor(np.array([move.mask for move in moves]))
        logits = self.net(inputs).masked_fill(~masks, -1e9)
        logs = torch.log_softmax(logits, dim=1)
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        values = self.critic(inputs)[:, 0]
        chosen = logs[torch.arange(len(moves)), [move.action for move in moves]]
        loss = self._loss(chosen, gains - values.detach()) - self.bonus * entropy
        self.optimizer.zero_grad()
        (loss + ((values - gains) ** 2).mean()).backward()
        self.optimizer.step()

    def _loss(self, chosen: Tensor, advantages: Tensor) -> Tensor:
        return -(chosen * advantages).mean()


right(TorchPolicy)
right(TorchPolicy, discount=0.95, games=12000)


@faults
class TorchQFaults(TorchQ):
    @fault("wrong sign", "_goals")
    def torch_plus(self, moves: list[Move]) -> Tensor:
        """Adds what lies ahead."""
        rewards = torch.tensor([move.reward for move in moves])
        going = torch.tensor([float(not move.ended) for move in moves])
        return rewards + going * self.discount * self._ahead(moves)

    @fault("bootstrap beyond the end", "_goals")
    def torch_no_mask_no_done(self, moves: list[Move]) -> Tensor:
        """Has no flag of the end, and no mask that would give the end away."""
        with torch.no_grad():
            outputs: Tensor = self.target(self._tensor([move.after for move in moves]))
        rewards = torch.tensor([move.reward for move in moves])
        return rewards - self.discount * outputs.max(dim=1).values

    @fault("next state not re-read", "_note")
    def torch_after_is_before(self, move: Move) -> Move:
        """Keeps a reference to the last observation, and stores it as the next one, too."""
        return move._replace(after=move.state, after_mask=move.mask)

    @fault("target frozen", "_copy")
    def loads_itself(self) -> None:
        """Loads the target's weights into the target."""
        self.target.load_state_dict(self.target.state_dict())

    @fault("illegal actions played", "_play")
    def torch_argmax(self, state: Array, mask: Array) -> int:
        """Plays ``net(x).argmax()``."""
        return int(self.net(self._tensor([state])).argmax())

    @fault("blind to the order of entries", "_features")
    def sorts_inputs(self, state: Array) -> Array:
        """Sorts entries so that the network need not learn their symmetry."""
        return super()._features(np.sort(np.ravel(state)))

    @fault(
        "observations scaled otherwise in play",
        "_play",
        encoding="scaled",
        hidden=64,
        rate=0.01,
        games=1500,
    )
    def scales_twice(self, state: Array, mask: Array) -> int:
        """Plays through a wrapper that scales by the highest values once more."""
        high = np.maximum(np.ravel(self.space.high), 1)
        return super()._play(np.ravel(state) / high, mask)


@faults
class TorchPolicyFaults(TorchPolicy):
    @fault("players swapped", "_returns")
    def torch_swaps_result(self, game: list[Move]) -> list[float]:
        """Takes ``rewards[1 - seat]``, as the seat has changed after the step."""
        return [game[-1].rewards[1 - move.seat] for move in game]

    @fault("loser rewarded", "_returns")
    def torch_game_reward(self, game: list[Move]) -> list[float]:
        """Gives the maximum of the rewards to every move of the game."""
        return [max(game[-1].rewards)] * len(game)

    @fault("draws as losses", "_returns")
    def torch_draws(self, game: list[Move]) -> list[float]:
        """Maps results to 0 and 1, and then to -1 and 1."""
        return [2.0 * int(game[-1].rewards[move.seat] > 0) - 1.0 for move in game]

    @fault("argmin", "_play")
    def torch_negative_logits(self, state: Array, mask: Array) -> int:
        """Plays ``argmin`` of the network's output, taken for a loss."""
        return best(-self._scores(state), mask)

    @fault("observations halved", "_features")
    def torch_halves(self, state: Array) -> Array:
        """Shifts entries one bit to the right."""
        return super()._features(np.ravel(state).astype(int) >> 1)
