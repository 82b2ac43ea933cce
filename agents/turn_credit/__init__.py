"""Turn credit: exact and sampled policy gradients of an agent that is credited turn by turn.

For a tabular softmax policy on a small game every expectation can be enumerated, so that the bias
of a policy-gradient estimator is known exactly. :mod:`~agents.turn_credit.task` is the game as one
seat sees it, :mod:`~agents.turn_credit.exact` the exact gradients,
:mod:`~agents.turn_credit.groups` sampled games, :mod:`~agents.turn_credit.estimators` the ways of
crediting turns, :mod:`~agents.turn_credit.own` one of your own,
:mod:`~agents.turn_credit.ascent` training along their expectations, and
:mod:`~agents.turn_credit.learning` training on sampled games. Only NumPy is needed.
"""

from agents.turn_credit.estimators import ESTIMATORS, Estimator
from agents.turn_credit.exact import Exact
from agents.turn_credit.groups import Groups, sample
from agents.turn_credit.own import find, register
from agents.turn_credit.task import Task

__all__ = ["ESTIMATORS", "Estimator", "Exact", "Groups", "Task", "find", "register", "sample"]
