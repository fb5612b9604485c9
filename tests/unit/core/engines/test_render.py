from dataclasses import replace

import pytest
from fakes.planning_world import engines, gguf_model, safetensors_model

from app.core.engines.images import HostTraits, choose_image
from app.core.engines.parameters import ChosenFlag, Parameters
from app.core.engines.render import Placement, plan_flags, render
from app.core.engines.spec import Device
from app.core.errors import ErrorCode, PlanError
from app.core.labels import read_labels
from app.core.texts import Reason, Text

WHY = Reason(code="own", text=Text(en="own", zh_CN="自定"), source="user")


def image(engine, version, device=Device.NVIDIA, cap="8.0"):
    host = HostTraits(
        device=device, architecture="x86_64", capabilities=(cap,) if device != Device.CPU else ()
    )
    return choose_image(engines()[engine].engine, host, version=version).rule


def rendered(engine, version, parameters, model, *, device=Device.NVIDIA, **changes):
    return render(
        engines()[engine],
        version,
        parameters,
        model,
        image=image(engine, version, device),
        **changes,
    )


def words(engine, version, **parameters):
    values = Parameters(**{"context_tokens": 4096, "concurrency": 2, **parameters})
    model = gguf_model() if engine == "llamacpp" else safetensors_model()
    return rendered(engine, version, values, model).container.command


def pairs(command):
    return {word: command[i + 1] for i, word in enumerate(command[:-1]) if word.startswith("--")}


def test_llamacpp_always_states_port_address_and_metrics():
    command = words("llamacpp", "b10434")
    values = pairs(command)
    assert values["--port"] == "8080"
    assert values["--host"] == "0.0.0.0"
    assert "--metrics" in command


def test_llamacpp_container_port_is_the_one_its_image_checks():
    engine = engines()["llamacpp"].engine
    assert engine.server.container_port == engine.server.image_healthcheck_port


def test_llamacpp_context_is_the_total_over_all_slots():
    values = pairs(words("llamacpp", "b10434", context_tokens=4096, concurrency=3))
    assert values["--ctx-size"] == "12288"
    assert values["--parallel"] == "3"


def test_log_verbosity_is_raised_only_where_its_scale_is_the_new_one():
    assert pairs(words("llamacpp", "b10434"))["--log-verbosity"] == "4"
    assert "--log-verbosity" not in words("llamacpp", "b7437")


def test_kv_dtype_reaches_keys_and_values():
    values = pairs(words("llamacpp", "b10434", kv_dtype="q8_0"))
    assert values["--cache-type-k"] == values["--cache-type-v"] == "q8_0"
    assert "--cache-type-k" not in words("llamacpp", "b10434", kv_dtype="auto")


def test_vllm_model_is_first_argument_from_0_12_and_a_flag_before():
    assert words("vllm", "0.12.0")[0] == "/models/llama-3.1-8b"
    assert "--model" not in words("vllm", "0.12.0")
    assert pairs(words("vllm", "0.11.0"))["--model"] == "/models/llama-3.1-8b"


@pytest.mark.parametrize(
    ("version", "program"),
    [
        ("0.8.5", ("python3", "-m", "vllm.entrypoints.openai.api_server")),
        ("0.33.0", ("vllm", "serve")),
    ],
)
def test_argv_is_the_images_entry_point_and_the_command(version, program):
    parameters = Parameters(context_tokens=4096, concurrency=2)
    result = rendered("vllm", version, parameters, safetensors_model())
    assert result.argv[: len(program)] == program
    assert result.argv[len(program) :] == result.container.command


def test_single_gpu_needs_no_split_flag():
    assert "--tensor-parallel-size" not in words("vllm", "0.33.0", tensor_parallel_size=1)
    assert pairs(words("vllm", "0.33.0", tensor_parallel_size=2))["--tensor-parallel-size"] == "2"


def test_prefix_caching_has_a_positive_and_a_negative_form():
    assert "--enable-prefix-caching" in words("vllm", "0.33.0", prefix_caching=True)
    assert "--no-enable-prefix-caching" in words("vllm", "0.33.0", prefix_caching=False)
    command = words("vllm", "0.33.0", prefix_caching=None)
    assert not [word for word in command if "prefix" in word]


@pytest.mark.parametrize("engine", ["vllm", "llamacpp"])
def test_no_version_is_given_a_flag_outside_its_span(engine):
    data = engines()[engine]
    parameters = Parameters(
        context_tokens=4096,
        concurrency=4,
        tensor_parallel_size=2,
        pipeline_parallel_size=2,
        memory_fraction=0.9,
        kv_dtype="fp8" if engine == "vllm" else "q8_0",
        dtype="float16",
        gpu_layers=10,
        threads=8,
        prefill_tokens=2048,
        prefix_caching=True,
    )
    from app.core.versions import in_span

    for version in data.engine.versions:
        for flag in plan_flags(data, version, parameters):
            rules = [rule for rule in data.flags.flag if flag.name in (rule.name, rule.negation)]
            assert any(
                in_span(version, rule.since, rule.until, data.engine.version_scheme)
                for rule in rules
            ), (version, flag.name)


