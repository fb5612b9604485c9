"""Names of GPUs in the host's CDI specification."""

from app.core.hardware.cdi import cdi_names
from app.core.hardware.fingerprint import Gpu

GPUS = (Gpu(index=0, uuid="GPU-no-aa"), Gpu(index=1, uuid="GPU-no-bb"))


def test_the_uuid_names_a_gpu_where_the_host_knows_it() -> None:
    devices = ("nvidia.com/gpu=0", "nvidia.com/gpu=GPU-no-aa", "nvidia.com/gpu=GPU-no-bb")
    assert cdi_names(GPUS, devices) == ("nvidia.com/gpu=GPU-no-aa", "nvidia.com/gpu=GPU-no-bb")


def test_the_index_names_it_where_the_host_knows_nothing_else() -> None:
    devices = ("nvidia.com/gpu=0", "nvidia.com/gpu=1", "nvidia.com/gpu=all")
    assert cdi_names(GPUS, devices) == ("nvidia.com/gpu=0", "nvidia.com/gpu=1")


def test_an_unlisted_gpu_is_asked_for_by_uuid() -> None:
    assert cdi_names(GPUS[:1], ()) == ("nvidia.com/gpu=GPU-no-aa",)
