"""Where everything of the topology picture stands: geometry as values, without Qt.

NUMA nodes are lanes side by side. In a lane GPUs stand in columns of two, so that an NVLink
island with equal links between all pairs can be drawn as one bar between the rows; other islands
are drawn pair by pair. NICs are small at the lane's foot.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, Gpu, Link, LinkKind, Nic

NEAR: Final = frozenset({LinkKind.NVLINK, LinkKind.PIX, LinkKind.PXB})
"""Links that count as connected when a device is pointed at."""


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

    @property
    def card(self) -> tuple[float, float]:
        """Width and height of a GPU card."""
        return self.letter * 17, self.line * 4.4 + 14

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A NUMA node."""

    box: Box
    numa: int | None
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
class NicCard:
    """A network adapter."""

    box: Box
    nic: Nic


@dataclass(frozen=True, slots=True, kw_only=True)
class Bus:
    """An island with equal links between all pairs, drawn as one bar."""

    y: float
    left: float
    right: float
    members: tuple[str, ...]
    link: Link


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
    """Thin PCIe line from a lane's head to one device."""

    key: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The whole picture."""

    lanes: tuple[Lane, ...] = ()
    cards: tuple[Card, ...] = ()
    nics: tuple[NicCard, ...] = ()
    islands: tuple[Box, ...] = ()
    buses: tuple[Bus, ...] = ()
    wires: tuple[Wire, ...] = ()
    trunks: tuple[Trunk, ...] = ()
    width: float = 0.0
    height: float = 0.0
    links: Mapping[tuple[str, str], Link] | None = None
    """Every link of the matrix, both ways round."""


def lay_out(fingerprint: Fingerprint, sizes: Sizes) -> Scene:
    """Return where everything stands."""
    topology = fingerprint.topology
    links = {(link.a, link.b): link for link in topology.links}
    links |= {(link.b, link.a): link for link in topology.links}
    lanes = _assign(fingerprint, links)
    islands = topology.nvlink_islands
    rows = 1 if all(len(i) < 3 for i in islands) and _most(lanes) <= 2 else 2
    floor = _Floor(sizes, rows=rows, islands=islands)
    for numa, (gpus, nics) in lanes.items():
        node = next((n for n in topology.numa_nodes if n.id == numa), None)
        floor.add_lane(
            numa,
            gpus,
            nics,
            cpus=node.cpus if node else None,
            memory_mib=node.memory_mib if node else None,
        )
    return floor.finish(links)


_Lanes = dict[int | None, tuple[list[Gpu], list[Nic]]]


def _assign(fingerprint: Fingerprint, links: Mapping[tuple[str, str], Link]) -> _Lanes:
    """Return GPUs and NICs per NUMA node, nodes in order, the unknown one last."""
    numa_of = {f"GPU{gpu.index}": _numa_of(fingerprint, gpu) for gpu in fingerprint.gpus}
    lanes: _Lanes = {node.id: ([], []) for node in fingerprint.topology.numa_nodes}
    for gpu in fingerprint.gpus:
        lanes.setdefault(numa_of[f"GPU{gpu.index}"], ([], []))[0].append(gpu)
    for nic in fingerprint.topology.nics:
        numa = nic.numa_node if nic.numa_node is not None else _nearest(nic, numa_of, links)
        lanes.setdefault(numa, ([], []))[1].append(nic)
    for gpus, nics in lanes.values():
        nics.sort(key=lambda nic: _position(nic, gpus, links))
    if len(lanes) > 1:
        lanes = {k: v for k, v in lanes.items() if k is not None or v[0] or v[1]}
    used = {k: v for k, v in lanes.items() if v[0] or v[1]}
    # Machines with many empty nodes (one per memory tile) would only show air.
    kept = used if len(lanes) > 4 and used else lanes
    return dict(sorted(kept.items(), key=lambda pair: (pair[0] is None, pair[0] or 0)))


def _numa_of(fingerprint: Fingerprint, gpu: Gpu) -> int | None:
    if gpu.numa_node is not None:
        return gpu.numa_node
    text = fingerprint.topology.gpu_numa_affinity.get(f"GPU{gpu.index}")
    return int(text) if text is not None and text.isdigit() else None


def _nearest(
    nic: Nic, numa_of: Mapping[str, int | None], links: Mapping[tuple[str, str], Link]
) -> int | None:
    """Return the node of the GPU that is nearest to a NIC (SYS says nothing)."""
    order = (LinkKind.PIX, LinkKind.PXB, LinkKind.PHB, LinkKind.NODE)
    for kind in order:
        for key, numa in numa_of.items():
            link = links.get((nic.name, key))
            if link is not None and link.kind is kind:
                return numa
    return None


def _position(nic: Nic, gpus: Sequence[Gpu], links: Mapping[tuple[str, str], Link]) -> int:
    """Return the place of the first GPU below the same PCIe switch, so that lines stay short."""
    for position, gpu in enumerate(gpus):
        link = links.get((f"GPU{gpu.index}", nic.name))
        if link is not None and link.kind in NEAR:
            return position
    return len(gpus)


def _most(lanes: _Lanes) -> int:
    return max((len(gpus) for gpus, _ in lanes.values()), default=0)


class _Floor:
    """Places lanes from left to right."""

    def __init__(self, sizes: Sizes, *, rows: int, islands: Sequence[tuple[int, ...]]) -> None:
        self._sizes = sizes
        self._rows = rows
        self._islands = islands
        self._x = 0.0
        self._lanes: list[Lane] = []
        self._cards: dict[str, Card] = {}
        self._nics: list[NicCard] = []
        self._trunks: list[Trunk] = []
        self._foot = 0.0

    def add_lane(
        self,
        numa: int | None,
        gpus: Sequence[Gpu],
        nics: Sequence[Nic],
        *,
        cpus: str | None,
        memory_mib: int | None,
    ) -> None:
        """Place one NUMA node with its devices."""
        s = self._sizes
        columns = self._columns(gpus)
        card_width, card_height = s.card
        gap = s.link_gap if self._rows == 1 else s.gap
        inner = max(len(columns) * (card_width + gap) - gap, s.letter * 30)
        cards_bottom = s.head + 16 + self._rows * card_height + (self._rows - 1) * s.row_gap
        left = self._x + 24
        for number, column in enumerate(columns):
            x = left + number * (card_width + gap)
            for row, gpu in enumerate(column):
                y = s.head + 16 + row * (card_height + s.row_gap)
                card = Card(
                    box=Box(x=x, y=y, width=card_width, height=card_height), gpu=gpu, row=row
                )
                self._cards[card.key] = card
                self._trunks.append(self._trunk(card.key, card.box, row))
        bottom = self._place_nics(nics, left, inner, cards_bottom + 22)
        self._foot = max(self._foot, bottom + 16)
        box = Box(x=self._x, y=0, width=inner + 48, height=0)
        self._lanes.append(Lane(box=box, numa=numa, cpus=cpus, memory_mib=memory_mib))
        self._x = box.right + 20

    def _columns(self, gpus: Sequence[Gpu]) -> list[list[Gpu]]:
        """Return GPUs in columns, islands first and together."""
        rank = {index: n for n, island in enumerate(self._islands) for index in island}
        groups: dict[int, list[Gpu]] = {}
        for gpu in gpus:
            groups.setdefault(rank.get(gpu.index, len(self._islands)), []).append(gpu)
        columns: list[list[Gpu]] = []
        for key in sorted(groups):
            group = groups[key]
            columns += [group[i : i + self._rows] for i in range(0, len(group), self._rows)]
        return columns

    def _trunk(self, key: str, box: Box, row: int) -> Trunk:
        """Return the way from the lane's head: straight, or beside the card of the upper row."""
        top = self._sizes.bar_bottom
        if row == 0:
            x = box.x + box.width / 2
            return Trunk(key=key, points=((x, top), (x, box.y)))
        x, y = box.x - 9, box.y + box.height / 2
        return Trunk(key=key, points=((x, top), (x, y), (box.x, y)))

    def _place_nics(self, nics: Sequence[Nic], left: float, width: float, top: float) -> float:
        """Place NICs in rows below the cards; return where they end."""
        if not nics:
            return top - 22
        nic_width, nic_height = self._sizes.nic
        per_row = max(int((width + 10) // (nic_width + 10)), 1)
        for number, nic in enumerate(nics):
            x = left + number % per_row * (nic_width + 10)
            y = top + number // per_row * (nic_height + 8)
            box = Box(x=x, y=y, width=nic_width, height=nic_height)
            self._nics.append(NicCard(box=box, nic=nic))
        rows = math.ceil(len(nics) / per_row)
        return top + rows * (nic_height + 8) - 8

    def finish(self, links: Mapping[tuple[str, str], Link]) -> Scene:
        """Add islands and links; return the picture."""
        buses: list[Bus] = []
        wires: list[Wire] = []
        boxes: list[Box] = []
        for island in self._islands:
            members = [f"GPU{index}" for index in island if f"GPU{index}" in self._cards]
            if not members:
                continue
            boxes.append(_around((self._cards[m].box for m in members), 10))
            bus = self._bus(members, links)
            if bus is not None:
                buses.append(bus)
            else:
                wires += self._pair_wires(members, links)
        lanes = tuple(
            Lane(
                box=Box(x=lane.box.x, y=0, width=lane.box.width, height=self._foot),
                numa=lane.numa,
                cpus=lane.cpus,
                memory_mib=lane.memory_mib,
            )
            for lane in self._lanes
        )
        wires += self._nic_wires(links)
        return Scene(
            lanes=lanes,
            cards=tuple(self._cards.values()),
            nics=tuple(self._nics),
            islands=tuple(boxes),
            buses=tuple(buses),
            wires=tuple(wires),
            trunks=tuple(self._trunks),
            width=max(self._x - 20, 0.0),
            height=self._foot,
            links=links,
        )

    def _bus(self, members: Sequence[str], links: Mapping[tuple[str, str], Link]) -> Bus | None:
        """Return the bar of an island, when all its pairs have the same NVLink."""
        found = [links.get(pair) for pair in combinations(members, 2)]
        first = found[0] if found else None
        if len(members) < 3 or self._rows < 2 or first is None:
            return None
        same = (first.kind, first.nvlink_count, first.bandwidth_gbps)
        for link in found:
            if link is None or (link.kind, link.nvlink_count, link.bandwidth_gbps) != same:
                return None
        boxes = [self._cards[m].box for m in members]
        _, card_height = self._sizes.card
        y = self._sizes.head + 16 + card_height + self._sizes.row_gap * 0.62
        return Bus(
            y=y,
            left=min(box.x + box.width * 0.3 for box in boxes),
            right=max(box.right - box.width * 0.3 for box in boxes),
            members=tuple(members),
            link=first,
        )

    def _pair_wires(
        self, members: Sequence[str], links: Mapping[tuple[str, str], Link]
    ) -> list[Wire]:
        pairs = [
            (a, b, links[a, b])
            for a, b in combinations(members, 2)
            if (a, b) in links and links[a, b].kind is LinkKind.NVLINK
        ]
        return [
            _wire(a, b, self._cards[a].box, self._cards[b].box, link, labelled=len(pairs) <= 3)
            for a, b, link in pairs
        ]

    def _nic_wires(self, links: Mapping[tuple[str, str], Link]) -> list[Wire]:
        """Return lines between NICs and the GPUs below the same PCIe switch."""
        wires = []
        for nic in self._nics:
            for key, card in self._cards.items():
                link = links.get((key, nic.nic.name))
                if link is None or link.kind not in NEAR:
                    continue
                points = _down(card, nic.box, self._rows)
                wires.append(
                    Wire(
                        a=key,
                        b=nic.nic.name,
                        points=points,
                        link=link,
                        labelled=False,
                    )
                )
        return wires


def _wire(a: str, b: str, first: Box, second: Box, link: Link, *, labelled: bool) -> Wire:
    """Return a link between two cards, edge to edge when they are neighbours."""
    if abs(first.y - second.y) < 1:
        left, right = sorted((first, second), key=lambda box: box.x)
        y = left.middle[1]
        start, end = (left.right, y), (right.x, y)
    elif abs(first.x - second.x) < 1:
        upper, lower = sorted((first, second), key=lambda box: box.y)
        x = upper.middle[0]
        start, end = (x, upper.bottom), (x, lower.y)
    else:
        start, end = first.middle, second.middle
    return Wire(a=a, b=b, points=(start, end), link=link, labelled=labelled)


def _down(card: Card, nic: Box, rows: int) -> tuple[tuple[float, float], ...]:
    """Return the way from a card to a NIC: cards of the upper row go down beside the lower one."""
    end = (nic.x + nic.width / 2, nic.y)
    if card.row == rows - 1:
        return (card.box.x + card.box.width / 2, card.box.bottom), end
    x, y = card.box.right + 9, card.box.y + card.box.height * 0.75
    return (card.box.right, y), (x, y), (x, nic.y - 14), end


def _around(boxes: Iterable[Box], margin: float) -> Box:
    found = list(boxes)
    left = min(box.x for box in found) - margin
    top = min(box.y for box in found) - margin
    return Box(
        x=left,
        y=top,
        width=max(box.right for box in found) + margin - left,
        height=max(box.bottom for box in found) + margin - top,
    )
