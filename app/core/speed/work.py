"""What one GPU has to read and compute for a token: the two sides of the roofline."""

from dataclasses import dataclass

from app.core.models.architecture import Architecture, ModelInfo
from app.core.models.memory import MemoryEstimate
from app.core.models.quantized_size import DTYPE_BYTES, load_dtype
from app.core.models.weights import Tensor, tensors


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Bytes and floating-point operations of one GPU (of a stage, with pipeline stages)."""

    layers: int
    hidden_size: int
    gpus: int
    """GPUs that share each layer (TP)."""
    stages: int
    dense_bytes: float
    """Weights read in each step, whatever the batch."""
    expert_bytes: float
    """Weights of all routed experts."""
    experts: int
    """0 without experts."""
    experts_per_token: int
    kv_bytes_per_token: float
    """Of layers that keep all tokens."""
    window_bytes_per_token: float
    """Of layers that keep a window only."""
    window: int
    token_flops: float
    """For one prompt token, without the head."""
    head_flops: float
    """For one token that is sampled."""
    attention_flops: float
    """For each pair of a token and one it looks at."""

    def read_bytes(self, batch: int, context: float) -> float:
        """Return what one decoding step of ``batch`` requests reads, ``context`` tokens long."""
        touched = 1.0
        if self.experts:
            touched = 1 - (1 - self.experts_per_token / self.experts) ** batch
        held = min(context, float(self.window)) if self.window else context
        cache = context * self.kv_bytes_per_token + held * self.window_bytes_per_token
        return self.dense_bytes + self.expert_bytes * touched + batch * cache

    def step_flops(self, batch: int, context: float) -> float:
        """Return the operations of one decoding step."""
        return batch * (self.token_flops + self.head_flops + context * self.attention_flops)

    def prompt_flops(self, tokens: int) -> float:
        """Return the operations of reading a prompt: each token looks at those before it."""
        return tokens * self.token_flops + self.head_flops + tokens**2 / 2 * self.attention_flops


def work_of(model: ModelInfo, estimate: MemoryEstimate, *, tp: int, pp: int, dtype: str) -> Work:
    """Return a model's work per GPU; weights and KV cache as the memory estimate has them."""
    arch = model.architecture
    found = tensors(arch, tp=tp, pp=pp)
    table = _elements(found, "embed_tokens")
    dtype_bytes = DTYPE_BYTES[load_dtype(dtype, model.dtype, None)]
    tied = arch.tie_embeddings
    looked_up = 0 if tied else table * dtype_bytes
    ends = table * dtype_bytes * (1 if tied or pp > 1 else 2)
    routed = sum(t.count * t.elements for t in found if t.path.startswith("mlp.experts"))
    body = sum(t.count * t.elements for t in found if t.quantizable)
    packed = max(0.0, estimate.weights_bytes_per_gpu - ends)
    expert_bytes = packed * routed / body if body else 0.0
    active = (arch.experts_per_token or 0) / arch.experts if arch.experts else 0.0
    full, sliding = _kv_split(arch, estimate.kv_bytes_per_token_per_gpu)
    return Work(
        layers=-(-arch.layers // pp),
        hidden_size=arch.hidden_size,
        gpus=tp,
        stages=pp,
        dense_bytes=max(0.0, estimate.weights_bytes_per_gpu - expert_bytes - looked_up),
        expert_bytes=expert_bytes,
        experts=arch.experts or 0,
        experts_per_token=arch.experts_per_token or 0,
        kv_bytes_per_token=full,
        window_bytes_per_token=sliding,
        window=arch.sliding_window or 0,
        token_flops=2.0 * (body - routed + routed * active),
        head_flops=2.0 * table,
        attention_flops=4.0 * arch.heads * arch.head_dim * _attending(arch) / (tp * pp),
    )


def _elements(found: tuple[Tensor, ...], path: str) -> int:
    return sum(tensor.count * tensor.elements for tensor in found if tensor.path == path)


def _attending(arch: Architecture) -> int:
    return arch.layers if arch.attention_layers is None else arch.attention_layers


def _kv_split(arch: Architecture, per_token: int) -> tuple[float, float]:
    """Share the cache's bytes per token between layers that keep all and those with a window."""
    layers = _attending(arch)
    if not arch.sliding_window or not arch.sliding_layers or not layers:
        return float(per_token), 0.0
    sliding = per_token * min(arch.sliding_layers, layers) / layers
    return per_token - sliding, sliding
