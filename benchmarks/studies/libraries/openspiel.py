"""OpenSpiel's learners and search, on this project's games as games of OpenSpiel."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from benchmarks.studies.libraries.recipes import board_game
from nim_envs.encoding import Encoding
from nim_envs.game import Game
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.typing import Array, FloatArray, MaskArray

with imports_for("this benchmark's learners of OpenSpiel", "libraries"):
    import pyspiel
    from open_spiel.python import rl_agent, rl_environment
    from open_spiel.python.algorithms import mcts as spiel_mcts
    from open_spiel.python.algorithms.tabular_qlearner import QLearner
    from open_spiel.python.pytorch.dqn import DQN

PLAYERS = 2


class SpielGame(pyspiel.Game):
    """A game of this project as one of OpenSpiel: a chance node draws the first position.

    Observations are those of the encoding ``"one_hot"``.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.encoding = Encoding("one_hot", game.fields)
        self.starts = [*map(tuple, game.starts.sampler(game).support()[0].tolist())]
        kind = pyspiel.GameType(
            short_name=f"nim_envs_{game.name}",
            long_name=str(game),
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.PERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=PLAYERS,
            min_num_players=PLAYERS,
            provides_information_state_string=False,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
        )
        size = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=len(self.starts),
            num_players=PLAYERS,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=game.longest_play(),
        )
        super().__init__(kind, size, {})

    def new_initial_state(self) -> SpielState:
        """Return the chance node at which games begin."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return an observer of positions."""
        return Observer(self)


class SpielState(pyspiel.State):
    """A position and the player to move, or the chance node before the first position."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.spiel = game
        self.position: tuple[int, ...] | None = None
        self.player = 0

    def clone(self) -> SpielState:
        """Return a copy; OpenSpiel's own looks the game up by its name."""
        copy = SpielState(self.spiel)
        copy.position, copy.player = self.position, self.player
        return copy

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's id of the chance node or of the end."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the first positions by their indices, equally probable."""
        count = len(self.spiel.starts)
        return [(index, 1 / count) for index in range(count)]

    def is_terminal(self) -> bool:
        """Return whether there is no move."""
        return self.position is not None and self.spiel.game.is_over(self.position)

    def returns(self) -> list[float]:
        """Return the result for both players, 0 while the game goes on."""
        if not self.is_terminal():
            return [0.0, 0.0]
        value = float(self.spiel.game.end_value(self.position))
        return [value, -value] if self.player == 0 else [-value, value]

    def _legal_actions(self, player: int) -> list[int]:
        return self.spiel.game.actions(self.position)

    def _apply_action(self, action: int) -> None:
        if self.position is None:
            self.position = self.spiel.starts[action]
        else:
            self.position = self.spiel.game.play(self.position, action)
            self.player = 1 - self.player

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def __str__(self) -> str:
        return f"{self.position} {self.player}"


class Observer:
    """Observations of positions, as OpenSpiel's environments ask for them."""

    def __init__(self, game: SpielGame) -> None:
        self.game = game
        width = game.encoding.space.shape[0]
        self.tensor = np.zeros(width, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the observation of a position; zeros before the first."""
        self.tensor.fill(0)
        if state.position is not None:
            coordinates = np.array(state.position)
            self.tensor[:] = self.game.encoding.encode(coordinates)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the position in words."""
        return str(state)


def q_learning(board: str, moves: int, seed: int) -> list[PolicyFunction]:
    """Train two tabular Q-learners with their defaults; return the policy of each seat."""
    return _trained(board, moves, seed, lambda player, env: QLearner(player, _actions(env)))


def dqn(board: str, moves: int, seed: int) -> list[PolicyFunction]:
    """Train two deep Q-networks with the settings of OpenSpiel's example."""

    def agent(player: int, env: rl_environment.Environment) -> DQN:
        return DQN(
            player_id=player,
            state_representation_size=env.observation_spec()["info_state"][0],
            num_actions=_actions(env),
            hidden_layers_sizes=[64, 64],
            replay_buffer_capacity=100_000,
            batch_size=32,
            seed=seed,
        )

    return _trained(board, moves, seed, agent)


def _actions(env: rl_environment.Environment) -> int:
    return int(env.action_spec()["num_actions"])


def _trained(board: str, moves: int, seed: int, new_agent: Any) -> list[PolicyFunction]:
    np.random.seed(seed)
    random.seed(seed)
    game = SpielGame(board_game(board))
    sampler = rl_environment.ChanceEventSampler(seed)
    env = rl_environment.Environment(game, chance_event_sampler=sampler)
    agents = [new_agent(player, env) for player in range(PLAYERS)]
    played = 0
    while played < moves:
        time_step = env.reset()
        movers = set()
        while not time_step.last():
            player = time_step.observations["current_player"]
            time_step = env.step([agents[player].step(time_step).action])
            movers.add(player)
            played += 1
        # An agent that has made no move of a game, which may begin near its end, learns nothing.
        for player in movers:
            agents[player].step(time_step)
    return [_policy(agent, player) for player, agent in enumerate(agents)]


def _policy(agent: rl_agent.AbstractAgent, player: int) -> PolicyFunction:
    """Return the policy that an agent plays in evaluation."""

    def policy(observations: Array, masks: MaskArray) -> FloatArray:
        rows = []
        for observation, mask in zip(observations, masks, strict=True):
            observed = {
                "info_state": [observation.tolist()] * PLAYERS,
                "legal_actions": [np.flatnonzero(mask).tolist()] * PLAYERS,
                "current_player": player,
            }
            step = rl_environment.TimeStep(observed, None, None, rl_environment.StepType.MID)
            rows.append(agent.step(step, is_evaluation=True).probs)
        return np.array(rows)

    return policy


class SearchPlayer:
    """OpenSpiel's MCTS as a player that is asked position by position."""

    def __init__(self, game: SpielGame, bot: spiel_mcts.MCTSBot) -> None:
        self.game, self.bot = game, bot

    def move(self, position: tuple[int, ...]) -> tuple[int, ...]:
        """Return the position after the bot's move."""
        state = self.game.new_initial_state()
        state.apply_action(self.game.starts.index(position))
        return self.game.game.play(position, self.bot.step(state))


def mcts(board: str, moves: int, seed: int, solve: bool = True) -> list[SearchPlayer]:
    """Return a search by 100 simulations, with the exploration constant of OpenSpiel's example."""
    game = SpielGame(board_game(board))
    state = np.random.RandomState(seed)
    evaluator = spiel_mcts.RandomRolloutEvaluator(1, state)
    bot = spiel_mcts.MCTSBot(game, 2, 100, evaluator, solve=solve, random_state=state)
    return [SearchPlayer(game, bot)]
