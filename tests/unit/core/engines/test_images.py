import pytest
from fakes.planning_world import engines

from app.core.engines.images import (
    HostTraits,
    ImageChoice,
    ImageProblem,
    choose_image,
    proposed_versions,
    rule_for_reference,
)
from app.core.engines.spec import Device


def choose(engine, cap, driver, *, data_centre=True, version=None, architecture="x86_64"):
    host = HostTraits(
        device=Device.NVIDIA if cap else Device.CPU,
        architecture=architecture,
        driver=driver,
        capabilities=(cap,) if cap else (),
        is_data_centre=data_centre,
    )
    return choose_image(engines()[engine].engine, host, version=version)


@pytest.mark.parametrize(
    ("engine", "cap", "driver", "data_centre", "reference"),
    [
        ("llamacpp", None, None, False, "ghcr.io/ggml-org/llama.cpp:server-b10434"),
        ("llamacpp", "9.0", "580.159.04", True, "ghcr.io/ggml-org/llama.cpp:server-cuda-b10434"),
        ("llamacpp", "8.9", "535.104.05", True, "ghcr.io/ggml-org/llama.cpp:server-cuda-b10434"),
        ("llamacpp", "7.0", "550.90.07", True, "ghcr.io/ggml-org/llama.cpp:server-cuda-b7437"),
        ("vllm", "9.0", "580.159.04", True, "vllm/vllm-openai:v0.33.0"),
        ("vllm", "7.0", "580.159.04", True, "vllm/vllm-openai:v0.8.5"),
        ("vllm", "8.0", "535.104.05", True, "vllm/vllm-openai:v0.19.1"),
        ("vllm", "8.6", "550.90.07", False, "vllm/vllm-openai:v0.8.5"),
        ("vllm", "12.0", "575.57.08", False, "vllm/vllm-openai:v0.23.0-cu129"),
    ],
)
def test_host_gets_the_newest_image_that_runs_on_it(engine, cap, driver, data_centre, reference):
    choice = choose(engine, cap, driver, data_centre=data_centre)
    assert isinstance(choice, ImageChoice)
    assert choice.reference == reference


def test_older_driver_on_data_centre_gpu_relies_on_compatibility():
    assert choose("vllm", "8.0", "535.104.05").by_compatibility is True
    assert choose("vllm", "8.0", "580.95.05").by_compatibility is False


def test_refused_driver_names_the_most_modest_demand():
    refusal = choose("vllm", "8.9", "535.104.05", data_centre=False)
    assert refusal.problem is ImageProblem.DRIVER_TOO_OLD
    assert (refusal.wanted, refusal.found) == ("550.54.14", "535.104.05")
    refusal = choose("vllm", "8.0", "470.82.01")
    assert refusal.problem is ImageProblem.DRIVER_TOO_OLD
    assert choose("vllm", "8.0", refusal.wanted).by_compatibility is True


def test_generation_without_code_in_the_image_is_refused():
    refusal = choose("vllm", "6.1", "580.95.05")
    assert refusal.problem is ImageProblem.COMPUTE_CAPABILITY
    assert refusal.found == "6.1"


def test_cpu_architecture_without_image_is_refused():
    assert choose("llamacpp", None, None, architecture="riscv64").problem is (
        ImageProblem.CPU_ARCHITECTURE
    )


def test_engine_without_cpu_image_asks_for_a_gpu():
    assert choose("sglang", None, None).problem is ImageProblem.NO_GPU


@pytest.mark.parametrize(("architecture", "suffix"), [("x86_64", "x86_64"), ("aarch64", "arm64")])
def test_cpu_images_are_named_by_architecture(architecture, suffix):
    found = choose("vllm", None, None, version="0.32.0", architecture=architecture)
    assert found.reference == f"vllm/vllm-openai-cpu:v0.32.0-{suffix}"


def test_engine_without_images_is_refused():
    assert choose("deepspeed-mii", "9.0", "580.95.05").problem is ImageProblem.NO_IMAGE


def test_unknown_driver_capability_and_architecture_refuse_nothing():
    host = HostTraits(device=Device.NVIDIA, architecture=None, capabilities=(None,))
    choice = choose_image(engines()["vllm"].engine, host)
    assert isinstance(choice, ImageChoice)


def test_asked_version_is_checked_not_replaced():
    assert choose("vllm", "7.0", "580.95.05", version="0.33.0").problem is (
        ImageProblem.COMPUTE_CAPABILITY
    )
    assert choose("vllm", "9.0", "580.95.05", version="0.26.0").version == "0.26.0"


def test_versions_above_the_default_are_not_proposed_by_themselves():
    proposed = proposed_versions(engines()["llamacpp"].engine)
    assert proposed[0] == "b10434"
    assert "b10488" not in proposed
    assert proposed_versions(engines()["vllm"].engine)[0] == "0.33.0"


def test_reference_is_found_back_to_its_rule():
    engine = engines()["llamacpp"].engine
    rule = rule_for_reference(engine, "ghcr.io/ggml-org/llama.cpp:server-b10434", "b10434")
    assert rule is not None
    assert rule.id == "server"
    assert rule_for_reference(engine, "mirror.local/llama:1", "b10434") is None
