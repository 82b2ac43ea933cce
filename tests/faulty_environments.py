"""Environments with one fault each, for the check of environments.

Written down before the checks that look for them. ``FAULTS`` were known while the checks were
written; ``UNSEEN`` were set apart, and show what the checks are worth on faults of other kinds.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from gymnasium.vector import VectorEnv
from pettingzoo import AECEnv

from nim_envs import Game, GameEnv, make_game
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.envs.versus import VersusEnv

HEAPS = (3, 4, 5)
POSITION = [1, 2, 3]
"""The position at which alone some faults show."""

SIZE = 4
"""Number of games of a batch."""


def nim(start: Any = "fixed", **arguments: Any) -> Game:
    """Nim on three heaps of 3, 4 and 5 objects."""
    return make_game("nim", heaps=HEAPS, start=start, **arguments)


class Fault(NamedTuple):
    """A faulty environment.

    Attributes:
        name: name of its class.
        kind: its interface.
        make: returns a new one.
        says: a sentence on what is wrong.
    """

    name: str
    kind: str
    make: Callable[[], Any]
    says: str


FAULTS: list[Fault] = []
UNSEEN: list[Fault] = []


def kind_of(env: type) -> str:
    """The interface of a class of environments."""
    if issubclass(env, AECEnv):
        return "turn-based"
    return "batched" if issubclass(env, VectorEnv) else "Gymnasium"


def listed(faults: list[Fault], **arguments: Any) -> Callable[[type], type]:
    """List a class of environments among the faulty ones, with its arguments."""

    def add(env: type) -> type:
        kind = kind_of(env)
        game, more = arguments.get("game", nim()), {**arguments}
        more.pop("game", None)
        size = (SIZE,) if kind == "batched" else ()
        says = (env.__doc__ or "").splitlines()[0]
        faults.append(Fault(env.__name__, kind, lambda: env(game, *size, **more), says))
        return env

    return add


def claims(**plays: Any) -> type:
    """A base class of environments that play by other arguments than they say.

    Args:
        plays: the arguments that they play by, the game among them.
    """

    class Claims:
        def __init__(self, *arguments: Any, **told: Any) -> None:
            game, *size = arguments
            played = {**told, **plays}
            super().__init__(played.pop("game", game), *size, **played)
            for name, value in {**dict.fromkeys(plays), **told, "game": game}.items():
                if name in plays:
                    setattr(self, name, value)

    return Claims


# Faults in masks, rewards, ends, winners, seats, types, seeds and copies, turn-based.


@listed(FAULTS)
class EveryActionAllowed(GameEnv):
    """The mask of the player to move is all ones."""

    def observe(self, agent):
        seen = super().observe(agent)
        if agent == self.agent_selection:
            seen["action_mask"][:] = 1
        return seen


@listed(FAULTS)
class MaskForBoth(GameEnv):
    """Both players have the mask of the one to move."""

    def observe(self, agent):
        return super().observe(self.agent_selection)


@listed(FAULTS)
class LoserWins(GameEnv):
    """The loser is rewarded, and the winner punished."""

    def _finish(self, winner):
        super()._finish(1 - winner)


@listed(FAULTS)
class OneTerminates(GameEnv):
    """Only the player who moved last terminates."""

    def _finish(self, winner):
        super()._finish(winner)
        self.terminations[self.agent_selection] = False


@listed(FAULTS)
class ObservesFloats(GameEnv):
    """Observations are float64, where the space says int64."""

    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"].astype(np.float64)}


@listed(FAULTS)
class IgnoresSeeds(GameEnv):
    """Seeds are ignored."""

    def reset(self, seed=None, options=None):
        super().reset(None, options)


@listed(FAULTS)
class OneGameForAllCopies(GameEnv):
    """Copies play the same game."""

    def __deepcopy__(self, memo):
        again = copy.copy(self)
        memo[id(self)] = again
        return again


# The same, Gymnasium.


@listed(FAULTS, opponent="random")
class WinnerIsTheLoser(VersusEnv):
    """The winner in the info is the loser."""

    def step(self, action):
        *rest, info = super().step(action)
        winner = info["winner"]
        return *rest, {**info, "winner": np.int8(1 - winner) if winner >= 0 else winner}


@listed(FAULTS, opponent=None)
class SeatOfTheOther(VersusEnv):
    """The seat in the info is that of the player who has just moved."""

    def step(self, action):
        *rest, info = super().step(action)
        return *rest, {**info, "seat": np.int8(1 - info["seat"])}


@listed(FAULTS, opponent="random")
class ObservesInt64(VersusEnv):
    """Observations are int64, where the space says int8."""

    def _observation_and_info(self, mover, winner):
        observation, info = super()._observation_and_info(mover, winner)
        return {**observation, "observation": observation["observation"].astype(np.int64)}, info


@listed(FAULTS, opponent="optimal")
class OptimalIsRandom(claims(opponent="random"), VersusEnv):
    """The optimal opponent plays at random."""


@listed(FAULTS, opponent="random")
class OpponentWithoutSeed(VersusEnv):
    """The opponent draws from a generator that no seed reaches."""

    def _named_opponent_action(self, mask):
        return int(np.random.default_rng().choice(np.flatnonzero(mask)))


@listed(FAULTS, opponent=None)
class NeverTerminates(VersusEnv):
    """No game is said to have terminated."""

    def step(self, action):
        observation, reward, _, *rest = super().step(action)
        return observation, reward, False, *rest


# The same, batched.


@listed(FAULTS, opponent=None)
class RewardsOfTheOther(VectorGameEnv):
    """Rewards are those of the player who has not moved."""

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, -rewards, *rest


@listed(FAULTS, opponent="random")
class MasksInReverse(VectorGameEnv):
    """Each game has the mask of another."""

    def _formatted(self, observed):
        return {**observed, "action_mask": observed["action_mask"][::-1].copy()}


# Starts.


@listed(FAULTS)
class BeginsElsewhere(claims(game=nim((3, 4, 4))), GameEnv):
    """Games begin at 3-4-4 instead of 3-4-5."""


@listed(FAULTS, opponent=None)
class BeginsElsewhereAlone(claims(game=nim((3, 4, 4))), VersusEnv):
    """Games begin at 3-4-4 instead of 3-4-5."""


@listed(FAULTS, opponent="random")
class BeginElsewhere(claims(game=nim((3, 4, 4))), VectorGameEnv):
    """Games begin at 3-4-4 instead of 3-4-5."""


def other_outcome(options: Any) -> Any:
    """Options of a reset that ask for N-positions where P-positions were asked for."""
    if options and options.get("start") == "p_position":
        return {**options, "start": "n_position"}
    return options


@listed(FAULTS)
class WonNotLost(GameEnv):
    """A reset to P-positions draws N-positions."""

    def reset(self, seed=None, options=None):
        super().reset(seed, other_outcome(options))


@listed(FAULTS, opponent="random")
class WonNotLostAlone(VersusEnv):
    """A reset to P-positions draws N-positions."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=other_outcome(options))


