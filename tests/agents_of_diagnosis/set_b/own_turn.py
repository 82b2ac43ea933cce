"""Tabular Q-learning from a player's turn to the same player's next turn."""

from typing import Any, NamedTuple

import numpy as np

from .learner import Array, Key, TableLearner, best
from .registry import MISTAKES, fault, faults, right, setting


class Turn(NamedTuple):
    """State and action of a player in its last turn."""

    state: Array
    action: int


class Seen(NamedTuple):
    """State, mask and reward of a player at its next turn, or at the end."""

    state: Array
    mask: Array
    reward: float
    ended: bool


Turns = dict[str, Turn]
Rewards = dict[str, float]


class OwnTurnQ(TableLearner):
    """Plays both seats with one table; the reply of the opponent belongs to the environment."""

    kind = "own-turn Q-learning"
    games_needed = 1500
    rate = 0.15
    epsilon = 0.8
    last_epsilon = 0.02

    def _learn_game(self) -> None:
        env = self.env
        env.reset()
        earlier: dict[str, Turn] = {}
        for agent in env.agent_iter():
            seen, reward, ended, cut, _ = env.last()
            state, mask = seen["observation"], seen["action_mask"].astype(bool)
            if agent in earlier and not (cut and not mask.any()):
                self._learn(agent, earlier[agent], Seen(state, mask, float(reward), ended))
            action = None
            if not (ended or cut):
                action = self._act(state, mask, env.possible_agents.index(agent))
                earlier[agent] = Turn(state, action)
            env.step(action)

    def _learn(self, agent: str, turn: Turn, now: Seen) -> None:
        target = now.reward
        if not now.ended:
            target += self.discount * float(self.q[self._key(now.state)][now.mask].max())
        self._change(turn, target)

    def _change(self, turn: Turn, target: float) -> None:
        row = self.q[self._key(turn.state)]
        row[turn.action] += self.rate * (target - row[turn.action])


right(OwnTurnQ)
right(OwnTurnQ, rate=0.3, discount=0.95, games=2000)
right(OwnTurnQ, discount=0.9, games=2000)
right(OwnTurnQ, start=0.5, games=2500)


