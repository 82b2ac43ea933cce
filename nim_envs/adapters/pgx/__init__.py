"""pgx: every game as an environment of JAX, compiled, vectorised and on any device."""

from nim_envs.optional import imports_for

with imports_for("the adapter for pgx", "jax"):
    from nim_envs.adapters.pgx.env import PgxEnv, PgxState, make_pgx

__all__ = ["PgxEnv", "PgxState", "make_pgx"]
