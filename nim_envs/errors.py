"""The exceptions of the package: each message names what was given and what is allowed."""

import gymnasium


class NimEnvsError(Exception):
    """Base class of every error that this package raises on purpose."""


class InvalidGameError(NimEnvsError, ValueError):
    """The arguments describe no game that can be played."""


class UnknownArgumentError(InvalidGameError, TypeError):
    """An unknown argument."""


class InvalidResetError(NimEnvsError, ValueError):
    """A seed or options that ``reset`` does not take."""


class InvalidPositionError(NimEnvsError, ValueError):
    """The value is not a position of the game, or not one that is allowed here."""


class InvalidActionError(NimEnvsError, ValueError):
    """The value is not an action of the game, or not one that this agent may take now."""


class InvalidAutomatonError(NimEnvsError, ValueError):
    """The arguments describe no column automaton."""


class InvalidPolicyError(NimEnvsError, ValueError):
    """A policy returned neither actions nor probabilities of actions."""


class IllegalMoveError(InvalidActionError):
    """The action is in the action space but the rules forbid it at this position."""


class ResetNeededError(NimEnvsError, RuntimeError):
    """The environment has no game in progress: it was never reset, or its game is over."""


class ClosedEnvironmentError(NimEnvsError, gymnasium.error.ClosedEnvironmentError):
    """The environment was closed: no game can be played in it any more."""


class SearchTooLargeError(NimEnvsError, ValueError):
    """The game has more positions, or needs more memory, than the limit allows."""


class NotProvenError(SearchTooLargeError):
    """No proof was found within the limit, which can be raised."""


class ConformanceError(NimEnvsError, AssertionError):
    """An environment or a game is wrong: see :mod:`nim_envs.check`."""


class StorageError(NimEnvsError, ValueError):
    """A file that this package has not written, or something that no file can hold."""


class MissingPackageError(NimEnvsError, ImportError):
    """An optional package is not installed."""


class DisplayError(NimEnvsError, RuntimeError):
    """There is no display to open a window on."""