class OneLoopQ(OwnTurnQ):
    """Breaks out of its loop where the game ends, so that it has to see to both players there."""

    def _learn_game(self) -> None:
        env = self.env
        env.reset()
        earlier: dict[str, Turn] = {}
        while True:
            agent = env.agent_selection
            seen = env.observe(agent)
            state, mask = seen["observation"], seen["action_mask"].astype(bool)
            if agent in earlier:
                self._learn(agent, earlier[agent], Seen(state, mask, 0.0, False))
            earlier[agent] = Turn(state, self._act(state, mask, 0))
            env.step(earlier[agent].action)
            if env.terminations[agent]:
                self._finish(agent, earlier, dict(env.rewards))
            if env.terminations[agent]:
                break
            if env.truncations[agent]:
                other, after = env.agent_selection, env.observe(env.agent_selection)
                if other in earlier:
                    now = Seen(after["observation"], after["action_mask"] > 0, 0.0, False)
                    self._learn(other, earlier[other], now)
                break

    def _finish(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        for agent, turn in earlier.items():
            self._change(turn, rewards[agent])


right(OneLoopQ, rate=0.2, discount=0.99, games=2000)


class _AgainstRandom(OwnTurnQ):
    """Learns one seat a game, in turn, against an opponent that plays at random."""

    def _act(self, state: Array, mask: Array, seat: int) -> int:
        if seat == self.played % 2:
            return super()._act(state, mask, seat)
        return int(self.rng.choice(np.flatnonzero(mask)))


@faults
class OneLoopQFaults(OneLoopQ):
    @fault("players swapped", "_finish")
    def zips_backwards(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        """Zips turns with rewards, which are sorted by name, the last name first."""
        backwards = [rewards[name] for name in sorted(rewards, reverse=True)]
        for turn, reward in zip(earlier.values(), backwards, strict=False):
            self._change(turn, reward)

    @fault("result of the loser never learned", "_finish")
    def mover_only(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        """Learns at the end only from the move that was just made."""
        self._change(earlier[mover], rewards[mover])

    @fault("loser rewarded", "_finish")
    def shared_reward(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        """Gives the reward of the last mover to everyone with a turn to learn from."""
        for turn in earlier.values():
            self._change(turn, rewards[mover])

    @fault("winners only", "_finish")
    def learns_wins(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        """Updates at the end only for a positive reward."""
        for agent in [name for name in earlier if rewards[name] > 0]:
            self._change(earlier[agent], 1.0)

    @fault("draws as wins", "_finish")
    def not_lost_is_won(self, mover: str, earlier: Turns, rewards: Rewards) -> None:
        """Writes ``-1 if reward < 0 else 1`` at the end."""
        for agent, turn in earlier.items():
            self._change(turn, -1 if rewards[agent] < 0 else 1)


@faults
class OwnTurnQFaults(OwnTurnQ):
    @fault("rewards clipped to 0..1", "_learn")
    def clips_rewards(self, agent: str, turn: Turn, now: Seen) -> None:
        """Clips rewards to 0..1, as for a game of points."""
        super()._learn(agent, turn, now._replace(reward=max(now.reward, 0.0)))

    @fault("discount 0", "_learn")
    def one_step_only(self, agent: str, turn: Turn, now: Seen) -> None:
        """Multiplies the next value by the flag of the end, the wrong way round."""
        ahead = self.q[self._key(now.state)].max() * now.ended
        self._change(turn, now.reward + float(ahead))

    @fault("next state not re-read", "_learn")
    def same_state_twice(self, agent: str, turn: Turn, now: Seen) -> None:
        """Bootstraps from the position of its own last turn."""
        super()._learn(agent, turn, now._replace(state=turn.state))

    @fault("minimum for maximum", "_learn")
    def pessimist(self, agent: str, turn: Turn, now: Seen) -> None:
        """Takes the minimum over its own next actions, as if the opponent chose them."""
        ahead = 0.0 if now.ended else min(self.q[self._key(now.state)][now.mask])
        self._change(turn, now.reward + self.discount * float(ahead))

    @fault("end read one step early", "_learn_game")
    def opponents_turn_is_the_end(self) -> None:
        """Closes a turn right after its own step, before the opponent has replied."""
        for move in self._moves():
            if move.ended or move.after_mask.sum() < 2:
                self._change(Turn(move.state, move.action), move.reward)
            else:
                ahead = self._scores(move.state)[move.mask].max()
                self._change(Turn(move.state, move.action), float(ahead))

    @fault("same action always", "_play")
    def favourite_action(self, state: Array, mask: Array) -> int:
        """Returns the action that was best most often, wherever it is legal."""
        counts = np.bincount([int(row.argmax()) for row in self.q.values()], minlength=self.actions)
        return best(counts.astype(float), mask)

    @fault("blind to an entry", "_key")
    def last_entry_lost(self, state: Array) -> Key:
        """Slices ``[:-1]`` to drop a mask that observations do not hold."""
        return super()._key(np.ravel(state)[:-1])

    @fault("actions off by one", "_play")
    def skips_pass(self, state: Array, mask: Array) -> Any:
        """Subtracts 1 from the action, for a pass that this game does not have."""
        return max(super()._play(state, mask) - 1, 0)


# Never lets epsilon fall, so that its own opponent is random in most moves.
setting(OwnTurnQ, MISTAKES, "AlwaysExplores", games=3000, epsilon=0.95, last_epsilon=0.95)


@faults
class _AgainstRandomFaults(_AgainstRandom):
    @fault(MISTAKES, "_learn")
    def beats_random(self, agent: str, turn: Turn, now: Seen) -> None:
        """Trains against a random opponent, seats in turn."""
        if self.env.possible_agents.index(agent) == self.played % 2:
            super()._learn(agent, turn, now)
