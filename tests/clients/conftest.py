"""Settings of the clients' tests."""

import os

# Set before PyTorch is imported. Threads that share so small networks wait for each other only.
os.environ.setdefault("OMP_NUM_THREADS", "1")
