"""Checks of values out of files, for whatever is restored from one: types, arguments, arrays."""
