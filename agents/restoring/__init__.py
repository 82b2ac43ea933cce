"""Checks of values out of files, before use: types, arguments, arrays."""
