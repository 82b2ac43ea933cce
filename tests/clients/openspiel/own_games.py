"""A small game of OpenSpiel in Python, with one peculiarity or another, for tests."""

from itertools import count

import numpy as np
import pyspiel

_numbers = count()


def registered(
    *,
    entries=None,
    winner_gets=1.0,
    loser_gets=None,
    key=None,
    legal=None,
    first=0,
    total=6,
):
    """Return the name of a new game: in turns, take 1 or 2 of ``total``; the last move wins.

    Args:
        entries: function of a state that returns its tensor; ``None``: the game has none.
        winner_gets: return of the winner.
        loser_gets: return of the loser; by default the opposite.
        key: function of a state that returns its string.
        legal: function of a state that returns its legal actions, 0 to take 1 and 1 to take 2.
        first: the player who begins.
        total: objects at the start.
    """
    name = f"python_taking_{next(_numbers)}"
    lost = -winner_gets if loser_gets is None else loser_gets
    kind = pyspiel.GameType(
        short_name=name,
        long_name="Taking",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=entries is not None,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=2,
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-abs(winner_gets),
        max_utility=abs(winner_gets),
        utility_sum=0.0,
        max_game_length=20,
    )

    class State(pyspiel.State):
        def __init__(self, game):
            super().__init__(game)
            self.left, self.player, self.turns = total, first, 0

        def current_player(self):
            return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.player

        def _legal_actions(self, player):
            if legal is not None:
                return legal(self)
            return [action for action in (0, 1) if action < self.left]

        def _apply_action(self, action):
            self.left -= action + 1
            self.player, self.turns = 1 - self.player, self.turns + 1

        def _action_to_string(self, player, action):
            return f"take {action + 1}"

        def is_terminal(self):
            return not self._legal_actions(self.player)

        def returns(self):
            if not self.is_terminal():
                return [0.0, 0.0]
            return [lost, winner_gets] if self.player == 0 else [winner_gets, lost]

        def __str__(self):
            return f"{self.left}" if key is None else key(self)

    class Observer:
        def __init__(self, params):
            self.tensor = np.zeros(len(entries(State(Game()))), np.float32)
            self.dict = {"observation": self.tensor}

        def set_from(self, state, player):
            self.tensor[:] = entries(state)

        def string_from(self, state, player):
            return str(state)

    class Game(pyspiel.Game):
        def __init__(self, params=None):
            super().__init__(kind, info, params or {})

        def new_initial_state(self):
            return State(self)

        def make_py_observer(self, iig_obs_type=None, params=None):
            return None if entries is None else Observer(params)

    pyspiel.register_game(kind, Game)
    return name
