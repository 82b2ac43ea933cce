"""Deep learners, scored exactly; run it by python -m benchmarks.studies.alphazero."""
