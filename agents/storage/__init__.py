"""Learners and runs in files: arrays and JSON, no pickle; loading one never runs code out of it.

Each learner says what a file holds of it: ``saved``, ``restore`` and ``from_saved`` of
:class:`agents.tabular.learner.TabularLearner`, with the types of the parts.
"""

from agents.storage.errors import StorageError
from agents.storage.files import load, load_content, restore, save, save_content

__all__ = ["StorageError", "load", "load_content", "restore", "save", "save_content"]
