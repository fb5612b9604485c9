"""Compare two fingerprints: two hosts, or one host at two times."""

from collections import Counter
from collections.abc import Iterator, Sequence

from app.core.diff.collect import Collector, distinct_names
from app.core.diff.difference import Comparison, Item, Side, SideKind
from app.core.diff.gpu_items import (
    MOMENTARY,
    gpu_items,
    momentary_item,
    product_name,
    sheet_items,
)
from app.core.diff.gpu_match import GpuMatch, GpuPair, match_gpus
from app.core.diff.host_items import host_items
from app.core.diff.link_items import link_items
from app.core.diff.spec import DiffRules
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint, Gpu

PRESENT = "present"
ABSENT = "absent"


def diff_fingerprints(
    a: Fingerprint, b: Fingerprint, rules: DiffRules, *, catalogue: GpuCatalogue | None = None
) -> Comparison:
    """Return what differs between two fingerprints, the heaviest differences first."""
    side_a, side_b = host_side(a), host_side(b)
    collector = Collector(rules, distinct_names(side_a, side_b))
    compare_hosts(collector, a, b, catalogue)
    return collector.result(side_a, side_b)


def host_side(fp: Fingerprint) -> Side:
    """Return how a fingerprint is called."""
    name = fp.host_name or fp.machine.hostname or "?"
    return Side(name=name, taken_at=fp.taken_at, kind=SideKind.HOST, simulated=fp.simulated)


def compare_hosts(
    collector: Collector, a: Fingerprint, b: Fingerprint, catalogue: GpuCatalogue | None
) -> None:
    """Put all differences of two hosts into ``collector``."""
    match = match_gpus(a, b)
    collector.compare(
        [*host_items(a), *_inventory(a, b, catalogue), *_momentary(a), *_processes(a)],
        [*host_items(b), *_inventory(b, a, catalogue), *_momentary(b), *_processes(b)],
    )
    equally_many = len(a.gpus) == len(b.gpus)
    if len(a.gpus) > 1 and len(b.gpus) > 1:
        _compare_links(
            collector,
            list(link_items(a, with_counts=equally_many)),
            list(link_items(b, with_counts=equally_many)),
        )
    collector.compare_gpus([_pair_items(a, b, pair, match, catalogue) for pair in match.pairs])
    for gpu in (*match.only_a, *match.only_b):
        here = gpu in match.only_a
        collector.compare([_presence(gpu, here=here)], [_presence(gpu, here=not here)])


def _compare_links(collector: Collector, a: list[Item], b: list[Item]) -> None:
    """Compare the links; where only one has NVLink, the rest would say the same again."""
    if a[0].value == b[0].value:
        collector.compare(a, b)
    else:
        collector.compare(a[:1], b[:1])


def _inventory(
    fp: Fingerprint, other: Fingerprint, catalogue: GpuCatalogue | None
) -> Iterator[Item]:
    """Return how many GPUs of which products; the count is left out of the product when it differs.

    Eight equal cards are one line, whatever they are compared with.
    """
    names = Counter(product_name(gpu, catalogue) or "?" for gpu in fp.gpus)
    shown = " + ".join(f"{count} × {name}" for name, count in names.items()) or "0"
    reason = fp.unknown.get("gpus") if not fp.gpus else None
    count = None if reason is not None else len(fp.gpus)
    yield Item(path="gpus.count", rule="gpus.count", value=count, shown=shown, reason=reason)
    if fp.gpus and other.gpus:
        equally_many = len(fp.gpus) == len(other.gpus)
        products = tuple(sorted(names.elements() if equally_many else names))
        known = None if "?" in names else products
        yield Item(path="gpus.product", rule="gpus.product", value=known, shown=shown)


def _momentary(fp: Fingerprint) -> Iterator[Item]:
    if fp.gpus:
        yield from (momentary_item(fp, name) for name in MOMENTARY)


def _processes(fp: Fingerprint) -> Iterator[Item]:
    reason = fp.unknown.get("gpu_processes")
    names = tuple(sorted({process.name for process in fp.gpu_processes}))
    yield Item(
        path="gpu_processes",
        rule="gpu_processes",
        value=None if reason is not None else names,
        shown=", ".join(names) or "none",
        reason=reason,
    )


def _pair_items(
    a: Fingerprint,
    b: Fingerprint,
    pair: GpuPair,
    match: GpuMatch,
    catalogue: GpuCatalogue | None,
) -> tuple[str, Sequence[Item], Sequence[Item]]:
    first = [*gpu_items(a, pair.place_a, pair.a), *_sheet(pair.a, pair.b, catalogue)]
    second = [*gpu_items(b, pair.place_b, pair.b), *_sheet(pair.b, pair.a, catalogue)]
    if match.same_host:
        first += _identity(pair.a, replaced=pair.replaced)
        second += _identity(pair.b, replaced=pair.replaced)
    indices = sorted({pair.a.index, pair.b.index})
    return "/".join(f"GPU{index}" for index in indices), first, second


def _sheet(gpu: Gpu, other: Gpu, catalogue: GpuCatalogue | None) -> Iterator[Item]:
    """Return the data sheet only where the products differ: one product has one sheet."""
    if product_name(gpu, catalogue) != product_name(other, catalogue):
        yield from sheet_items(gpu, catalogue)


def _identity(gpu: Gpu, *, replaced: bool) -> list[Item]:
    """Return what tells one card from another on the same host."""
    items = [
        Item(path="gpu.index", rule="gpu.index", value=gpu.index, shown=f"GPU{gpu.index}"),
        Item(path="gpu.bus_id", rule="gpu.bus_id", value=gpu.bus_id, shown=gpu.bus_id or ""),
    ]
    if replaced:
        card = f"{gpu.name or 'GPU'} {gpu.uuid}"
        items.append(Item(path="gpu.card", rule="gpu.card", value=gpu.uuid, shown=card))
    return items


def _presence(gpu: Gpu, *, here: bool) -> Item:
    name = f"GPU{gpu.index} {gpu.name or ''} {gpu.bus_id or ''}".strip()
    return Item(
        path=f"gpus.presence.{gpu.uuid or gpu.index}",
        rule="gpus.presence",
        value=PRESENT if here else ABSENT,
        shown=name if here else "–",
    )
