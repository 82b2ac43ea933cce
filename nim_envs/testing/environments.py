"""The check of an environment, whichever interface it has."""

from __future__ import annotations

from typing import Any

import gymnasium
from pettingzoo import AECEnv

from nim_envs.encoding import Encoding
from nim_envs.testing.batched import check_batched
from nim_envs.testing.requirements import during
from nim_envs.testing.single import check_single
from nim_envs.testing.turn_based import check_turn_based


def check_env(env: Any) -> None:
    """Check that an environment keeps every promise of the environments of ``nim_envs``.

    Random games are played in lock-step with the rules: in each turn positions, observations,
    masks, rewards and ends must be those that ``game.rules.step`` and the convention say. On a
    small board each action, legal or not, is tried at each position, else at some hundred.

    - Observations lie in the observation space; dictionaries have ``"observation"`` and then
      ``"action_mask"``. The mask is all zeros for a player who is not to move and where a game has
      terminated, and kept where it is truncated.
    - Rewards are +1 for the winner and -1 for the loser at the end, 0 for a draw and before; both
      players terminate together. An illegal action forfeits, or raises and changes nothing. A game
      is truncated after exactly ``max_cycles`` moves of each player.
    - Actions may be any integers of NumPy. An invalid action, and invalid arguments of ``reset``
      and ``set_position``, raise and change nothing, as does a step before the first ``reset``.
    - Infos have every documented entry, with its type: whose turn it is, the mask, the winner; with
      ``truth_in_info=True`` what the solution of the game says of the last move.
    - Games begin where ``start`` and the options of ``reset`` say, with the right probabilities,
      in new games of a batch too; ``seat="random"`` draws either seat.
    - A named or numbered opponent plays by the solution of the game: it draws uniformly among the
      winning actions, or among all, with the right probabilities.
    - ``reset(seed=...)`` determines all later random numbers, in a batch game by game, and distinct
      seeds give distinct ones. A reset of some games leaves the others.
    - ``action_masks``, ``sample_actions``, ``state``, ``last``, ``agent_iter``, ``next_starts`` and
      ``render``, where there are such methods, agree with the game. After ``close`` nothing can be
      played.
    - Copies by ``copy.deepcopy`` and ``pickle`` keep the position, and are independent.
    - Arrays that were returned are the caller's own.
    - ``set_position``, where there is one, goes on from there.
    - PettingZoo's ``api_test`` or Gymnasium's ``check_env`` passes on a copy.

    Draws are tested by an inequality that holds for any number of them: right ones are accused with
    probability 1e-6 at most in one call, and each call comes to the same verdict. A wrong
    probability is found where it shows in some thousand draws. The check takes a second or two.

    Args:
        env: a turn-based, Gymnasium or batched environment of this package, wrapped or not; its
            random state and the game in progress are lost. Where wrappers change observations or
            rewards, those are not checked.

    Raises:
        ConformanceError: a promise is broken; the message says where.
        TypeError: ``env`` is not an environment, or not of this package.

    Example:
        >>> import pettingzoo, nim_envs
        >>> check_env(pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(1, 2)))
    """
    kinds = {
        gymnasium.vector.VectorEnv: check_batched,
        gymnasium.Env: check_single,
        AECEnv: check_turn_based,
    }
    check = next((check for kind, check in kinds.items() if isinstance(env, kind)), None)
    if check is None:
        raise TypeError(
            "check_env takes an AECEnv of PettingZoo, an Env or a VectorEnv of Gymnasium, not "
            f"{env!r}"
        )
    inner = _innermost(env)
    with during("the environment"):
        check(env, inner.game, inner.encoding)


def _innermost(env: Any) -> Any:
    """Return the environment inside all wrappers, or one of those in a vector.

    Raises:
        TypeError: it is not of this package.
    """
    inner = env
    while not isinstance(getattr(inner, "encoding", None), Encoding):
        attributes = vars(inner)
        if "envs" in attributes:
            inner = inner.envs[0]
        elif "env_fns" in attributes:
            inner = inner.env_fns[0]()
        elif "env" in attributes:
            inner = inner.env
        else:
            raise TypeError(
                f"check_env takes an environment of nim_envs, wrapped or not, not {env!r}"
            )
    return inner