def test_users_own_flag_takes_the_place_of_the_planned_one():
    own = ChosenFlag(name="--max-num-seqs", value="7", reason=WHY)
    parameters = Parameters(context_tokens=4096, concurrency=2)
    result = rendered("vllm", "0.33.0", parameters, safetensors_model(), extra=(own,))
    assert pairs(result.container.command)["--max-num-seqs"] == "7"


def test_container_is_least_privileged_and_on_loopback():
    result = rendered(
        "vllm", "0.33.0", Parameters(context_tokens=4096, concurrency=2), safetensors_model()
    )
    container = result.container
    assert container.host_address == "127.0.0.1"
    assert container.capabilities_drop == ("ALL",)
    assert container.capabilities_add == ()
    assert container.security_options == ("no-new-privileges",)
    assert container.restart_policy == "no"
    assert container.mounts[0].read_only
    assert container.environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


def test_api_key_is_a_secret_variable_and_never_an_argument():
    placement = Placement(name="chat", with_api_key=True)
    parameters = Parameters(context_tokens=4096, concurrency=2)
    result = rendered("vllm", "0.33.0", parameters, safetensors_model(), placement=placement)
    assert result.container.secret_environment == ("VLLM_API_KEY",)
    assert not [word for word in result.argv if "key" in word.lower()]
    assert read_labels(result.container.labels).auth == "api-key"


def test_shared_memory_grows_with_several_gpus_and_profile_wins():
    parameters = Parameters(context_tokens=4096, concurrency=2)

    def shm(**changes):
        placement = Placement(name="chat", **changes)
        result = rendered("vllm", "0.33.0", parameters, safetensors_model(), placement=placement)
        return result.container.shm_size_bytes

    assert shm(gpu_uuids=("GPU-0",)) == 1024**3
    assert shm(gpu_uuids=("GPU-0", "GPU-1")) == 16 * 1024**3
    assert shm(gpu_uuids=("GPU-0",), shm_size_bytes=5) == 5


def test_cpu_container_asks_for_no_gpu_and_no_shared_memory():
    parameters = Parameters(context_tokens=4096, concurrency=2, threads=2)
    result = rendered("llamacpp", "b10434", parameters, gguf_model(), device=Device.CPU)
    assert result.container.image == "ghcr.io/ggml-org/llama.cpp:server-b10434"
    assert result.container.gpu_uuids == ()
    assert result.container.shm_size_bytes is None
    assert "CUDA_DEVICE_ORDER" not in result.container.environment


def test_sizes_given_outright_and_switches_become_flags():
    parameters = Parameters(
        context_tokens=4096, concurrency=2, enforce_eager=True, kv_cache_bytes=1024**3
    )
    result = rendered("vllm", "0.32.0", parameters, safetensors_model(), device=Device.CPU)
    assert result.container.image == "vllm/vllm-openai-cpu:v0.32.0-x86_64"
    assert result.container.shm_size_bytes == 4 * 1024**3
    flags = " ".join(result.container.command)
    assert "--enforce-eager" in flags
    assert "--kv-cache-memory-bytes 1073741824" in flags


def test_cache_volume_only_where_the_engine_needs_one():
    parameters = Parameters(context_tokens=4096, concurrency=2)
    vllm = rendered("vllm", "0.33.0", parameters, safetensors_model()).container
    llama = rendered("llamacpp", "b10434", parameters, gguf_model()).container
    assert [(mount.kind, mount.target) for mount in vllm.mounts[1:]] == [
        ("volume", "/root/.cache/vllm")
    ]
    assert len(llama.mounts) == 1


def test_labels_tell_everything_that_is_rebuilt_from_them():
    placement = Placement(name="chat", revision=3, host_port=18000, plan_digest="abc")
    parameters = Parameters(context_tokens=4096, concurrency=2)
    container = rendered(
        "vllm", "0.33.0", parameters, safetensors_model(), placement=placement
    ).container
    labels = read_labels(container.labels)
    assert container.name == "pitwall-chat-r3"
    assert (labels.deployment, labels.revision, labels.port) == ("chat", 3, 18000)
    assert (labels.engine, labels.engine_version) == ("vllm", "0.33.0")
    assert (labels.model, labels.plan_digest) == ("llama-3.1-8b", "abc")


def test_compatibility_switches_its_variable_on():
    parameters = Parameters(context_tokens=4096, concurrency=2)
    result = rendered("vllm", "0.19.1", parameters, safetensors_model(), by_compatibility=True)
    assert result.environment["VLLM_ENABLE_CUDA_COMPATIBILITY"] == "1"


def test_engine_without_server_cannot_be_rendered():
    data = engines()["vllm"]
    bare = replace(data, engine=replace(data.engine, server=None))
    with pytest.raises(PlanError) as caught:
        render(
            bare,
            "0.33.0",
            Parameters(context_tokens=1, concurrency=1),
            safetensors_model(),
            image=image("vllm", "0.33.0"),
        )
    assert caught.value.code is ErrorCode.UNSUPPORTED_COMBINATION


def test_version_before_every_known_entry_point_cannot_be_rendered():
    data = engines()["vllm"]
    bare = replace(data, engine=replace(data.engine, entrypoint=data.engine.entrypoint[1:]))
    with pytest.raises(PlanError, match="is started is not known"):
        render(
            bare,
            "0.8.5",
            Parameters(context_tokens=1, concurrency=1),
            safetensors_model(),
            image=image("vllm", "0.8.5"),
        )
