import pytest
from fakes.planning_world import (
    ShippedData,
    cpu_host,
    gguf_model,
    gpu_host,
    safetensors_model,
)

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.engines.flags import FlagProblem
from app.core.errors import AppError, ErrorCode, PlanError, UserInputError
from app.core.ids import HostId
from app.core.planning.plan import Goal, GoalKind
from app.services.planning import PlanningService

HOST = HostId("host-1")
PROFILE = Profile(name="quick", engine="llamacpp", engine_version="newest", model="ask")


class FakeHosts:
    def __init__(self, stored=None, fresh=None):
        self.stored, self.fresh, self.taken = stored, fresh, 0

    async def fingerprint(self, host_id):
        assert host_id == HOST
        return self.stored

    async def take_fingerprint(self, host_id):
        assert host_id == HOST
        self.taken += 1
        return self.fresh


class FakeModels:
    def __init__(self, model):
        self.model, self.asked = model, []

    async def read(self, host_id, path):
        self.asked.append((host_id, path))
        return self.model


@pytest.fixture
def models():
    return FakeModels(gguf_model())


@pytest.fixture
def hosts():
    return FakeHosts(stored=cpu_host())


@pytest.fixture
def planning(hosts, models):
    return PlanningService(data=ShippedData(), hosts=hosts, models=models)


async def test_plan_becomes_a_profile_and_a_docker_line(planning):
    goal = Goal(kind=GoalKind.LATENCY)
    result = await planning.plan(cpu_host(), gguf_model(), goal)
    best = result.ranked[0]
    assert planning.docker_run_text(best.container).startswith("docker run -d")
    profile = planning.profile(best, name="p", model=gguf_model(), goal=goal)
    assert (profile.name, profile.engine, profile.goal) == ("p", "llamacpp", "latency")
    assert planning.profile(best, name="p", model=gguf_model()).goal == "throughput"


async def test_profile_is_resolved_with_model_and_stored_fingerprint(planning, models, hosts):
    asked = []
    spec = await planning.resolve(
        PROFILE, HOST, model_path="/m/x.gguf", revision=lambda name: asked.append(name) or 4
    )
    assert models.asked == [(HOST, "/m/x.gguf")]
    assert asked == ["quick"]
    assert (spec.name, spec.revision, spec.host_id) == ("quick", 4, HOST)
    assert spec.image == "ghcr.io/ggml-org/llama.cpp:server-b10434"
    assert spec.estimate_bytes_per_gpu > 4 * 1024**3
    assert hosts.taken == 0


async def test_host_without_fingerprint_is_looked_at_first(models):
    hosts = FakeHosts(fresh=cpu_host())
    planning = PlanningService(data=ShippedData(), hosts=hosts, models=models)
    spec = await planning.resolve(PROFILE, HOST, name="mine", model_path="/m/x.gguf")
    assert hosts.taken == 1
    assert (spec.name, spec.revision) == ("mine", 1)


async def test_profile_with_a_path_needs_no_other(planning, models):
    profile = Profile(
        name="Not a deployment name",
        engine="llamacpp",
        engine_version="newest",
        model="/m/own.gguf",
    )
    spec = await planning.resolve(profile, HOST)
    assert models.asked == [(HOST, "/m/own.gguf")]
    assert spec.name == "qwen2-5-7b-q4-k-m"


@pytest.mark.parametrize("model", ["ask", "llama-3.1-8b"])
async def test_open_model_has_to_be_named(planning, model):
    profile = Profile(name="quick", engine="llamacpp", engine_version="newest", model=model)
    with pytest.raises(PlanError) as caught:
        await planning.resolve(profile, HOST)
    assert caught.value.code is ErrorCode.MODEL_NOT_FOUND
    assert "--model" in caught.value.remedy


async def test_profile_of_an_unknown_engine_is_refused(planning):
    profile = Profile(name="quick", engine="vlm", engine_version="1", model="/m/x")
    with pytest.raises(UserInputError) as caught:
        await planning.resolve(profile, HOST)
    assert caught.value.code is ErrorCode.NOT_FOUND


