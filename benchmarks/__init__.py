"""Benchmarks: optimality, learning speed, scaling, throughput, published systems, and studies."""
