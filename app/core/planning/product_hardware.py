"""The GPUs of the catalogue as candidates, in every count that a model is divided over."""

from collections.abc import Iterator
from dataclasses import replace

from app.core.hardware.catalogue import GpuCatalogue
from app.core.models.hardware_table import Candidate
from app.core.models.inverse import GPU_COUNTS
from app.core.models.request import Device


def product_candidates(catalogue: GpuCatalogue) -> Iterator[Candidate]:
    """Yield every product of the catalogue whose memory is known, in every count."""
    for model in catalogue.gpu:
        if model.memory_mib is not None:
            yield from counted(
                Device(
                    name=model.name,
                    compute_cap=model.compute_cap,
                    memory_total_mib=model.memory_mib,
                )
            )


def counted(device: Device) -> Iterator[Candidate]:
    """Yield one product in every count."""
    for count in GPU_COUNTS:
        yield Candidate(device=replace(device, count=count), used=count)
