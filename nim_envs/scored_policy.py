"""Policies as scores ask them: the observations of positions, and checked probabilities."""

import copy
from collections.abc import Mapping
from inspect import isroutine
from types import SimpleNamespace
from typing import Any

import numpy as np
from gymnasium import ObservationWrapper, wrappers
from gymnasium.wrappers import vector
from pettingzoo.utils import wrappers as turn_based

from nim_envs.encoding import Encoding
from nim_envs.errors import InvalidPolicyError
from nim_envs.game import Game
from nim_envs.player_answers import checked_probabilities
from nim_envs.players import PlayerAdapter
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_integer

LARGEST_BATCH = 2**16
"""Most positions in one call of a policy."""

ASKED_AGAIN = 50
"""Number of times that a policy is asked again, about one position each."""

TOLERANCE = 1e-4
"""Most by which a probability may differ when the policy is asked again."""

MOST_CHANGED = 2
"""Most of these times that an action may differ, as rounding may decide between two."""

HARMLESS: set[type] = {
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.TimeLimit,
    wrappers.RecordEpisodeStatistics,
    wrappers.RecordVideo,
    vector.RecordEpisodeStatistics,
    turn_based.OrderEnforcingWrapper,
    turn_based.AssertOutOfBoundsWrapper,
    turn_based.TerminateIllegalWrapper,
    turn_based.CaptureStdoutWrapper,
}
"""Wrappers that change neither what a policy observes nor what its actions do.

Adapters add those of their libraries."""

if hasattr(vector, "RecordVideo"):  # in later releases of Gymnasium
    HARMLESS.add(vector.RecordVideo)

DECISIVE = ("step", "reset", "observe", "last")
"""Methods of environments that decide what a policy observes and what its actions do."""

ADVICE = (
    "score the game, and put your change into the policy: "
    "optimality(lambda o, m: policy(change(o), m), game)"
)


