"""Right and faulty environments for ``check_env``: of strangers, and made of this package's."""

from functools import cache

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from nim_envs import GameEnv, game_from_moves, make_game

HEAPS = (3, 4, 5)
COINS = 10


def nim(**arguments):
    return make_game("nim", heaps=HEAPS, **arguments)


# Written from scratch, as PettingZoo's and Gymnasium's tutorials do it.


class PlainNim(AECEnv):
    """Nim on heaps of 3, 4 and 5; an action is 5 * heap + (number taken - 1)."""

    render_mode = None

    def __init__(self, misere=False):
        super().__init__()
        self.metadata = {"name": "plain_nim_v0", "render_modes": [], "is_parallelizable": False}
        self.misere = misere
        self.possible_agents = ["player_0", "player_1"]
        board = Box(0, np.array(HEAPS), dtype=np.int64)
        mask = Box(0, 1, (15,), np.int8)
        self.spaces = {
            agent: (Dict({"observation": board, "action_mask": mask}), Discrete(15))
            for agent in self.possible_agents
        }

    def observation_space(self, agent):
        return self.spaces[agent][0]

    def action_space(self, agent):
        return self.spaces[agent][1]

    def reset(self, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.heaps = self.first_heaps()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def first_heaps(self):
        return np.array(HEAPS)

    def legal(self, action):
        return action % 5 + 1 <= self.heaps[action // 5]

    def mask(self, agent):
        moves = agent == self.agent_selection and any(self.heaps) and not self.over()
        return np.array([moves and self.legal(action) for action in range(15)], dtype=np.int8)

    def over(self):
        return any(self.terminations.values())

    def observe(self, agent):
        return {"observation": self.heaps.copy(), "action_mask": self.mask(agent)}

    def other(self, agent):
        return self.possible_agents[1 - self.possible_agents.index(agent)]

    def end(self, winner):
        self.rewards[winner], self.rewards[self.other(winner)] = 1, -1
        self.terminations = dict.fromkeys(self.agents, True)

    def illegal(self, agent):
        self.end(self.other(agent))

    def is_finished(self):
        return not self.heaps.any()

    def winner(self, agent):
        return self.other(agent) if self.misere else agent

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not 0 <= action < 15:
            raise ValueError(f"no action: {action}")
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if not self.legal(action):
            self.illegal(agent)
        else:
            self.heaps[action // 5] -= action % 5 + 1
            if self.is_finished():
                self.end(self.winner(agent))
        self.agent_selection = self.next_agent(agent)
        self._accumulate_rewards()

    def next_agent(self, agent):
        return self.other(agent)


class Countdown(gymnasium.Env):
    """Take 1 or 2 of ten coins in turn with a random opponent; the last one wins.

    The observation is the share of the coins that are left.
    """

    observation_space = Box(0, 1, (1,), np.float32)
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.coins = COINS
        return self.seen(), {}

    def seen(self):
        return np.array([self.coins / COINS], dtype=np.float32)

    def opponents_move(self):
        return int(self.np_random.integers(min(2, self.coins))) + 1

    def step(self, action):
        if not 0 <= action < min(2, self.coins):
            return self.seen(), -1.0, True, False, {}
        self.coins -= int(action) + 1
        if not self.coins:
            return self.seen(), 1.0, True, False, {}
        self.coins -= self.opponents_move()
        return self.seen(), 0.0 if self.coins else -1.0, not self.coins, False, {}


def coins_of(seen):
    return (round(float(seen[0]) * COINS),)


@cache
def countdown():
    return game_from_moves(
        "countdown",
        start=(COINS,),
        moves=lambda position: [(n, (position[0] - n,)) for n in (1, 2) if n <= position[0]],
    )


# Faults in them.


class WinnerPays(PlainNim):
    def end(self, winner):
        super().end(self.other(winner))


class NobodyWins(PlainNim):
    def end(self, winner):
        super().end(winner)
        self.rewards = dict.fromkeys(self.agents, 0)


class IllegalMoveWins(PlainNim):
    def illegal(self, agent):
        self.end(agent)


class EndsWithOneLeft(PlainNim):
    def is_finished(self):
        return self.heaps.sum() <= 1


class LastRewardLost(PlainNim):
    def _accumulate_rewards(self):
        pass


class MaskOfTheOther(PlainNim):
    def observe(self, agent):
        return {**super().observe(agent), "action_mask": self.mask(self.other(agent))}


class LiveObservation(PlainNim):
    def observe(self, agent):
        return {**super().observe(agent), "observation": self.heaps}


class CachedMask(PlainNim):
    """Masks are kept, and the same array is returned again in a later game."""

    def __init__(self):
        super().__init__()
        self.masks = {}

    def mask(self, agent):
        key = (*self.heaps.tolist(), agent == self.agent_selection, self.over())
        return self.masks.setdefault(key, super().mask(agent))


class MovesTwice(PlainNim):
    def step(self, action):
        self.again = action == 14
        super().step(action)

    def next_agent(self, agent):
        return agent if self.again and self.heaps.any() else super().next_agent(agent)


class OneIsLeft(PlainNim):
    def end(self, winner):
        super().end(winner)
        self.terminations[self.other(self.agent_selection)] = False


class SmallerStart(PlainNim):
    def first_heaps(self):
        return np.array([3, 4, 4])


class SeesBeforeTheReply(Countdown):
    """The observation is that before the opponent's move, in some games."""

    def opponents_move(self):
        self.early = super().seen() if self.coins == 4 else None
        return super().opponents_move()

    def reset(self, **arguments):
        self.early = None
        return super().reset(**arguments)

    def seen(self):
        return super().seen() if self.early is None else self.early


class UnseededOpponent(Countdown):
    def opponents_move(self):
        return int(np.random.default_rng().integers(min(2, self.coins))) + 1


class CrashesAtTheEdge(Countdown):
    """An action outside the space is looked up in a list."""

    def step(self, action):
        return super().step([0, 1][action] if action >= 0 else action)


# Faults in environments of this package.


class MaskWrongOnce(GameEnv):
    def observe(self, agent):
        seen = super().observe(agent)
        if agent == self.agent_selection and self.position.tolist() == [1, 2, 3]:
            seen["action_mask"][1] = 1
        return seen


class ObservesFloats(GameEnv):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"].astype(np.float64)}


class TruncatesLate(GameEnv):
    def __init__(self, game):
        super().__init__(game, max_cycles=3)
        self.max_cycles = 2


class NoMaskWhereTruncated(GameEnv):
    def observe(self, agent):
        seen = super().observe(agent)
        if any(self.truncations.values()):
            seen["action_mask"][:] = 0
        return seen


class ForgivesOneAction(GameEnv):
    """The illegal action 9 changes nothing, and the player may try again."""

    def step(self, action):
        if action != 9 or self._over:
            super().step(action)


class MisreadsNumPyIntegers(GameEnv):
    def step(self, action):
        super().step(max(0, int(action) - 1) if isinstance(action, np.integer) else action)


class ReversedActions(gymnasium.ActionWrapper):
    def action(self, action):
        return self.env.action_space.n - 1 - action
