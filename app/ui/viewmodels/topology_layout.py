"""Where everything of the topology picture stands: geometry as values, without Qt.

NUMA nodes are lanes side by side. In a lane GPUs stand in columns of two, so that an NVLink
island with equal links between all pairs can be drawn as one bar between the rows; other islands
are drawn pair by pair. GPUs that share a PCIe switch stand together below its bar; a switch with
one GPU shows as the line to its NIC. NICs are small at the lane's foot.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from app.core.hardware.fingerprint import Fingerprint, Gpu, Link, LinkKind, Nic
from app.core.hardware.link_faults import has_nvswitch
from app.core.hardware.pcie_switches import PcieSwitch, pcie_switches
from app.ui.viewmodels.topology_faults import mig_text
from app.ui.viewmodels.topology_lanes import NEAR, assign, most_gpus, socket_of
from app.ui.viewmodels.topology_shapes import (
    Box,
    Bus,
    Card,
    Lane,
    NicCard,
    Scene,
    Sizes,
    SwitchBar,
    Trunk,
    Wire,
)

_WIDEST_CARD: Final = 26
_WIDEST_TITLE: Final = 46
"""Letters; what is longer is shortened with “…” and stands in the inspector."""
_BUS_SHARE: Final = 0.9
"""An island is one bar when this share of its pairs is equal; the odd pairs are drawn beside."""


def lay_out(fingerprint: Fingerprint, sizes: Sizes) -> Scene:
    """Return where everything stands."""
    topology = fingerprint.topology
    sizes = _roomy(sizes, fingerprint.gpus)
    links = {(link.a, link.b): link for link in topology.links}
    links |= {(link.b, link.a): link for link in topology.links}
    lanes = assign(fingerprint, links)
    islands = topology.nvlink_islands
    rows = 1 if all(len(i) < 3 for i in islands) and most_gpus(lanes) <= 2 else 2
    shared = [s for s in pcie_switches(fingerprint) if len(_indices(s)) > 1]
    floor = _Floor(
        sizes, rows=rows, islands=islands, switches=shared, by_nvswitch=has_nvswitch(fingerprint)
    )
    for numa, (gpus, nics) in lanes.items():
        node = next((n for n in topology.numa_nodes if n.id == numa), None)
        floor.add_lane(
            numa,
            gpus,
            nics,
            socket=socket_of(fingerprint, numa),
            cpus=node.cpus if node else None,
            memory_mib=node.memory_mib if node else None,
        )
    return floor.finish(links)


def _roomy(sizes: Sizes, gpus: Iterable[Gpu]) -> Sizes:
    """Return sizes whose cards hold the MIG instances, within reason."""
    longest = max((len(mig_text(gpu)) for gpu in gpus), default=0)
    return replace(sizes, card_letters=max(sizes.card_letters, min(longest, _WIDEST_CARD)))


def _title_letters(cpus: str | None, memory_mib: int | None) -> int:
    """Return how many letters the title of a lane needs, within reason."""
    needed = 14 + (8 + len(cpus) if cpus else 0) + (9 if memory_mib else 0)
    return min(max(needed, 30), _WIDEST_TITLE)


def _indices(switch: PcieSwitch) -> list[int]:
    return [int(name[3:]) for name in switch.members if name.startswith("GPU")]


class _Floor:
    """Places lanes from left to right."""

    def __init__(
        self,
        sizes: Sizes,
        *,
        rows: int,
        islands: Sequence[tuple[int, ...]],
        switches: Sequence[PcieSwitch],
        by_nvswitch: bool,
    ) -> None:
        self._sizes = sizes
        self._rows = rows
        self._islands = islands
        self._by_nvswitch = by_nvswitch
        self._switch_of = {name: s for s in switches for name in s.members}
        self._top = sizes.head + 16 + (sizes.switch_row if switches else 0)
        self._bars: list[SwitchBar] = []
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
        socket: int | None,
        cpus: str | None,
        memory_mib: int | None,
    ) -> None:
        """Place one NUMA node with its devices."""
        s = self._sizes
        columns = self._columns(gpus)
        card_width, card_height = s.card
        gap = s.link_gap if self._rows == 1 else s.gap
        inner = max(
            len(columns) * (card_width + gap) - gap, s.letter * _title_letters(cpus, memory_mib)
        )
        cards_bottom = self._top + self._rows * card_height + (self._rows - 1) * s.row_gap
        left = self._x + 24
        for number, column in enumerate(columns):
            x = left + number * (card_width + gap)
            for row, gpu in enumerate(column):
                y = self._top + row * (card_height + s.row_gap)
                card = Card(
                    box=Box(x=x, y=y, width=card_width, height=card_height), gpu=gpu, row=row
                )
                self._cards[card.key] = card
        self._place_switches(gpus)
        self._trunks += [self._trunk(self._cards[f"GPU{gpu.index}"]) for gpu in gpus]
        bottom = self._place_nics(nics, left, inner, cards_bottom + 22)
        self._foot = max(self._foot, bottom + 16)
        box = Box(x=self._x, y=0, width=inner + 48, height=0)
        self._lanes.append(
            Lane(box=box, numa=numa, socket=socket, cpus=cpus, memory_mib=memory_mib)
        )
        self._x = box.right + 20

    def _columns(self, gpus: Sequence[Gpu]) -> list[list[Gpu]]:
        """Return GPUs in columns: islands together, in them those of one switch."""
        none = len(self._islands)
        island = {index: n for n, members in enumerate(self._islands) for index in members}
        groups: dict[tuple[int, str, int], list[Gpu]] = {}
        for gpu in gpus:
            rank = island.get(gpu.index, none)
            switch = self._switch_of.get(f"GPU{gpu.index}")
            below, first = (switch.members[0], rank) if switch is not None else ("", rank)
            if switch is not None:
                # A switch stays whole even when one of its GPUs is not of the island.
                first = min(island.get(i, none) for i in _indices(switch))
            groups.setdefault((first, below, rank), []).append(gpu)
        columns: list[list[Gpu]] = []
        for group in groups.values():
            group.sort(key=lambda gpu: gpu.index)
        for key in sorted(groups, key=lambda k: (k[0], self._first_of(k[1], groups[k]), k[2])):
            group = groups[key]
            columns += [group[i : i + self._rows] for i in range(0, len(group), self._rows)]
        return columns

    def _first_of(self, below: str, group: Sequence[Gpu]) -> int:
        return int(below[3:]) if below else group[0].index

    def _place_switches(self, gpus: Sequence[Gpu]) -> None:
        """Put a bar above the GPUs of each switch and a line from the lane's head to it."""
        s = self._sizes
        below: dict[str, list[Box]] = {}
        for key in (f"GPU{gpu.index}" for gpu in gpus):
            if (switch := self._switch_of.get(key)) is not None:
                below.setdefault(switch.members[0], []).append(self._cards[key].box)
        for first, boxes in below.items():
            switch = self._switch_of[first]
            left, right = min(box.x for box in boxes) - 9, max(box.right for box in boxes)
            bar = Box(x=left, y=s.head + 4, width=right - left, height=s.switch)
            self._bars.append(SwitchBar(box=bar, switch=switch))
            x = bar.middle[0]
            self._trunks.append(
                Trunk(keys=frozenset(switch.members), points=((x, s.bar_bottom), (x, bar.y)))
            )

    def _trunk(self, card: Card) -> Trunk:
        """Return the way to a card: straight, or beside the card of the upper row."""
        box, switch = card.box, self._switch_of.get(card.key)
        bar = next((b for b in self._bars if b.switch is switch), None)
        top = bar.box.bottom if bar is not None else self._sizes.bar_bottom
        keys = frozenset({card.key})
        if card.row == 0:
            x = box.x + box.width / 2
            return Trunk(keys=keys, points=((x, top), (x, box.y)))
        x, y = box.x - 9, box.y + box.height / 2
        return Trunk(keys=keys, points=((x, top), (x, y), (box.x, y)))

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
            wires += self._pair_wires(members, links, drawn=bus.link if bus else None)
        lanes = tuple(
            replace(lane, box=replace(lane.box, height=self._foot)) for lane in self._lanes
        )
        wires += self._nic_wires(links)
        return Scene(
            lanes=lanes,
            cards=tuple(self._cards.values()),
            nics=tuple(self._nics),
            switches=tuple(self._bars),
            islands=tuple(boxes),
            buses=tuple(buses),
            wires=tuple(wires),
            trunks=tuple(self._trunks),
            width=max(self._x - 20, 0.0),
            height=self._foot,
            links=links,
        )

    def _bus(self, members: Sequence[str], links: Mapping[tuple[str, str], Link]) -> Bus | None:
        """Return the bar of an island, when all its pairs, or all but a few, have equal NVLinks."""
        found = [link for pair in combinations(members, 2) if (link := links.get(pair))]
        counts = Counter(_measure(link) for link in found)
        if len(members) < 3 or self._rows < 2 or not counts:
            return None
        measure, often = counts.most_common(1)[0]
        pairs = math.comb(len(members), 2)
        if measure[0] is not LinkKind.NVLINK or often < pairs * _BUS_SHARE:
            return None
        boxes = [self._cards[m].box for m in members]
        _, card_height = self._sizes.card
        y = self._top + card_height + self._sizes.row_gap * 0.62
        return Bus(
            y=y,
            left=min(box.x + box.width * 0.3 for box in boxes),
            right=max(box.right - box.width * 0.3 for box in boxes),
            members=tuple(members),
            link=next(link for link in found if _measure(link) == measure),
            by_switch=self._by_nvswitch,
            all_pairs=often == pairs,
        )

    def _pair_wires(
        self,
        members: Sequence[str],
        links: Mapping[tuple[str, str], Link],
        *,
        drawn: Link | None,
    ) -> list[Wire]:
        """Return a line for each pair with NVLink, but those that the island's bar stands for."""
        pairs = [
            (a, b, link)
            for a, b in combinations(members, 2)
            if (link := links.get((a, b))) is not None
            and link.kind is LinkKind.NVLINK
            and (drawn is None or _measure(link) != _measure(drawn))
        ]
        return [
            _wire(
                a,
                b,
                self._cards[a].box,
                self._cards[b].box,
                link,
                labelled=drawn is None and len(pairs) <= 3,
                # The middle belongs to the GPU's own line to the bar.
                beside=0.0 if drawn is None else 0.34,
            )
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


def _measure(link: Link) -> tuple[LinkKind, int | None, float | None]:
    """Return what makes two links equal."""
    return link.kind, link.nvlink_count, link.bandwidth_gbps


def _wire(
    a: str,
    b: str,
    first: Box,
    second: Box,
    link: Link,
    *,
    labelled: bool,
    beside: float = 0.0,
) -> Wire:
    """Return a link between two cards, edge to edge when they are neighbours.

    ``beside`` moves a vertical link off the cards' middle, as a share of their width.
    """
    if abs(first.y - second.y) < 1:
        left, right = sorted((first, second), key=lambda box: box.x)
        y = left.middle[1]
        start, end = (left.right, y), (right.x, y)
    elif abs(first.x - second.x) < 1:
        upper, lower = sorted((first, second), key=lambda box: box.y)
        x = upper.middle[0] + beside * upper.width
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
