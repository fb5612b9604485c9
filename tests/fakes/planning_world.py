"""Hosts, models and shipped data for tests of engines and planning."""

from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from app.core.hardware.assemble import assemble_fingerprint
from app.core.hardware.fingerprint import (
    ContainerRuntime,
    Cpu,
    Fingerprint,
    Gpu,
    GpuAccess,
    HostSource,
    Machine,
    Memory,
    Topology,
)
from app.core.hardware.sections import RawSection
from app.core.models.architecture import (
    Architecture,
    ModelFormat,
    ModelInfo,
    Quantization,
)
from app.core.models.config import read_config
from app.core.models.estimate import estimate_memory
from app.core.planning.evaluate import make_plan
from app.core.planning.plan import Goal, Plan, PlanResult
from app.io import datafiles

GIB = 1024**3
ROOT = datafiles.data_root()


@lru_cache(maxsize=1)
def engines():
    return datafiles.load_engines(ROOT)


@lru_cache(maxsize=1)
def rules():
    return datafiles.load_rules(ROOT)


@lru_cache(maxsize=1)
def calibration():
    return datafiles.load_calibration(ROOT)


@lru_cache(maxsize=1)
def catalogue():
    return datafiles.load_gpu_catalogue(ROOT)


class ShippedData:
    """The data files as the planning service asks for them."""

    engines = property(lambda _self: engines())
    rules = property(lambda _self: rules())
    constraints = property(lambda _self: rules().constraints)
    calibration = property(lambda _self: calibration())
    catalogue = property(lambda _self: catalogue())
    speed = property(lambda _self: datafiles.load_speed(datafiles.data_root()))


def gpu_host(
    name: str = "NVIDIA H200",
    *,
    count: int = 1,
    cap: str | None = "9.0",
    memory_mib: int | None = 143771,
    reserved_mib: int | None = 616,
    used_mib: tuple[int, ...] = (),
    driver: str | None = "580.159.04",
    islands: tuple[tuple[int, ...], ...] = (),
    access: GpuAccess = GpuAccess.CDI,
    container: str | None = "docker",
    reachable: bool | None = True,
    architecture: str = "x86_64",
    source: HostSource = HostSource.SSH,
    ram_gib: int | None = 256,
    mig: tuple[int, ...] = (),
    complete: bool = True,
    simulated: bool = False,
) -> Fingerprint:
    gpus = tuple(
        Gpu(
            index=index,
            name=name,
            uuid=f"GPU-{index}",
            compute_cap=cap,
            memory_total_mib=memory_mib,
            memory_reserved_mib=reserved_mib,
            memory_used_mib=used_mib[index] if index < len(used_mib) else 0,
            mig_mode=index in mig,
        )
        for index in range(count)
    )
    ram = ram_gib * GIB if ram_gib is not None else None
    return Fingerprint(
        source=source,
        taken_at="2026-11-29T00:00:00Z",
        parser_version="1",
        simulated=simulated,
        machine=Machine(architecture=architecture),
        cpu=Cpu(cores=32, threads=64),
        memory=Memory(total_bytes=ram, available_bytes=ram),
        driver_version=driver,
        gpus=gpus,
        topology=Topology(nvlink_islands=islands, complete=complete),
        containers=ContainerRuntime(
            name=container, version="26.1.5", reachable=reachable, gpu_access=access
        ),
    )


def cpu_host(*, ram_gib: int | None = 16, cores: int | None = 2, **changes) -> Fingerprint:
    host = gpu_host(count=0, access=GpuAccess.NONE, driver=None, ram_gib=ram_gib, **changes)
    return replace(host, cpu=Cpu(cores=cores, threads=cores))


@lru_cache(maxsize=1)
def h200_recording() -> Fingerprint:
    folder = ROOT / "resources" / "demo" / "h200-x2" / "idle"
    sections = [_section(file) for file in sorted(folder.glob("*.txt"))]
    return assemble_fingerprint(
        sections, source=HostSource.RECORDED, taken_at="2026-11-29T00:00:00Z"
    )


def _section(file: Path) -> RawSection:
    exit_file = file.with_suffix(".rc")
    code = int(exit_file.read_text().strip()) if exit_file.is_file() else 0
    return RawSection(
        name=file.stem,
        command=file.stem,
        exit_code=code,
        stdout=file.read_text(encoding="utf-8", errors="replace"),
    )


LLAMA_8B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}


def safetensors_model(name: str = "llama-3.1-8b", **changes) -> ModelInfo:
    config = {**LLAMA_8B, **changes}
    model = read_config(config, name=name, path=f"/models/{name}")
    return replace(model, format=ModelFormat.SAFETENSORS)


def llama_70b(**changes) -> ModelInfo:
    return safetensors_model(
        "llama-3.1-70b",
        **{
            "hidden_size": 8192,
            "intermediate_size": 28672,
            "num_hidden_layers": 80,
            "num_attention_heads": 64,
            **changes,
        },
    )


def gguf_model(
    name: str = "qwen2.5-7b-q4_k_m",
    *,
    weights_gib: float = 4.4,
    layers: int = 28,
    max_context: int | None = 32768,
    path: str | None = "/models/qwen2.5-7b-q4_k_m.gguf",
) -> ModelInfo:
    return ModelInfo(
        name=name,
        path=path,
        format=ModelFormat.GGUF,
        architecture=Architecture(
            name="qwen2",
            model_type="qwen2",
            layers=layers,
            hidden_size=3584,
            intermediate_size=18944,
            heads=28,
            kv_heads=4,
            head_dim=128,
            vocab_size=152064,
            max_context=max_context,
        ),
        quantization=Quantization(method="gguf", bits=4, label="Q4_K_M"),
        dtype="float16",
        weights_bytes=int(weights_gib * GIB),
    )


def quantized(model: ModelInfo, method: str, **changes) -> ModelInfo:
    return replace(model, quantization=Quantization(method=method, **changes))


def plan(fingerprint: Fingerprint, model: ModelInfo, goal: Goal | None = None) -> PlanResult:
    return make_plan(
        fingerprint=fingerprint,
        model=model,
        goal=goal or Goal(),
        engines=engines(),
        rules=rules(),
        estimator=partial(estimate_memory, calibration=calibration()),
        catalogue=catalogue(),
    )


def best(fingerprint: Fingerprint, model: ModelInfo, goal: Goal | None = None) -> Plan:
    result = plan(fingerprint, model, goal)
    assert result.ranked, [(r.engine, r.code, r.text.en) for r in result.rejected]
    return result.ranked[0]


def refusals(result: PlanResult) -> dict[str, str]:
    return {rejection.engine: rejection.code for rejection in result.rejected}
