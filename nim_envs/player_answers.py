"""Answers of players: actions, or probabilities of actions, as NumPy arrays and checked."""

import reprlib
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPolicyError
from nim_envs.typing import Array, FloatArray, IntArray

NO_LEGAL_MOVE = -1
"""The action of a player that names no legal move: illegal in a score, a forfeit in a game."""

LARGEST_ERROR = 1e-3
"""Allowed deviation of a row of probabilities from sum 1; the row is then divided by its sum."""

ERROR_BY_BYTES = {1: 2**-2, 2: 2**-7}
"""The same for floats of one and two bytes: the spacing at 1 of the coarsest types, float8 with a
5-bit exponent and bfloat16."""


def as_array(answer: Any) -> tuple[Array, float]:
    """Return an array or tensor as a NumPy array, and the allowed error of its rows' sums.

    Floats of fewer bytes than NumPy knows, such as bfloat16, become float64.
    """
    error = LARGEST_ERROR
    try:
        if hasattr(answer, "detach"):
            # A tensor of PyTorch, which may have a gradient and be on another device.
            answer = answer.detach().cpu()
            if hasattr(answer, "is_floating_point") and answer.is_floating_point():
                error = ERROR_BY_BYTES.get(answer.element_size(), error)
                answer = answer.double()
        elif isinstance(answer, (list, tuple)) and any(hasattr(one, "detach") for one in answer):
            parts = [as_array(one) for one in answer]
            return np.asarray([array for array, _ in parts]), max(each for _, each in parts)
        array = np.asarray(answer)
    except (TypeError, ValueError) as wrong:
        raise InvalidPolicyError(
            f"a player must return actions or probabilities, not {reprlib.repr(answer)} of type "
            f"{type(answer).__name__}: {wrong}"
        ) from None
    # JAX's small floats have types of their own.
    is_float = array.dtype.kind == "f" or (array.dtype.kind == "V" and array.dtype.isbuiltin == 2)
    if is_float:
        error = max(error, ERROR_BY_BYTES.get(array.dtype.itemsize, error))
        array = array.astype(np.float64, copy=False)
    return array, error


def checked_answer(answer: Any, shape: tuple[int, int]) -> Array:
    """Return a player's answer, checked: actions, int64 ``(n,)``, or probabilities, float64.

    Args:
        answer: an array, a list, or a tensor on any device, with a gradient or not.
        shape: ``(n, actions)``.

    Raises:
        InvalidPolicyError: another shape; actions that are not integers of the action space, or
            :data:`NO_LEGAL_MOVE`; probabilities that are not finite, negative, or rows that do not
            sum to 1.
    """
    rows, actions = shape
    allowed = (
        f"a policy must return actions, integers of shape ({rows},), or probabilities of shape "
        f"({rows}, {actions})"
    )
    array, error = as_array(answer)
    kind = array.dtype.kind
    if array.shape == (rows,) and kind in "iu":
        outside = (array < NO_LEGAL_MOVE) | (array >= actions)
        if outside.any():
            row = int(outside.argmax())
            raise InvalidPolicyError(
                f"{allowed}; actions are {NO_LEGAL_MOVE}, no legal move, or from 0 to "
                f"{actions - 1}, and row {row} is {array[row]}"
            )
        return array.astype(np.int64)
    if array.shape != shape or kind not in "iufb":
        raise InvalidPolicyError(f"{allowed}, not shape {array.shape} and dtype {array.dtype}")
    probabilities: FloatArray = array.astype(np.float64)
    _check_rows(np.isfinite(probabilities).all(axis=1), probabilities, "is not finite")
    _check_rows((probabilities >= 0).all(axis=1), probabilities, "has a negative probability")
    sums = probabilities.sum(axis=1)
    _check_rows(np.abs(sums - 1) <= error, probabilities, "does not sum to 1")
    rounded = np.abs(sums - 1) > 1e-9
    probabilities[rounded] /= sums[rounded, np.newaxis]
    return probabilities


def checked_probabilities(answer: Any, shape: tuple[int, int]) -> FloatArray:
    """Return a player's answer as probabilities of actions, float64 ``shape``.

    A row of an action has a single 1, one of :data:`NO_LEGAL_MOVE` zeros alone. Arguments and
    errors are those of :func:`checked_answer`.

    Example:
        >>> checked_probabilities([2, 0, -1], (3, 3)).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    checked = checked_answer(answer, shape)
    if checked.ndim == 2:
        return checked
    probabilities = np.zeros(shape)
    rows = np.flatnonzero(checked != NO_LEGAL_MOVE)
    probabilities[rows, checked[rows]] = 1.0
    return probabilities


def as_actions(answer: Any, shape: tuple[int, int], rng: np.random.Generator) -> IntArray:
    """Return an answer as actions ``(n,)``, drawn where it consists of probabilities."""
    checked = checked_answer(answer, shape)
    return checked if checked.ndim == 1 else draw_actions(checked, rng)


def one_action(answer: Any, actions: int, rng: np.random.Generator) -> Any:
    """Return the answer of ``act`` as an action, drawn from probabilities, and not checked."""
    if isinstance(answer, int) or not np.ndim(answer):
        return answer.item() if hasattr(answer, "detach") else answer
    return int(as_actions([answer], (1, actions), rng)[0])


def draw_actions(probabilities: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw an action from each row of probabilities, :data:`NO_LEGAL_MOVE` from a row of zeros."""
    cumulative = probabilities.cumsum(axis=1)
    # Rounding may leave the last sum slightly below or above 1.
    thresholds = rng.random((len(cumulative), 1)) * cumulative[:, -1:]
    actions: IntArray = (cumulative > thresholds).argmax(axis=1)
    actions[cumulative[:, -1] == 0] = NO_LEGAL_MOVE
    return actions


def _check_rows(right: Any, probabilities: FloatArray, fault: str) -> None:
    """Raise unless all rows of probabilities are valid."""
    if not right.all():
        row = int((~right).argmax())
        text = np.array2string(probabilities[row], threshold=12, precision=4)
        raise InvalidPolicyError(
            "a policy must return probabilities, rows of finite numbers of at least 0 that sum to "
            f"1; row {row} of {len(right)} {fault} (sum {probabilities[row].sum():.6g}): {text}"
        )