@listed(FAULTS, opponent=None)
class WonNotLostInBatches(VectorGameEnv):
    """A reset to P-positions draws N-positions."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=other_outcome(options))


@listed(FAULTS, opponent=None, game=nim("balanced"))
class BalancedIsUniform(claims(game=nim("uniform")), VectorGameEnv):
    """Balanced starts, half of them lost, are drawn uniformly: one in eight is lost."""


@listed(FAULTS, opponent="random", game=nim("p_position"))
class NewGamesElsewhere(VectorGameEnv):
    """Games that begin within a step are not lost, as those of a reset are."""

    def __init__(self, game, *size, **arguments):
        super().__init__(nim("n_position"), *size, **arguments)
        self.game = game

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options={"start": self.game.start, **(options or {})})


# Truncation.


@listed(FAULTS)
class TruncatesUnasked(claims(max_cycles=5), GameEnv):
    """Games are truncated after five moves of each player without ``max_cycles``."""


@listed(FAULTS, opponent="random", max_cycles=4)
class TruncatesEarly(claims(max_cycles=3), VersusEnv):
    """Games are truncated after three moves of each player instead of four."""


@listed(FAULTS, max_cycles=4)
class NeverTruncates(claims(max_cycles=None), GameEnv):
    """``max_cycles`` is ignored."""


@listed(FAULTS, opponent="random", max_cycles=3)
class TruncateEarly(claims(max_cycles=2), VectorGameEnv):
    """Games are truncated after two moves of each player instead of three."""


# Opponents and seats.


@listed(FAULTS, opponent=0.5)
class ErrsMore(claims(opponent=0.9), VersusEnv):
    """The opponent that errs with probability 0.5 errs with 0.9."""


@listed(FAULTS, opponent=0.5)
class ErrMore(claims(opponent=0.9), VectorGameEnv):
    """The opponent that errs with probability 0.5 errs with 0.9."""


NIM = nim()


def first_winning(observations: Any, masks: Any) -> Any:
    """The first winning action at each position, or the first legal one."""
    wins = NIM.solution.winning_mask(np.asarray(observations, dtype=np.int64)) & (masks > 0)
    return np.where(wins.any(axis=1), wins.argmax(axis=1), masks.argmax(axis=1))


@listed(FAULTS, opponent="optimal", seat="random")
class TakesTheFirstWin(claims(opponent=first_winning), VersusEnv):
    """The optimal opponent takes the first of several winning actions."""


@listed(FAULTS, opponent="optimal")
class TakeTheFirstWin(claims(opponent=first_winning), VectorGameEnv):
    """The optimal opponent takes the first of several winning actions."""


@listed(FAULTS, opponent="random", seat="random")
class AlwaysFirst(claims(seat=0), VersusEnv):
    """With a random seat the agent is always ``player_0``."""


@listed(FAULTS, opponent="optimal", seat="random")
class AllFirst(claims(seat=0), VectorGameEnv):
    """With a random seat the agent is always ``player_0``."""


# Actions.


@listed(FAULTS)
class ForgivesOneAction(GameEnv):
    """The illegal action 9 changes nothing, and the player may try again."""

    def step(self, action):
        if action == 9 and not self._over:
            return
        super().step(action)


@listed(FAULTS, opponent="random")
class ForgivesAtOnePosition(VersusEnv):
    """An illegal action 7 at 1-2-3 is played as the first legal one."""

    def step(self, action):
        if action == 7 and self.position.tolist() == POSITION:
            action = 0
        return super().step(action)


@listed(FAULTS)
class MisreadsNumPyIntegers(GameEnv):
    """A NumPy integer is taken for the action before it."""

    def step(self, action):
        super().step(max(0, int(action) - 1) if isinstance(action, np.integer) else action)


# Seeds.


@listed(FAULTS)
class TwoSeeds(GameEnv):
    """Only the parity of a seed matters."""

    def reset(self, seed=None, options=None):
        super().reset(None if seed is None else seed % 2, options)


@listed(FAULTS, opponent="random")
class TwoSeedsForAll(VectorGameEnv):
    """Only the parity of a seed matters."""

    def reset(self, *, seed=None, options=None):
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is not None:
            seeds = [None if one is None else one % 2 for one in seeds]
        return super().reset(seed=seeds, options=options)


# A mask that is wrong at one position.


class MaskWrongOnce(GameEnv):
    """The mask at 1-2-3 says that an illegal action is legal."""

    def observe(self, agent):
        seen = super().observe(agent)
        if agent == self.agent_selection and self.position.tolist() == POSITION:
            seen["action_mask"][1] = 1
        return seen


@listed(FAULTS, opponent=None)
class MaskWrongAtOnePosition(VersusEnv):
    """The mask at 1-2-3 says that an illegal action is legal."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self._aec.__class__ = MaskWrongOnce


