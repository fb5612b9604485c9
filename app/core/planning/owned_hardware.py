"""The GPUs one already has, as candidates beside the catalogue's."""

from collections.abc import Iterator

from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.fingerprint import Fingerprint
from app.core.models.hardware_table import Candidate
from app.core.models.inverse import GPU_COUNTS
from app.core.planning.host_view import view_host


def owned_candidates(
    name: str, fingerprint: Fingerprint, catalogue: GpuCatalogue
) -> Iterator[Candidate]:
    """Yield a host's usable GPUs, the freest first, in every count that a model is divided over.

    What others held when the fingerprint was taken counts as held. MIG instances are used one at
    a time; GPUs off their NVSwitch fabric not at all.
    """
    view = view_host(fingerprint, catalogue=catalogue)
    traits = view.traits()
    for count in GPU_COUNTS:
        choice = view.choose(count) if count <= len(view.gpus) else None
        if choice is not None:
            yield Candidate(
                device=view.memory_device(choice),
                owned_by=name,
                used=count,
                seen_at=fingerprint.taken_at,
                architecture=traits.architecture,
                driver=traits.driver,
                is_data_centre=traits.is_data_centre,
            )
