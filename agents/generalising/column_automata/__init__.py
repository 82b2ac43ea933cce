"""Learning of column automata: heaps, labels, self-play, state merging, and the exam."""
