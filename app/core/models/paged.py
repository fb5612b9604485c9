"""A paged KV cache of vLLM's kind: pages of one size, groups of layers, what a request takes.

A block id stands for one page in each layer of a group. Layers of different kinds (full, sliding,
recurrent) form groups of equal size whose pages are made equal; recurrent layers keep one page per
request, so that the page of attention grows until a state fits into it.
Source: vLLM v1/core/kv_cache_utils.py, v1/kv_cache_interface.py, platforms/interface.py
(0.26.0, checked 2026-11-30).
"""

from dataclasses import dataclass
from math import ceil

from app.core.models.kv import KvLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedCache:
    """Blocks, and what requests take of them."""

    blocks: int
    blocks_per_request: int
    block_bytes: int
    max_concurrency: float
    tokens: int
    block_size: int = 16
    """Tokens of one block of the layers with full attention."""
    text: str = ""
    """How layers are grouped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagingRules:
    """What a version and its settings decide."""

    block_size: int = 16
    in_flight_tokens: int = 0
    """Tokens that sliding layers hold beyond their window while a batch runs."""
    windows_are_freed: bool = True
    """Sliding layers let go of what leaves the window; else they hold the whole context."""
    tokens_from_requests: bool = False
    """Capacity is requests × context; else whole blocks over the groups."""
    states_per_request: int = 1
    """Pages a recurrent layer holds per request: more with prefix caching."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """Layers with pages alike."""

    name: str
    layers: int
    page: int
    held: int
    """Pages of one layer for one request of full length."""


NO_CACHE = PagedCache(blocks=0, blocks_per_request=1, block_bytes=1, max_concurrency=0.0, tokens=0)


def paged_cache(
    layout: KvLayout, *, available_bytes: int, context_tokens: int, rules: PagingRules
) -> PagedCache:
    """Divide memory into blocks and say how many requests of full length fit."""
    if not layout.layers and not layout.state_layers:
        return NO_CACHE
    block = _block_size(layout, rules)
    kinds = _kinds(layout, block=block, context=context_tokens, rules=rules)
    page = kinds[0].page
    size = _group_size([kind.layers for kind in kinds])
    per_request = sum(kind.held * -(-kind.layers // size) for kind in kinds)
    groups = sum(-(-kind.layers // size) for kind in kinds)
    blocks = max(0, available_bytes) // (page * size)
    concurrency = blocks / per_request
    tokens = blocks // groups * block
    if rules.tokens_from_requests or layout.state_layers:
        tokens = int(concurrency * context_tokens)
    return PagedCache(
        blocks=blocks,
        blocks_per_request=per_request,
        block_bytes=page * size,
        max_concurrency=concurrency,
        tokens=tokens,
        block_size=block,
        text=", ".join(f"{kind.layers} {kind.name} layers" for kind in kinds)
        + f"; {groups} × {size} layers, pages of {page} B, {block} tokens a block",
    )


def _block_size(layout: KvLayout, rules: PagingRules) -> int:
    """Return the tokens of a block: at least as many as a recurrent state is large."""
    per_token = layout.full_bytes if layout.full_layers else layout.sliding_bytes
    if not layout.state_layers or not per_token:
        return rules.block_size
    unit = rules.block_size
    return max(unit, unit * ceil(layout.state_bytes / (unit * per_token)))


def _kinds(layout: KvLayout, *, block: int, context: int, rules: PagingRules) -> tuple[_Kind, ...]:
    """Return the kinds of layers with their pages, made equal where they differ."""
    full = ceil((layout.full_bytes + layout.index_bytes) * block)
    sliding = ceil(layout.sliding_bytes * block)
    state = layout.state_bytes
    present = ((layout.full_layers, full), (layout.sliding_layers, sliding), (1, state))
    page = max(size for layers, size in present if layers)

    def blocks(tokens: int, own: int) -> int:
        # A smaller page takes more tokens where that makes it equal; else it is padded.
        return -(-tokens // (block * (page // own) if page % own == 0 else block))

    found = []
    if layout.full_layers:
        held = blocks(context, full)
        found.append(_Kind(name="full", layers=layout.full_layers, page=page, held=held))
    if layout.sliding_layers:
        held = blocks(context, sliding)
        if rules.windows_are_freed and layout.window is not None:
            inside = min(layout.window - 1 + rules.in_flight_tokens, context)
            held = blocks(inside, sliding) + 1
        found.append(_Kind(name="sliding", layers=layout.sliding_layers, page=page, held=held))
    if layout.state_layers:
        held = rules.states_per_request
        found.append(_Kind(name="recurrent", layers=layout.state_layers, page=page, held=held))
    return tuple(found)


def _group_size(counts: list[int]) -> int:
    """Return the layers of one group: the rarest kind's, or the commonest's where it is close."""
    least, most = min(counts), max(counts)
    return most if most < 1.5 * least else least
