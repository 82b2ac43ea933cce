"""Settings of the tests with JAX, whose threads bear no forks: they have a process of their own."""

import jax

# The functions compiled here run only a few times.
jax.config.update("jax_disable_most_optimizations", True)
