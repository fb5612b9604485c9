"""A plan's digest: equal for equal content, whatever its name, revision or labels."""

import hashlib
import json

from app.core.deployment.spec import ContainerSpec


def plan_digest(container: ContainerSpec, *, engine: str, version: str) -> str:
    """Return the SHA-256 (hex) over everything that decides what runs and how it is reached."""
    content = {
        "engine": engine,
        "version": version,
        "image": container.image,
        "command": list(container.command),
        "environment": dict(container.environment),
        "secret_environment": sorted(container.secret_environment),
        "mounts": [
            [mount.kind, mount.source, mount.target, mount.read_only] for mount in container.mounts
        ],
        "ports": [container.host_address, container.host_port, container.container_port],
        "gpus": [container.gpu_access, sorted(container.gpu_uuids)],
        "user": container.user,
        "shm": container.shm_size_bytes,
        "memory": container.memory_limit_bytes,
        "pids": container.pids_limit,
        "capabilities": [list(container.capabilities_drop), list(container.capabilities_add)],
        "security": list(container.security_options),
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
