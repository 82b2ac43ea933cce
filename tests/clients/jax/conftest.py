"""Settings of the tests with JAX, whose threads bear no forks: they have a process of their own."""

import jax

# What is compiled here is run a few times.
jax.config.update("jax_disable_most_optimizations", True)
