"""Benchmarks of optimality, learning speed, throughput and the solver."""

from nim_envs.interrupts import stop_without_traceback

stop_without_traceback()  # before what takes time to import
