"""Wrappers between a policy and its game: harmless to a score, applied, or refused by name.

A wrapper is judged by the first class in its method resolution order that is known here. Whatever
else it overrides is a change: it is applied where it is the function of observations or of actions
that such a class calls, and refused otherwise. So a class that is unknown is never passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import getattr_static
from typing import Any, Literal, NamedTuple, TypeVar

DECISIVE_METHODS = (
    "step", "reset", "observe", "last", "action", "observation", "actions", "observations",
    "action_masks", "step_async", "step_wait", "_modify_action", "_modify_observation",
)  # fmt: skip
"""Methods that decide what a policy observes and what its actions do."""


class Functions(NamedTuple):
    """Names of the methods with which a wrapper changes observations and actions.

    Attributes:
        observation: method of an observation, or empty.
        action: method of an action, or empty.
        batched: whether they take all games of a vector environment.
        by_agent: whether they take the agent first.
    """

    observation: str = ""
    action: str = ""
    batched: bool = False
    by_agent: bool = False


OF_OBSERVE = Functions(observation="observe", by_agent=True)
"""Functions of a class that overrides ``observe`` alone, to transform the inner observation."""

ClassKey = tuple[str, str]
"""Package and name of a class; the modules of a package may change between versions."""

Entry = TypeVar("Entry")


def _by_class(names: Mapping[Entry, Mapping[str, str]]) -> dict[ClassKey, Entry]:
    """Return an entry for each class, from the names of classes in each package by entry."""
    return {
        (package, name): entry
        for entry, packages in names.items()
        for package, listed in packages.items()
        for name in listed.split()
    }


APPLIED = _by_class(
    {
        Functions("observation"): {"gymnasium": "ObservationWrapper"},
        Functions("", "action"): {"gymnasium": "ActionWrapper"},
        Functions("observations", batched=True): {
            "gymnasium": "VectorObservationWrapper VectorizeTransformObservation",
        },
        Functions("", "actions", batched=True): {"gymnasium": "VectorActionWrapper"},
        Functions("_modify_observation", "_modify_action", by_agent=True): {
            "supersuit": "BaseWrapper",
        },
        Functions("_modify_observation"): {"supersuit": "gym_observation_lambda"},
        Functions("", "_modify_action"): {"supersuit": "gym_action_lambda"},
    }
)
"""Classes whose ``step`` and ``reset`` call functions of one observation or action."""

REFUSED = _by_class(
    {
        "shows more than the present observation": {
            "gymnasium": "DelayObservation FrameStackObservation TimeAwareObservation",
            "stable_baselines3": "VecFrameStack",
        },
        "has a memory of the game in progress": {
            "supersuit": "shared_wrapper_aec shared_wrapper_gym",
        },
        "shows pictures": {"gymnasium": "AddRenderObservation"},
        "shows observations relative to those before": {"gymnasium": "NormalizeObservation"},
        "repeats actions": {
            "gymnasium": "AtariPreprocessing MaxAndSkipObservation RepeatAction StickyAction",
            "supersuit": "frame_skip_aec frame_skip_gym",
        },
    }
)
"""Classes that cannot be applied to a position without the moves that led to it."""

NORMALIZING: ClassKey = ("stable_baselines3", "VecNormalize")

VECTORS = _by_class(
    {
        "holds several environments": {
            "gymnasium": "SyncVectorEnv AsyncVectorEnv",
            "stable_baselines3": "DummyVecEnv SubprocVecEnv",
        },
    }
)
"""Classes that hold several environments, and copy observations into arrays of their space."""

HARMLESS = VECTORS | _by_class(
    {
        "changes nothing by itself": {
            "gymnasium": "Wrapper VectorWrapper RewardWrapper VectorRewardWrapper",
            "pettingzoo": "BaseWrapper BaseParallelWrapper",
            "stable_baselines3": "VecEnvWrapper",
        },
        "changes when games end or begin": {
            "gymnasium": "TimeLimit Autoreset",
            "pettingzoo": "MultiEpisodeEnv MultiEpisodeParallelEnv",
        },
        "raises errors": {
            "gymnasium": "PassiveEnvChecker OrderEnforcing",
            "pettingzoo": "AssertOutOfBoundsWrapper OrderEnforcingWrapper",
            "stable_baselines3": "VecCheckNan",
        },
        "ends a game that an illegal action loses": {"pettingzoo": "TerminateIllegalWrapper"},
        "changes infos": {
            "gymnasium": "RecordEpisodeStatistics DictInfoToList",
            "stable_baselines3": "Monitor VecMonitor",
        },
        "changes pictures": {
            "gymnasium": "AddWhiteNoise HumanRendering ObstructView RecordVideo RenderCollection",
            "pettingzoo": "CaptureStdoutWrapper RecordVideo RecordVideoParallel",
            "stable_baselines3": "VecVideoRecorder",
        },
        "changes rewards": {
            "gymnasium": "ClipReward NormalizeReward TransformReward VectorizeTransformReward",
            "stable_baselines3": "VecNormalize",
            "supersuit": "aec_reward_lambda gym_reward_lambda",
        },
        "changes the library of arrays, whose numbers stay": {
            "gymnasium": "ArrayConversion JaxToNumpy JaxToTorch NumpyToTorch",
        },
        "has the interface of another library": {
            "pettingzoo": "turn_based_aec_to_parallel_wrapper",
            "nim_envs": "AgileRLVectorEnv GameVecEnv MaskedPettingZooEnv",
        },
        "is the game itself": {"nim_envs": "GameEnv VersusEnv VectorGameEnv"},
    }
)
"""Classes after which a policy observes the same, and its actions do the same."""


class Treatment(NamedTuple):
    """Treatment of a wrapper by scores.

    Attributes:
        kind: ``"harmless"``, ``"applied"`` or ``"refused"``.
        reason: its effect on observations or actions.
        functions: the functions that are applied.
        own_masks: whether it has an ``action_masks`` of its own, which is applied.
    """

    kind: Literal["harmless", "applied", "refused"]
    reason: str
    functions: Functions = Functions()
    own_masks: bool = False


NORMALIZES = Treatment("refused", "shows observations relative to those of training")
"""Treatment of ``VecNormalize``, unless the policy applies it itself."""


def treatment(wrapper: Any) -> Treatment:
    """Return the treatment of a wrapper by scores, or of all wrappers of a class.

    Args:
        wrapper: a wrapper or an environment of any library; or its class.

    Example:
        >>> import gymnasium
        >>> treatment(gymnasium.wrappers.TransformAction).kind
        'applied'
        >>> class Twice(gymnasium.Wrapper):
        ...     def step(self, action):
        ...         self.env.step(action)
        ...         return self.env.step(action)
        >>> treatment(Twice)[:2]
        ('refused', 'overrides step')
    """
    kind = wrapper if isinstance(wrapper, type) else type(wrapper)
    known, key = next(_known_classes(kind), (object, ("", "")))
    own = [name for name in DECISIVE_METHODS if _method(wrapper, name) is not _method(known, name)]
    masks = "action_masks" in own
    changed = [name for name in own if name != "action_masks"]
    if key in REFUSED:
        return Treatment("refused", REFUSED[key])
    if key == NORMALIZING and not changed and getattr(wrapper, "norm_obs", True):
        return NORMALIZES
    functions = APPLIED.get(key, Functions())
    if changed == ["observe"] and key[0] == "pettingzoo":
        functions = OF_OBSERVE
    if others := [name for name in changed if name not in functions]:
        return Treatment("refused", f"overrides {', '.join(others)}")
    if masks or functions != Functions():
        return Treatment("applied", _changes(functions, masks), functions, own_masks=masks)
    return Treatment("harmless", HARMLESS.get(key, "declares itself transparent"))


def _changes(functions: Functions, own_masks: bool) -> str:
    """Return what a wrapper changes, and with which methods."""
    methods = {"observations": functions.observation, "actions": functions.action}
    if own_masks:
        methods["masks"] = "action_masks"
    changes = [f"{what} by its method {method}" for what, method in methods.items() if method]
    return f"changes {' and '.join(changes)}"


def _known_classes(kind: type) -> Iterator[tuple[type, ClassKey]]:
    """Yield the classes of a method resolution order that are known, with their keys."""
    for each in kind.__mro__:
        key = each.__module__.partition(".")[0], each.__name__
        if vars(each).get("transparent") is True:
            yield each, ("", "")
        elif key in APPLIED or key in REFUSED or key in HARMLESS:
            yield each, key


def is_known(env: Any) -> bool:
    """Return whether an environment is of a known class, whose overridden methods are changes."""
    return any(True for _ in _known_classes(type(env)))


def is_vector(env: Any) -> bool:
    """Return whether an environment holds several of one game."""
    return any(key in VECTORS for _, key in _known_classes(type(env)))


class _ChangingMeta(type):
    """Class of :class:`Changing`."""

    def __instancecheck__(cls, wrapper: Any) -> bool:
        return treatment(wrapper).kind != "harmless"


class Changing(metaclass=_ChangingMeta):
    """The wrappers that are not harmless, for ``isinstance`` in other processes."""


def _method(owner: Any, name: str) -> Any:
    """Return a method as it is stored: in the object itself, or in its class."""
    own = getattr(owner, "__dict__", {}).get(name)
    if not isinstance(owner, type) and not callable(own):
        owner = type(owner)
    return getattr_static(owner, name, None)
