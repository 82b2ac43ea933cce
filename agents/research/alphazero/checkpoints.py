"""Checkpoints of AlphaZero: files of :mod:`agents.storage`, as those of learners."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from agents.games import digest_of_moves
from agents.research.alphazero.networks import NETWORKS, Settings
from agents.storage import load_content
from nim_envs import Game
from nim_envs.errors import StorageError
from nim_envs.optional import imports_for

with imports_for("AlphaZero", "alphazero"):
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    from nim_envs.adapters.pgx import PgxEnv

if TYPE_CHECKING:
    from agents.research.alphazero import State


class SavedRun(TypedDict):
    """Content of a checkpoint; a game that is not registered is described, not named."""

    game: Game | None
    game_in_words: dict[str, str]
    encoding: str
    seed: int
    settings: dict[str, Any]
    curve: list[tuple[int, float]]
    arrays: list[np.ndarray[Any, Any]]


def load(path: str | Path) -> tuple[Any, PgxEnv]:
    """Return the network of a checkpoint, and the environment in which it was trained.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: there is no such file.
        StorageError: it is damaged or no checkpoint, or its game is not a registered one.
    """
    saved = content_of(Path(path))
    if saved["game"] is None:
        raise StorageError(f"{path} does not name its game, as it is not a registered one")
    try:
        env, settings = PgxEnv(saved["game"], saved["encoding"]), Settings(**saved["settings"])
        make, key = NETWORKS[settings.network], jax.random.PRNGKey(0)
        if settings.network == "mlp":
            if settings.depth > len(saved["arrays"]):
                raise ValueError(f"it has no arrays of {settings.depth} layers")
            # Its arrays are not made before it is known that the file holds them.
            network = eqx.filter_eval_shape(make, env, settings, key)
        else:
            network = make(env, settings, key)
    except (TypeError, ValueError) as error:
        raise StorageError(f"the network of {path} cannot be made: {error}") from error
    return _restored(Path(path), saved["arrays"][: len(_arrays(network))], network), env


def saved_run(
    env: PgxEnv, settings: Settings, seed: int, state: State, curve: list[tuple[int, float]]
) -> SavedRun:
    """Return the content of a checkpoint of a state of training."""
    return SavedRun(
        game=None if env.game.registered is None else env.game,
        game_in_words={
            "game": env.game.summary,
            "start": env.game.starts.summary,
            "digest of its moves": digest_of_moves(env.game),
        },
        encoding=env.encoding.name,
        seed=seed,
        settings=asdict(settings),
        curve=curve,
        arrays=[np.asarray(_numbers(leaf)) for leaf in _arrays(state)],
    )


def content_of(path: Path) -> SavedRun:
    """Return the content of a checkpoint, checked."""
    content = load_content(path)
    if set(content) != {"alphazero"}:
        raise StorageError(f"{path} holds {sorted(content)}, not a run of AlphaZero")
    saved: SavedRun = content["alphazero"]
    names, own = SavedRun.__annotations__.keys(), asdict(Settings()).keys()
    if saved.keys() != names or saved["settings"].keys() != own or type(saved["seed"]) is not int:
        raise StorageError(f"{path} is damaged: it has no seed, or other entries than a run")
    return saved


def resumed(
    path: Path, env: PgxEnv, settings: Settings, seed: int, new: State
) -> tuple[State, list[tuple[int, float]]]:
    """Return the state and the curve of a checkpoint, which must be of the same run."""
    saved, own = content_of(path), saved_run(env, settings, seed, new, [])
    earlier, now = ({**run, **run["settings"]} for run in (saved, own))
    for name in ("game", "game_in_words", "encoding", "seed", *own["settings"]):
        # A game that is not registered is not in the file.
        if earlier[name] != now[name] and earlier[name] is not None:
            raise StorageError(
                f"{path} is of a run with {name} {earlier[name]!r}, this one has {now[name]!r}"
            )
    return _restored(path, saved["arrays"], new), saved["curve"]


def _arrays(tree: Any) -> list[Any]:
    return jax.tree.leaves(eqx.filter(tree, _is_array))


def _is_array(leaf: Any) -> bool:
    """Whether a leaf is an array, or stands for one that was not made."""
    return eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)


def _numbers(array: Any) -> Any:
    """Return an array, of typed keys the numbers."""
    is_key = jnp.issubdtype(array.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(array) if is_key else array


def _restored(path: Path, saved: list[Any], new: Any) -> Any:
    """Return ``new`` with the saved arrays, in its precision: they may be of another one."""
    arrays, rest = eqx.partition(new, _is_array)
    leaves, structure = jax.tree.flatten(arrays)
    like = [jax.eval_shape(_numbers, leaf) for leaf in leaves]
    if [(array.shape, array.dtype.kind) for array in saved] != [
        (leaf.shape, leaf.dtype.kind) for leaf in like
    ]:
        raise StorageError(f"{path} is damaged: its arrays are not those of its settings")
    filled = []
    for array, numbers, leaf in zip(saved, like, leaves, strict=True):
        restored = jnp.asarray(array.astype(numbers.dtype))
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            restored = jax.random.wrap_key_data(restored, impl=jax.random.key_impl(leaf))
        filled.append(restored)
    return eqx.combine(jax.tree.unflatten(structure, filled), rest)
