"""How the GPUs of a host are joined, in the few values that two hosts can be compared by."""

from collections import Counter
from collections.abc import Iterator

from app.core.diff.difference import Item, Raw
from app.core.hardware.fingerprint import Fingerprint, HostSource, Link, LinkKind
from app.core.hardware.topology import gpu_links


def link_items(fp: Fingerprint, *, with_counts: bool) -> Iterator[Item]:
    """Return the links between GPUs.

    Args:
        fp: The host.
        with_counts: Compare how many pairs have a class, too; only sensible where both hosts have
            equally many GPUs.
    """
    if len(fp.gpus) < 2:
        return
    links = list(gpu_links(fp.topology).values())
    words = Counter(_word(link) for link in links)
    is_thought_of = fp.source is HostSource.CATALOGUE
    has_unknown = any(link.kind is LinkKind.UNKNOWN for link in links) and not is_thought_of
    known = bool(links) and "topology.links" not in fp.unknown and not has_unknown
    shown = ", ".join(f"{count} × {word}" for word, count in sorted(words.items()))
    classes = tuple(sorted(words.elements() if with_counts else words))
    has_nvlink = any(link.kind is LinkKind.NVLINK for link in links)
    yield _item(fp, "links.nvlink", has_nvlink if known else None, shown)
    yield _item(fp, "links.classes", classes if known else None, shown)
    if with_counts:
        sizes = tuple(str(len(island)) for island in fp.topology.nvlink_islands)
        yield _item(fp, "links.islands", sizes if known else None, " + ".join(sizes) or "none")


def _item(fp: Fingerprint, path: str, value: Raw, shown: str) -> Item:
    reason = fp.unknown.get("topology.links") if value is None else None
    return Item(path=path, rule=path, value=value, shown=shown, reason=reason)


def _word(link: Link) -> str:
    if link.kind is LinkKind.UNKNOWN:
        return "PCIe"  # a host that is only thought of: joined by PCIe, nobody knows how closely
    count = link.nvlink_count if link.kind is LinkKind.NVLINK else None
    return f"{link.kind.value}{count}" if count is not None else link.kind.value
