"""Names that are not among those allowed: what to say of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: object, allowed: Iterable[str]) -> str | None:
    """Return the name in ``allowed`` that ``name`` was probably meant to be, if there is one.

    Example:
        >>> nearest("Heap", ["heaps", "max_take"])
        'heaps'
    """
    matches = get_close_matches(str(name).lower(), list(allowed), n=1, cutoff=0.7)
    return matches[0] if matches else None


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message that ``what`` of this name is unknown, with those that are allowed.

    Example:
        >>> unknown("nim takes no argument", "heap", ["heaps", "max_take"])
        "nim takes no argument 'heap'; did you mean 'heaps'? It takes heaps, max_take"
    """
    allowed = list(allowed)
    meant = nearest(name, allowed)
    guess = "" if meant is None else f"did you mean {meant!r}? "
    return f"{what} {name!r}; {guess}{'It' if guess else 'it'} takes {', '.join(allowed)}"
