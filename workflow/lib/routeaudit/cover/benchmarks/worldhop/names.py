"""Names that exist nowhere: invented stems, told apart within a region by one more part."""

from __future__ import annotations

from routeaudit.cover.benchmarks.worldhop.draws import Draws


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_OPENINGS = _words(
    "Bel Cor Dal Fen Gar Hal Jor Kel Lan Mar Nor Per Ros Sel Tor Val Wes Bran Crel Dor"
    " Fal Gren Hol Jas Kar Lor Mel Nel Ral Sol Tam Ven Wil Bar Cal Del Gil Har Mor Tal"
)
_CLOSINGS = _words(
    "bin dell den don fin gan gard ick kin len lin man mond nor rick ron sen son stan ster"
    " tin ton van vin ward wen win dar bert dan ris ray low ley mer ner rin gol sel tor"
)

WORK_NOUNS = _words(
    "Lantern Ledger Orchard Mirror Winter Bridge Compass Garden Candle Voyage Harvest Feather"
    " Thunder Kettle Ribbon Shadow Meadow Hammer Island Pebble Saddle Tunnel Window Blanket"
)
EMBLEMS = _words(
    "Heron Anchor Otter Falcon Badger Beacon Wagon Arrow Raven Salmon Crown Barrel Walnut Ember"
    " Spindle Turtle Magpie Thistle Bell Plough Rooster Sickle Willow Acorn"
)
PLACE_ENDINGS = _words(
    "ford holt mere wick stead combe haven gate moor fell thorpe bridge dale port croft well"
    " mouth brook cliff field marsh tor garth ness"
)


class NameMaker:
    """Deals stems that were not dealt before."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._dealt: set[str] = set()

    def stem(self) -> str:
        """A new capitalised stem; it grows by a syllable when short ones run low."""
        while True:
            stem = self._draws.one(_OPENINGS) + "".join(
                self._draws.one(_CLOSINGS) for _ in range(self._closings())
            )
            if stem not in self._dealt:
                self._dealt.add(stem)
                return stem

    def _closings(self) -> int:
        closings = 1
        while len(self._dealt) * 2 >= len(_OPENINGS) * len(_CLOSINGS) ** closings:
            closings += 1
        return closings

    def people(self, count: int) -> list[str]:
        """`count` people of one family."""
        family = self.stem()
        return [f"{self.stem()} {family}" for _ in range(count)]

    def places(self, count: int) -> list[str]:
        """`count` places that share their stem."""
        stem = self.stem()
        return [stem + ending for ending in self._draws.shuffled(PLACE_ENDINGS)[:count]]

    def works(self, count: int) -> list[str]:
        """`count` works that share the first word of their title."""
        stem = self.stem()
        return [f"{stem} {noun}" for noun in self._draws.shuffled(WORK_NOUNS)[:count]]

    def organisations(self, count: int) -> list[str]:
        """`count` organisations that share the first word of their name."""
        stem = self.stem()
        return [f"{stem} {emblem}" for emblem in self._draws.shuffled(EMBLEMS)[:count]]
