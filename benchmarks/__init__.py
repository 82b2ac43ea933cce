"""Scripts that measure: optimality percentage, learning speed, throughput, the solver."""
