"""Settings of the tests of libraries that train language models: nothing is fetched."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
