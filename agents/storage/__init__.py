"""Learners and runs in files of arrays and JSON, without pickle: loading runs no code from a file.

The saved content of a learner and its types are defined by ``saved``, ``restore`` and
``from_saved`` of :class:`agents.tabular.learner.TabularLearner`.
"""

from agents.storage.files import (
    check_savable,
    is_savable,
    load,
    load_content,
    restore,
    save,
    save_content,
)
from nim_envs.errors import StorageError

__all__ = [
    "StorageError",
    "check_savable",
    "is_savable",
    "load",
    "load_content",
    "restore",
    "save",
    "save_content",
]