class ScoredPolicy:
    """Any player as a policy with checked action probabilities.

    Arguments and errors are those of :func:`nim_envs.optimality`; also a ``ValueError`` where the
    policy's ``num_actions`` is not that of the game.
    """

    def __init__(
        self, policy: Any, env_or_game: Any, seed: int = 0, samples: int | None = None
    ) -> None:
        reason = getattr(policy, "unscorable", None)
        if isinstance(reason, str):
            raise TypeError(
                f"{policy!r} cannot be scored: {reason}. It can be an opponent, and play matches"
            )
        self._rng = np.random.default_rng(checked_integer("seed", seed, 0, 2**64 - 1))
        self._samples = None if samples is None else checked_integer("samples", samples, minimum=1)
        env, self._wrappers = _without_wrappers(env_or_game)
        self.game: Game = env if isinstance(env, Game) else env.game
        self._encoding: Encoding | None = getattr(env, "encoding", None)
        self._shows_masks: bool = getattr(env, "mask_in_observation", True)
        self._adapter = PlayerAdapter(policy, self.game, is_scored=True)
        has, needed = getattr(policy, "num_actions", None), self.game.num_actions
        if isinstance(has, int) and has != needed:
            raise ValueError(f"the model has {has} actions, this game {needed}")
        self._rng_again = np.random.default_rng(0)  # so that asking again changes no score
        self._asked_again = self._changed = 0

    def repeatable_probabilities(
        self, positions: IntArray, masks: MaskArray, are_all: bool = False
    ) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``, by a policy as it is.

        The policy is asked again about some positions, one by one in another order; an
        ``InvalidPolicyError`` says that it answers differently. With ``samples`` it is asked
        several times instead, and the mean is returned. ``are_all`` says that no other positions
        are asked about, so that few of them are asked about several times.
        """
        answers = self.action_probabilities(positions, masks)
        if self._samples is not None:
            for _ in range(self._samples - 1):
                answers += self.action_probabilities(positions, masks)
            return answers / self._samples
        count = len(positions)
        size = ASKED_AGAIN - self._asked_again
        if not are_all or not count:
            size = min(count, size)
        self._asked_again += size
        last: dict[int, FloatArray] = {}  # of few positions, each is asked several times
        for row in self._rng_again.choice(count, size=size, replace=count < size).tolist():
            one, before = slice(row, row + 1), last.get(row, answers[row])
            last[row] = again = self._asked(positions[one], masks[one], self._rng_again)[0]
            if np.any(np.abs(again - before) > TOLERANCE):
                are_actions = np.isin([again, before], (0, 1)).all()
                self._changed += 1 if are_actions else MOST_CHANGED + 1
        if self._changed > MOST_CHANGED:
            raise InvalidPolicyError(
                "asked again about positions one by one, the policy answers differently: it uses "
                "statistics of the batch, remembers earlier calls, or draws its actions; return "
                "probabilities, or pass samples="
            )
        return answers

    def action_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``, asked once.

        A row sums to 1, or to 0 where the policy names no legal move.
        """
        probabilities = np.zeros(masks.shape)
        for first in range(0, len(positions), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            probabilities[here] = self._asked(positions[here], masks[here], self._rng)
        return probabilities

    def _asked(self, positions: IntArray, masks: MaskArray, rng: np.random.Generator) -> FloatArray:
        answer = self._adapter.answer(*self.shown(positions, masks), positions.copy(), rng)
        return checked_probabilities(answer, masks.shape)

    def shown(self, positions: IntArray, masks: MaskArray) -> tuple[Array, MaskArray]:
        """Return observations and masks as the policy sees them, copies that it may overwrite."""
        encoding = self._encoding
        if encoding is None:
            return positions.copy(), masks.copy()
        observations = encoding.encode(positions).astype(encoding.space.dtype, copy=False)
        if not self._wrappers:
            return observations, masks.copy()
        both = [self._through_wrappers(*one) for one in zip(observations, masks, strict=True)]
        again, _ = self._through_wrappers(observations[0], masks[0])
        if again.tobytes() != both[0][0].tobytes():
            raise refusal(self._wrappers[-1], "shows another observation when it is asked again")
        seen, shown_masks = map(np.stack, zip(*both, strict=True))
        return seen, shown_masks

    def _through_wrappers(self, observation: Any, mask: MaskArray) -> tuple[Array, MaskArray]:
        """Return an observation, and the mask with it, as the outermost wrapper shows them."""
        seen: Any = observation.copy()
        if self._shows_masks:
            seen = {"observation": seen, "action_mask": mask.copy()}
        try:
            for wrapper in self._wrappers:
                seen = wrapper.observation(seen)
        except AttributeError as error:
            why = f"reads the environment, but a score has no game in progress ({error})"
            raise refusal(wrapper, why) from error
        if not isinstance(seen, Mapping):
            return np.array(seen), mask.copy()
        if "observation" not in seen:
            raise refusal(self._wrappers[-1], f"shows no 'observation', only {list(seen)}")
        shown_mask = np.array(seen.get("action_mask", mask), dtype=np.int8)
        return np.array(seen["observation"]), shown_mask


def game_of(env_or_game: Any) -> Game:
    """Return a game, or that of an environment; errors are those of :func:`optimality`."""
    env, _ = _without_wrappers(env_or_game)
    game: Game = env if isinstance(env, Game) else env.game
    return game


def refusal(layer: Any, why: str) -> TypeError:
    """Return the error about a wrapper, or an environment, that a score cannot follow."""
    return TypeError(f"{type(layer).__name__} {why}: {ADVICE}")


def _without_wrappers(env_or_game: Any) -> tuple[Any, list[Any]]:
    """Return a game or an environment, and copies of observation wrappers, innermost first."""
    if isinstance(env_or_game, Game):
        return env_or_game, []
    env, around = env_or_game, list[Any]()
    while (own := _own_class(env)) is None:
        if "env" not in getattr(env, "__dict__", {}):
            named = isinstance(env_or_game, str) or isroutine(env_or_game)
            made = "make_game(name) returns one, and a function is called first"
            raise TypeError(
                "a policy is scored on a nim_envs.Game, or an environment of nim_envs, not on "
                f"{env_or_game!r}: {made if named else ADVICE}"
            )
        if isinstance(env, ObservationWrapper):
            around.insert(0, _out_of_play(env))
        elif type(env) not in HARMLESS:
            raise refusal(env, "is a wrapper that a score cannot follow")
        env = env.env
    if type(env) is not own:  # objects of our own classes may hold a compiled step, as in JAX
        _require_as_made(env, own)
    return env, around


def _own_class(env: Any) -> type | None:
    """Return the class of this package that an environment is of or inherits from, if any."""
    if not isinstance(getattr(env, "encoding", None), Encoding):
        return None
    ours = (kind for kind in type(env).__mro__ if kind.__module__.partition(".")[0] == "nim_envs")
    return next(ours, None)


def _require_as_made(layer: Any, known: type) -> None:
    """Raise unless a layer has the decisive methods of a class that it inherits from."""
    for name in DECISIVE:
        method = getattr(type(layer), name, None)
        if name in vars(layer) or method is not getattr(known, name, None):
            raise refusal(layer, f"overrides {name}, which a score cannot follow")


def _out_of_play(wrapper: ObservationWrapper[Any, Any, Any]) -> Any:
    """Return a copy of a wrapper around spaces alone, so that a score changes nothing in play."""
    _require_as_made(wrapper, ObservationWrapper)
    env = wrapper.env
    spaces = SimpleNamespace(observation_space=env.observation_space, action_space=env.action_space)
    spaces.unwrapped = spaces
    try:
        return copy.deepcopy(wrapper, {id(env): spaces})
    except Exception as error:
        raise refusal(wrapper, f"cannot be copied ({error})") from error