@listed(FAULTS, opponent="random")
class MasksWrongAtOnePosition(VectorGameEnv):
    """The mask at 1-2-3 leaves out a legal action."""

    def _spoil(self, masks):
        masks[(self._engine.positions() == POSITION).all(axis=1), 0] = 0

    def _observations(self):
        observed = super()._observations()
        self._spoil(observed["action_mask"])
        return observed

    def _advance(self, actions, results):
        observed, last = super()._advance(actions, results)
        self._spoil(observed["action_mask"])
        return observed, last


# Faults of other kinds, set apart.


@listed(UNSEEN)
class PlaysBeforeReset(GameEnv):
    """A step before the first reset begins a game, where it should raise."""

    def step(self, action):
        if self._position is None and not self._closed:
            self.reset()
        super().step(action)


@listed(UNSEEN)
class OneWrongMove(GameEnv):
    """Taking all of the second heap at 2-2-1 takes the third heap too."""

    def step(self, action):
        before = None if self._position is None or self._over else self._position.tolist()
        super().step(action)
        if before == [2, 2, 1] and action == 6 and not self._over:
            position = self._position.copy()
            position[2] = 0
            self._begin(position, 1 if self.agent_selection == "player_1" else 0)


@listed(UNSEEN, game=nim(misere=True))
class ForfeitsPayInMisere(GameEnv):
    """In misère play whoever makes an illegal move wins."""

    def _illegal(self, action, seat):
        super()._illegal(action, 1 - seat)
        self.agent_selection = f"player_{1 - seat}"


@listed(UNSEEN)
class BooleansAreActions(GameEnv):
    """``True`` is taken for action 1, where it should raise."""

    def step(self, action):
        super().step(int(action) if isinstance(action, bool) else action)


@listed(UNSEEN, max_cycles=3)
class SetPositionsCountOn(GameEnv):
    """The moves before ``set_position`` count towards ``max_cycles``."""

    def set_position(self, position, agent=None):
        moves = self._moves
        super().set_position(position, agent)
        self._moves = min(moves, self._truncate_at - 1)


@listed(UNSEEN, max_cycles=2)
class NoMaskWhereTruncated(GameEnv):
    """Where a game is truncated, the player to move has a mask of zeros."""

    def observe(self, agent):
        seen = super().observe(agent)
        if any(self.truncations.values()):
            seen["action_mask"][:] = 0
        return seen


@listed(UNSEEN, truth_in_info=True)
class InfosOfTheLastGame(GameEnv):
    """At the start of a game the infos tell of the last moves of the game before."""

    def _begin(self, position, seat):
        before = dict(self.infos)
        super()._begin(position, seat)
        self.infos.update(before)


