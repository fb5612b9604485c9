"""The measured part of the memory model: shape of ``resources/memory/*.toml``.

A number that is not arithmetic over the model's own sizes lives there with its source, date,
sample count and error band. `Calibration` has one field per file. ``since`` and ``until`` mean
what they mean in an engine's data files: first and last version, empty is open.
"""

from dataclasses import dataclass
from typing import ClassVar

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedMemory:
    """How much less than NVML's total CUDA sees on one kind of GPU."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    gpu: str
    """Lower-case word that the GPU's name contains."""
    reserved_mib: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCalibration:
    """``devices.toml``: from NVML's total to what CUDA can use."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    default_reserved_share: float
    """Of NVML's total, for GPUs not listed."""
    default_reserved_source: str
    checked: str
    reserved: tuple[ReservedMemory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRange:
    """What was really measured; beside it the band widens."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    gpu: str
    """Lower-case word that the GPU's name contains."""
    version_since: str
    version_until: str
    """Last version that was measured."""
    tensor_parallel_max: int
    prefill_tokens_min: int
    prefill_tokens_max: int
    mixture_of_experts: bool
    latent_attention: bool = False
    """Models with MLA, and only those."""
    sliding_window: bool = False
    """Models with sliding layers were among the samples."""
    recurrent: bool = False
    """Models with recurrent layers were among the samples."""
    quantizations: tuple[str, ...]
    samples: int
    weights_error: float
    activation_error: float
    cuda_graph_error: float
    kv_error: float
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchDefault:
    """An engine's default prefill budget and sequence limit by GPU memory."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    since: str = ""
    until: str = ""
    memory_min_gib: float = 0.0
    gpu_without: str = ""
    """A GPU whose lower-case name contains this is left out."""
    gpu_with: str = ""
    """Only a GPU whose lower-case name contains this."""
    on_cpu: bool = False
    """Only where the engine computes on a CPU; sizes are per worker."""
    max_num_batched_tokens: int
    """0: as long as the longest request, while that is at most ``chunked_above``."""
    chunked_above: int = 0
    chunked_tokens: int = 0
    max_num_seqs: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionDefault:
    """An engine's default memory fraction."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    since: str = ""
    until: str = ""
    fraction: float
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """How versions divide the KV cache; the first that matches counts."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    since: str = ""
    until: str = ""
    windows_are_freed: bool
    """Sliding layers let go of what leaves their window."""
    batches_overlap: bool = False
    """They hold the tokens of all batches that run at once, not of one."""
    tokens_from_requests: bool
    """Capacity in tokens is requests × context; else whole blocks over the groups."""
    states_per_request: int
    """Pages of a recurrent layer for one request."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """One way vLLM runs a model, with its coefficients; the first that matches counts."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    name: str
    since: str = ""
    until: str = ""
    dense: bool
    """Takes every model without experts."""
    experts: bool
    """Takes every model with experts."""
    recurrent: bool = True
    """Takes models with recurrent layers, if it takes them otherwise."""
    architectures: tuple[str, ...] = ()
    """Takes these as well."""
    counts_cuda_graphs_since: str = ""
    """From this version the graphs' estimate is taken off the KV cache; empty: never."""
    hidden_factor: float
    """Copies of the hidden state alive at the peak of the layers."""
    eager_hidden_factor: float
    """The same without compilation."""
    gathered_factor: float = 0.0
    """Added to ``hidden_factor`` where the layers' sums are gathered from several GPUs."""
    eager_gathered_factor: float = 0.0
    constant_mib: int
    eager_constant_mib: int
    compiles: bool
    """The compiler's own runs hold one more copy of the embedding table."""
    masked_embedding_mib: int = 0
    """Beside the embedding where its table is divided over GPUs."""
    logits_bytes: float
    """Bytes per logit held while sampling."""
    logits_constant_mib: int
    gathers_logits: bool
    overlaps_stages: bool = False
    """One batch more than there are pipeline stages runs at once."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCoefficients:
    """What CUDA graphs take: a share per captured layer and one per captured token."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    bytes_per_layer_and_size: int
    bytes_per_token_and_hidden: float
    size_limit: int
    estimate_first_mib: int
    """What the engine's own estimate starts from: the first graph of each kind."""
    estimate_piece_mib: int
    """Each further graph between the layers' attention."""
    estimate_full_mib_per_layer: float
    """Each further graph of a whole pass, in whole steps of ``estimate_unit_mib``."""
    estimate_full_latent_mib_per_layer: float
    estimate_full_mxfp4_mib_per_layer: float
    estimate_unit_mib: int
    estimate_source: str
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphObservation:
    """Graphs of one architecture that were seen to need far more than the formula says."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    architecture: str
    since: str = ""
    until: str = ""
    graph_mib: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightCoefficients:
    """What loading takes beyond the tensors themselves."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    allocation_unit_mib: int
    """Tensors above ``allocation_from_mib`` are rounded up to this."""
    allocation_from_mib: int
    repacked_zero_point_copies: int
    """How often the zero points of AWQ weights lie there after repacking."""
    repacked_bytes_per_tensor: int
    """Left unused beside each repacked tensor."""
    position_bytes: int
    """Per token of the model's context, beside the rotary table."""
    fp8_kv_mib: int
    tensor_parallel_mib: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NonTorch:
    """Memory outside PyTorch."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    profiled_mib: int
    """Inside the engine's budget."""
    profiled_tensor_parallel_mib: int
    context_mib: int
    """CUDA context, taken before the engine looks at the free memory."""
    context_tensor_parallel_mib: int
    context_counted_since: str
    context_counted_until: str
    """In these versions the context, and what other processes hold, is taken off the budget."""
    context_counted_source: str
    cpu_mib: int
    """The engine's processes with their libraries, where it computes on a CPU."""
    cpu_source: str
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VllmCalibration:
    """``vllm.toml``."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    range: tuple[MeasuredRange, ...]
    runner: tuple[Runner, ...]
    paging: tuple[Paging, ...]
    batch_default: tuple[BatchDefault, ...]
    fraction_default: tuple[FractionDefault, ...]
    weights: WeightCoefficients
    graphs: GraphCoefficients
    graph_observation: tuple[GraphObservation, ...]
    non_torch: NonTorch
    outside_weights_error: float
    outside_activation_error: float
    outside_kv_error: float
    outside_other_mib: int
    """What else may be counted or not on GPUs and versions that were not measured."""
    outside_source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaCppCalibration:
    """``llamacpp.toml``."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    ubatch_default: int
    context_padding: int
    compute_inner_copies: int
    """Copies of a layer's inner width alive at the peak of the graph."""
    compute_hidden_copies: int
    mask_bytes: int
    """Per token of the batch and of the context."""
    compute_constant_mib: int
    gpu_hidden_copies: int
    """The same on a GPU."""
    cuda_context_mib: int
    """What a process takes beside its buffers once it has answered."""
    prompt_cache_mib: int
    weights_error: float
    kv_error: float
    compute_error: float
    gpu_compute_error: float
    samples: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFraction:
    """How an engine without own measurements divides the GPU; see ``other_engines.toml``."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    engine: str
    meaning: str
    """``of_total``, ``of_free_before_load``, ``of_free_after_load`` (and after a run of the
    largest batch) or ``of_free_after_weights``."""
    fraction: float
    """Where no tier says otherwise."""
    fraction_factor: float = 1.0
    """What the engine multiplies a fraction with, a given one too."""
    prefill_tokens: int
    max_num_seqs: int
    block_size: int
    sliding_share: float | None = None
    """Tokens of the sliding layers' pool for each token of the others; ``None``: one pool."""
    state_share: float | None = None
    """Memory of recurrent states for each byte of KV cache; ``None``: what they need."""
    versions: str
    """Which versions this was read from."""
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTier:
    """What an engine chooses by GPU memory and tensor parallelism; the first match counts."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    engine: str
    since: str = ""
    until: str = ""
    below_mib: int | None = None
    """GPUs with less than this, as NVML tells it."""
    tensor_parallel_min: int = 1
    fraction: float | None = None
    """``None``: what is not reserved."""
    reserved_mib: int = 0
    reserved_per_gpu_mib: int = 0
    """For each GPU that the model is divided over."""
    reserved_per_prefill_token_mib: float = 0.0
    reserved_per_sequence_mib: float = 0.0
    reserved_graphs_mib: int = 0
    """For graphs of the prefill."""
    reserved_graphs_latent_mib: int = 0
    """The same with MLA."""
    reserved_least_mib: int = 0
    prefill_tokens: int
    max_num_seqs: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDefault:
    """The context an engine takes when none is asked for; the first match counts."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    engine: str
    since: str = ""
    until: str = ""
    below_gib: float | None = None
    """Of all GPUs together."""
    tokens: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherEngines:
    """``other_engines.toml``: meaning of the memory fraction only; nothing is measured."""

    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT
    schema_version: int
    engine: tuple[EngineFraction, ...]
    tier: tuple[EngineTier, ...]
    context_default: tuple[ContextDefault, ...]
    weights_error: float
    kv_error: float
    runtime_mib: int
    """Context, communication and workspaces, a rule of thumb."""
    context_mib: int
    """Context alone, taken before an engine looks at the free memory."""
    context_tensor_parallel_mib: int
    source: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All measured values; each field is the file of that name in ``resources/memory``."""

    devices: DeviceCalibration
    vllm: VllmCalibration
    llamacpp: LlamaCppCalibration
    other_engines: OtherEngines
