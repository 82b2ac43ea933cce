"""How a column automaton is learned: heaps, labels, self-play, state merging, and the exam."""