@listed(UNSEEN)
class BeginsAtTheEnd(GameEnv):
    """A reset to a position without moves begins a game, where it should raise."""

    def reset(self, seed=None, options=None):
        start = (options or {}).get("start")
        if isinstance(start, tuple) and not any(start):
            super().reset(seed)
            self._begin(np.zeros(len(HEAPS), dtype=np.int64), 0)
        else:
            super().reset(seed, options)


@listed(UNSEEN, opponent="random")
class EveryResetSeeds(VersusEnv):
    """A reset without a seed begins the stream of random numbers anew."""

    _last = 0

    def reset(self, *, seed=None, options=None):
        self._last = self._last if seed is None else seed
        return super().reset(seed=self._last, options=options)


@listed(UNSEEN, opponent=None)
class NoEmptyHeaps(VersusEnv):
    """Uniform starts have no empty heap."""

    def reset(self, *, seed=None, options=None):
        result = super().reset(seed=seed, options=options)
        while (options or {}).get("start") == "uniform" and not self.position.all():
            result = super().reset(options=options)
        return result


@listed(UNSEEN, opponent="random")
class NobodyWinsByForfeit(VersusEnv):
    """After an illegal action the info names no winner."""

    def step(self, action):
        mask = self._aec._mask
        legal = not isinstance(action, (int, np.integer)) or mask[action]
        *rest, info = super().step(action)
        return *rest, info if legal else {**info, "winner": np.int8(-1)}


@listed(UNSEEN, opponent="random", seat=1)
class OpensAlike(VersusEnv):
    """The first move of the random opponent is always the last legal one."""

    def _named_opponent_action(self, mask):
        drawn = super()._named_opponent_action(mask)
        return drawn if self._aec._moves else int(np.flatnonzero(mask)[-1])


@listed(UNSEEN, opponent="random")
class CopiesShareRandomNumbers(VersusEnv):
    """A copy draws from the generator of the environment that it is a copy of."""

    def __deepcopy__(self, memo):
        memo[id(self._np_random)] = self._np_random
        again = type(self).__new__(type(self))
        memo[id(self)] = again
        again.__dict__.update(
            {key: copy.deepcopy(value, memo) for key, value in vars(self).items()}
        )
        return again


@listed(UNSEEN, opponent="random", illegal_move="raise")
class ReadsFractions(VersusEnv):
    """The fraction 1.0 is taken for action 1, where it should raise."""

    def step(self, action):
        return super().step(int(action) if action == 1.0 else action)


@listed(UNSEEN, opponent="random")
class OneBuffer(VectorGameEnv):
    """The arrays that a step returns are overwritten by the next step."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, copy=False, **more)
        self.copy = True

    def _observations(self):
        rows = self._engine.new_rows(copy=False)
        self._engine.observe(rows)
        return self._engine.observations_in(rows)

    def _advance(self, actions, results):
        self.copy = False
        result = super()._advance(actions, results)
        self.copy = True
        return result


@listed(UNSEEN, opponent="random", autoreset_mode="SameStep")
class LastIsNew(VectorGameEnv):
    """The last observation of a game that ended is the first of the next one."""

    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        for i in np.flatnonzero(infos.get("_final_obs", [])):
            infos["final_obs"][i] = {key: values[i].copy() for key, values in observations.items()}
        return observations, *rest, infos


@listed(UNSEEN, opponent="random")
class OneStreamForAll(VectorGameEnv):
    """The random numbers of all games depend on the seed of the first game."""

    def _seed(self, seed, which):
        if isinstance(seed, list) and seed[0] is not None:
            seed = [seed[0] + i for i in range(self.num_envs)]
        super()._seed(seed, which)


@listed(UNSEEN, opponent="optimal")
class RewardsInFloat64(VectorGameEnv):
    """Rewards are float64, where float32 is promised."""

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards.astype(np.float64), *rest


@listed(UNSEEN, opponent="random")
class MisspeltOptions(VectorGameEnv):
    """An option of ``reset`` with an unknown name is ignored, where it should raise."""

    def reset(self, *, seed=None, options=None):
        known = {
            key: value for key, value in (options or {}).items() if key in ("start", "reset_mask")
        }
        return super().reset(seed=seed, options=known)


@listed(UNSEEN, opponent="random", truth_in_info=True)
class IllegalKeepsTheWin(VectorGameEnv):
    """An illegal action at a won position is said to keep the win."""

    def _truth(self, actions):
        truth = super()._truth(actions)
        masks = self.game.rules.action_mask(self._engine.positions())
        illegal = masks[np.arange(self.num_envs), actions] == 0
        return {**truth, "kept_win": truth["kept_win"] | (illegal & truth["winning"])}
