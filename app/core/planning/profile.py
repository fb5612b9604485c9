"""A plan without its host: what is worth keeping and giving to others."""

from collections.abc import Sequence
from types import MappingProxyType

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.engines.mounts import deployment_slug
from app.core.engines.spec import HOST_FIELDS
from app.core.models.architecture import ModelInfo
from app.core.models.lora import LoraAdapter
from app.core.planning.own_flags import OWN_FLAG, OWN_VALUE, OWN_VARIABLE
from app.core.planning.plan import ChosenFlag, Plan
from app.core.units import MIB

NEWEST = "newest"
"""Value of `Profile.engine_version` that leaves the version to the host."""

ASK = "ask"
"""Value of `Profile.model` that leaves the model to the deployment."""


def profile_from_plan(
    plan: Plan,
    *,
    name: str = "",
    model: ModelInfo,
    goal: str = "throughput",
    adapters: Sequence[LoraAdapter] = (),
) -> Profile:
    """Return the plan as a profile; flags that belong to one host are left out."""
    parameters, estimate = plan.parameters, plan.estimate
    gpu_count = len(parameters.gpu_uuids)
    codes = {reason.code for reason in plan.reasons}
    one_request = min(
        estimate.kv_bytes_per_token_per_gpu * parameters.context_tokens,
        estimate.kv_cache_bytes_per_gpu,
    )
    smallest = (
        estimate.weights_bytes_per_gpu
        + estimate.activation_bytes
        + estimate.cuda_graph_bytes
        + estimate.non_torch_bytes
        + one_request
    )
    # Each of unlike GPUs holds another part: what one needs says nothing of the others.
    is_unlike = "layers_by_memory" in codes
    return Profile(
        name=name or f"{deployment_slug(model)}-{plan.engine}",
        title=f"{model.name}, {plan.engine} {plan.version}",
        engine=plan.engine,
        engine_version=plan.version,
        image=plan.image,
        model=model.path or model.name,
        goal=goal,
        context_tokens=parameters.context_tokens,
        concurrency=parameters.concurrency,
        tensor_parallel_size=parameters.tensor_parallel_size,
        gpu_count=gpu_count,
        gpu_memory_min_mib=-(-smallest // MIB) if gpu_count and not is_unlike else None,
        gpu_same_island="gpus_one_island" in codes,
        port=plan.container.host_port,
        flags=tuple(_kept(flag) for flag in plan.flags if _is_host_independent(flag)),
        adapters=MappingProxyType({adapter.name: adapter.path for adapter in adapters}),
        environment={
            flag.name: flag.value or "" for flag in plan.flags if flag.reason.code == OWN_VARIABLE
        },
        shm_size_bytes=plan.container.shm_size_bytes,
        memory_limit_bytes=plan.container.memory_limit_bytes,
    )


def _is_host_independent(flag: ChosenFlag) -> bool:
    """Tell whether a flag holds on any host: what the user added is kept whatever it is."""
    if flag.reason.code == OWN_VARIABLE:
        return False
    is_own = flag.reason.code in (OWN_VALUE, OWN_FLAG)
    return is_own or flag.reason.parameter not in {field.value for field in HOST_FIELDS}


def _kept(flag: ChosenFlag) -> ProfileFlag:
    text = flag.reason.text
    return ProfileFlag(name=flag.name, value=flag.value, why=text.en, why_zh_CN=text.zh_CN)
