"""Who wins sums of heaps of one game, by trying all moves with a table; no theorem is used."""

from functools import cache

from nim_envs.games.octal_codes import heap_game


class HeapSearch:
    """Who wins sums of heaps of one game."""

    def __init__(self, game, misere=True):
        self.game = heap_game(game) if isinstance(game, str) else game
        options = cache(self.game.options)

        @cache
        def wins(heaps):
            after = [
                tuple(sorted((*heaps[:place], *option, *heaps[place + 1 :])))
                for place, heap in enumerate(heaps)
                if not place or heap != heaps[place - 1]
                for option in options(heap)
            ]
            return not all(map(wins, after)) if after else misere

        def kept(heaps):
            return tuple(sorted(heap for heap in heaps if options(heap)))

        self.is_winning = self.wins = lambda heaps: wins(kept(map(int, heaps)))