async def estimated(planning, *flags, gpu="NVIDIA H200", **changes):
    asked = {
        "model": safetensors_model(),
        "engine": "vllm",
        "version": "0.26.0",
        "gpu_name": gpu,
        "engine_flags": flags,
        **changes,
    }
    return planning.estimating.asked(**asked).estimate(await planning.learned_estimator())


async def test_estimate_follows_the_engines_flags(planning):
    plain = await estimated(planning)
    assert plain.fits is True
    halved = await estimated(planning, "-tp", "2", gpu_count=2)
    assert halved.weights_bytes_per_gpu < plain.weights_bytes_per_gpu * 0.6
    small_kv = await estimated(planning, "--kv-cache-dtype", "fp8")
    assert small_kv.kv_bytes_per_token_per_gpu * 2 == plain.kv_bytes_per_token_per_gpu
    large = await estimated(planning, weights_bytes=100 * 1024**3)
    assert large.weights_bytes_per_gpu > plain.weights_bytes_per_gpu


async def test_estimate_takes_the_catalogues_id_and_a_measured_size(planning):
    by_id = await estimated(planning, gpu="h200")
    assert by_id.total_bytes_per_gpu > 130 * 1024**3
    own = await estimated(planning, gpu="Prototype", gpu_memory_mib=40000)
    assert own.total_bytes_per_gpu < 41000 * 1024**2


async def test_estimate_for_an_unheard_of_gpu_asks_for_its_memory(planning):
    with pytest.raises(UserInputError) as caught:
        await estimated(planning, gpu="Prototype")
    assert "--gpu-memory-mib" in caught.value.remedy


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"engine": "vlm"}, "vllm"),
        ({"version": "newest"}, "newest"),
        ({"gpu": "H200x"}, "NVIDIA H200"),
        ({"gpu_count": 0}, "gpu_count"),
        ({"gpu_memory_mib": -1}, "gpu_memory_mib"),
        ({"weights_bytes": -1}, "weights_bytes"),
    ],
)
async def test_estimate_names_what_is_wrong(planning, changes, named):
    with pytest.raises(AppError) as caught:
        await estimated(planning, **changes)
    assert named in caught.value.cause + caught.value.remedy


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--max-model-len", "-5"), "--max-model-len"),
        (("--mem-fraction-static", "0.8"), "SGLang"),
        (("--tensor-parallel-size", "0"), "--tensor-parallel-size"),
        (("--gpu-memory-utilization", "1.5"), "--gpu-memory-utilization"),
    ],
)
async def test_estimate_names_the_wrong_flag(planning, flags, named):
    with pytest.raises(AppError) as caught:
        await estimated(planning, *flags)
    assert named in caught.value.cause


async def test_estimate_refuses_flags_that_the_version_does_not_take(planning):
    with pytest.raises(UserInputError, match="Did you mean") as caught:
        await estimated(planning, "--max-modellen", "1")
    assert caught.value.code is ErrorCode.FLAG_UNKNOWN


async def test_own_flags_are_checked_as_words(planning):
    assert planning.check_flags("vllm", "0.33.0", ["--max-num-seqs", "8"]) == ()
    (finding,) = planning.check_flags("vllm", "0.33.0", ["--swap-space", "8"])
    assert finding.problem is FlagProblem.REMOVED


async def test_resolve_with_known_host_and_model_needs_no_connection(planning):
    profile = Profile(
        name="chat",
        engine="vllm",
        engine_version="newest",
        model="ask",
        gpu_count=1,
        context_tokens=4096,
        flags=(ProfileFlag(name="--max-model-len", value="4096"),),
    )
    spec = planning.resolve_with(
        profile,
        fingerprint=gpu_host(count=2),
        model=safetensors_model(),
        host_id="h",
        name="chat",
        revision=1,
        gpu_uuids=("GPU-1",),
    )
    assert spec.container.gpu_uuids == ("GPU-1",)
