"""Caches: one of limited size, and one of values that are in use."""

from collections.abc import Callable, Hashable
from typing import TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LimitedCache(dict[Key, Value]):
    """A dictionary of computed values, emptied when it has ``most`` entries."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def get_or_create(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of ``key``; if there is none, ``make()``, which is stored."""
        value = self.get(key)
        if value is None:
            if len(self) >= self.most:
                self.clear()
            value = self[key] = make()
        return value


class SharedCache(WeakValueDictionary[Key, Value]):
    """A dictionary of computed values, each of which is kept while it is in use."""

    def get_or_create(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of ``key``; if there is none, ``make()``, which is stored."""
        value = self.get(key)
        if value is None:
            value = self[key] = make()
        return value
