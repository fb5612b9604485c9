"""What the demo host's container engine refuses: what it cannot play, and what is not there."""

from collections.abc import Collection, Mapping

from app.core import labels
from app.core.deployment.spec import ContainerSpec
from app.core.errors import DockerError, ErrorCode
from app.io.demo.serving import ENGINE


def is_played(reference: str) -> bool:
    """Tell whether an image is of the engine that is played."""
    return ENGINE in reference.rpartition("/")[2].partition(":")[0]


def refuse_what_is_missing(spec: ContainerSpec, image: str, secrets: Mapping[str, str]) -> None:
    """Refuse an image that is not there, and a container without its secrets.

    Raises:
        DockerError: IMAGE_MISSING, DOCKER_REFUSED.
    """
    if not image.startswith("sha256:") and not is_played(image):
        raise DockerError(
            ErrorCode.IMAGE_MISSING,
            {"image": image, "host": "demo"},
            cause=f"The demo host has no image {image}.",
            remedy="Plan with vLLM here, or use a host of your own.",
        )
    if missing := [name for name in spec.secret_environment if name not in secrets]:
        raise DockerError(
            ErrorCode.DOCKER_REFUSED,
            {"name": missing[0], "host": "demo"},
            cause=f"The secret {missing[0]} was not given.",
            remedy="Deploy again; Pitwall makes the key anew.",
        )


def refuse_other_engines(spec: ContainerSpec) -> None:
    """Refuse what is not vLLM.

    Raises:
        DockerError: DOCKER_REFUSED.
    """
    known = labels.read_labels(spec.labels)
    if known is not None and known.engine != ENGINE:
        raise DockerError(
            ErrorCode.DOCKER_REFUSED,
            {"engine": known.engine, "host": "demo"},
            cause=f"The demo host can only play vLLM, not {known.engine}.",
            remedy="Plan with vLLM here, or use a host of your own.",
        )


def refuse_unknown_gpus(spec: ContainerSpec, uuids: Collection[str]) -> None:
    """Refuse GPUs that the host does not have.

    Raises:
        DockerError: GPU_RUNTIME_MISSING.
    """
    if unknown := set(spec.gpu_uuids) - set(uuids):
        raise DockerError(
            ErrorCode.GPU_RUNTIME_MISSING,
            {"gpu": min(unknown), "host": "demo"},
            cause=f"The demo host has no GPU {min(unknown)}.",
            remedy="Take its fingerprint and plan again.",
        )
