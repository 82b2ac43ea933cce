"""Misère quotients: computed heap by heap, proven by separate code, extended by periods."""

from nim_envs.cgt.misere_quotients.genus import Genus, heap_genera
from nim_envs.cgt.misere_quotients.heaps import HeapQuotients, MisereQuotient, misere_quotient

__all__ = ["Genus", "HeapQuotients", "MisereQuotient", "heap_genera", "misere_quotient"]
