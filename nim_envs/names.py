"""Error messages for unknown names, with a suggestion."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: object, allowed: Iterable[str]) -> str | None:
    """Return the name in ``allowed`` that is closest to ``name``; ``None`` if none is close.

    Example:
        >>> nearest("Heap", ["heaps", "max_take"])
        'heaps'
    """
    matches = get_close_matches(str(name).lower(), list(allowed), n=1, cutoff=0.6)
    return matches[0] if matches else None


def not_among(name: object, allowed: Iterable[str]) -> str:
    """Return the error message for a word that is none of those allowed; it lists them.

    Example:
        >>> not_among("nin", ["kayles", "nim"])
        "there is no 'nin'; did you mean 'nim'? Choose from kayles, nim"
    """
    allowed = list(allowed)
    meant = nearest(name, allowed)
    guess = "choose" if meant is None else f"did you mean {meant!r}? Choose"
    return f"there is no {name!r}; {guess} from {', '.join(allowed)}"


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the error message for an unknown name; it lists the allowed ones.

    Example:
        >>> unknown("nim takes no argument", "heap", ["heaps", "max_take"])
        "nim takes no argument 'heap'; did you mean 'heaps'? It takes heaps, max_take"
    """
    allowed = list(allowed)
    meant = nearest(name, allowed)
    guess = "" if meant is None else f"did you mean {meant!r}? "
    return f"{what} {name!r}; {guess}{'It' if guess else 'it'} takes {', '.join(allowed)}"
