"""What will be deployed, in the words of the one who asked for it."""

from PySide6.QtCore import QCoreApplication

from app.core.deployment.spec import DeploymentSpec
from app.core.hardware.fingerprint import Fingerprint
from app.core.units import format_bytes
from app.ui.viewmodels.plan_state import PlanState
from app.ui.viewmodels.plan_texts import engine_name

translate = QCoreApplication.translate


def present_spec(spec: DeploymentSpec, state: PlanState) -> tuple[tuple[str, str], ...]:
    """Return label and value of what is worth a last look."""
    container = spec.container
    port = str(container.host_port) if container.host_port else translate("Plan", "next free one")
    on_gpus = bool(container.gpu_uuids)
    rows = [
        (translate("Plan", "Model"), host_path(spec)),
        (
            translate("Plan", "Engine"),
            f"{engine_name(spec.engine, state.engines)} {spec.engine_version}",
        ),
        (translate("Plan", "Image"), spec.image),
        (translate("Plan", "GPUs"), gpu_words(container.gpu_uuids, state.fingerprint)),
        (translate("Plan", "Port"), f"{container.host_address} · {port}"),
        (translate("Plan", "Revision"), str(spec.revision)),
    ]
    if spec.estimate_bytes_per_gpu is not None:
        words = translate("Plan", "Memory per GPU") if on_gpus else translate("Plan", "Main memory")
        rows.append((words, format_bytes(spec.estimate_bytes_per_gpu)))
    return tuple(rows)


def host_path(spec: DeploymentSpec) -> str:
    """Return where the model is on the host; the container sees it elsewhere."""
    for mount in spec.container.mounts:
        inside = spec.model_path.removeprefix(mount.target)
        if inside != spec.model_path and (not inside or inside.startswith("/")):
            return mount.source + inside
    return spec.model_path


def gpu_words(uuids: tuple[str, ...], found: Fingerprint | None) -> str:
    """Return GPUs by number and product; by UUID where the fingerprint does not know them."""
    if not uuids:
        return translate("Plan", "none: runs on processors")
    known = {gpu.uuid: gpu for gpu in (found.gpus if found is not None else ())}
    words = []
    for uuid in uuids:
        gpu = known.get(uuid)
        name = "" if gpu is None or gpu.name is None else f" ({gpu.name})"
        words.append(uuid if gpu is None else f"GPU {gpu.index}{name}")
    return ", ".join(words)
