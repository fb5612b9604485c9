"""What the topology picture consists of, as values without Qt: boxes, cards, lines and sizes."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.hardware.fingerprint import Gpu, Link, Nic
from app.core.hardware.pcie_switches import PcieSwitch


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        """Centre."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes in pixels, derived from the font."""

    letter: float
    line: float
    card_letters: int = 17
    """Letters that the longest line of a GPU card has room for."""

    @property
    def card(self) -> tuple[float, float]:
        """Width and height of a GPU card."""
        return self.letter * self.card_letters, self.line * 4.4 + 14

    @property
    def nic(self) -> tuple[float, float]:
        """Width and height of a NIC."""
        return self.letter * 13, self.line * 1.5

    @property
    def gap(self) -> float:
        """Between columns."""
        return 26.0

    @property
    def link_gap(self) -> float:
        """Between two cards in one row that a labelled link joins."""
        return self.letter * 19

    @property
    def row_gap(self) -> float:
        """Between the two rows: room for a link and its label."""
        return self.line * 2.6 + 10

    @property
    def bar_bottom(self) -> float:
        """Lower edge of the bar with a lane's title."""
        return 10 + self.line * 1.5

    @property
    def head(self) -> float:
        """Height of a lane's title."""
        return self.line * 2.2 + 8

    @property
    def switch(self) -> float:
        """Height of a switch's bar."""
        return self.line * 1.25

    @property
    def switch_row(self) -> float:
        """Height that bars of switches take below a lane's title."""
        return self.switch + 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A NUMA node."""

    box: Box
    numa: int | None
    socket: int | None
    """Processor socket; ``None`` where the fingerprint does not tell."""
    cpus: str | None
    memory_mib: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A GPU."""

    box: Box
    gpu: Gpu
    row: int

    @property
    def key(self) -> str:
        """The device's name in the matrix."""
        return f"GPU{self.gpu.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchBar:
    """A PCIe switch above the GPUs that share it."""

    box: Box
    switch: PcieSwitch


@dataclass(frozen=True, slots=True, kw_only=True)
class NicCard:
    """A network adapter."""

    box: Box
    nic: Nic


@dataclass(frozen=True, slots=True, kw_only=True)
class Bus:
    """An island with equal links between its pairs, drawn as one bar."""

    y: float
    left: float
    right: float
    members: tuple[str, ...]
    link: Link
    by_switch: bool = False
    """NVSwitch chips join the GPUs, not links between them."""
    all_pairs: bool = True
    """False when some pairs differ; these are drawn beside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One link between two devices; ``labelled`` links show their words all the time."""

    a: str
    b: str
    points: tuple[tuple[float, float], ...]
    link: Link
    labelled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trunk:
    """Thin PCIe line from a lane's head, or from a switch, to what hangs below."""

    keys: frozenset[str]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The whole picture."""

    lanes: tuple[Lane, ...] = ()
    cards: tuple[Card, ...] = ()
    nics: tuple[NicCard, ...] = ()
    switches: tuple[SwitchBar, ...] = ()
    islands: tuple[Box, ...] = ()
    buses: tuple[Bus, ...] = ()
    wires: tuple[Wire, ...] = ()
    trunks: tuple[Trunk, ...] = ()
    width: float = 0.0
    height: float = 0.0
    links: Mapping[tuple[str, str], Link] | None = None
    """Every link of the matrix, both ways round."""
