"""What a container engine's refusals mean, and what can be done about them.

Texts of Docker's own messages: recorded with 20.10.24, and facts of the GPU stack
(stack-compat, checked 2026-09).
"""

import re

import docker.errors

from app.core.errors import DockerError, ErrorCode

_PORT = re.compile(r":(\d+)(?: failed: port is already allocated|: bind: address already in use)")
_PORT_TAKEN = ("port is already allocated", "address already in use")
_NO_GPU = (
    "could not select device driver",
    "unknown or invalid runtime name",
    "unknown runtime specified",
    "unresolvable cdi devices",
    "cdi device injection failed",
    "failed to discover gpu vendor",
    "nvidia-container-cli",
    "cdi is not",
)
_TEXT_LIMIT = 1500


def refusal(problem: docker.errors.APIError, what: str) -> DockerError:
    """Turn an answer of the engine into our error.

    Args:
        problem: What docker-py raised.
        what: Container, image or call it was about.
    """
    text = str(problem.explanation or problem)
    lower = text.lower()
    if any(mark in lower for mark in _PORT_TAKEN):
        return _port_in_use(text)
    if any(mark in lower for mark in _NO_GPU):
        return _no_gpu_runtime(text)
    if "no such image" in lower:
        return _image_missing(what, text)
    if problem.status_code == 404 and "no such container" in lower:
        return container_not_found(what)
    if problem.status_code == 409 and "already in use by container" in lower:
        return _name_taken(what)
    return refused(what, text)


def refused(what: str, text: str) -> DockerError:
    """The engine said no for a reason of its own."""
    return DockerError(
        ErrorCode.DOCKER_REFUSED,
        {"what": what, "said": text[:_TEXT_LIMIT]},
        cause=f"The container engine refused “{what}”: {text[:300].rstrip('. ')}.",
        remedy="Correct what it names and try again.",
        details=text[:_TEXT_LIMIT],
    )


def container_not_found(container: str) -> DockerError:
    """There is no such container."""
    return DockerError(
        ErrorCode.CONTAINER_NOT_FOUND,
        {"container": container},
        cause=f"There is no container “{container}”.",
        remedy="It was removed, perhaps by someone else: refresh the list.",
    )


def pull_failed(image: str, text: str) -> DockerError:
    """An image cannot be fetched."""
    return DockerError(
        ErrorCode.PULL_FAILED,
        {"image": image, "said": text[:_TEXT_LIMIT]},
        cause=f"The image {image} could not be fetched: {text[:300].rstrip('. ')}.",
        remedy="Check the name, and that the host may reach the registry; or load the image there "
        "from a file (docker load).",
        details=text[:_TEXT_LIMIT],
    )


def secret_missing(name: str) -> DockerError:
    """A container needs a secret that was not given."""
    return DockerError(
        ErrorCode.DOCKER_REFUSED,
        {"what": name, "said": ""},
        cause=f"The container needs a value for {name}, and there is none.",
        remedy="Enter it again; it was kept in memory only.",
    )


def unsupported_api(version: str) -> DockerError:
    """The engine is too old or does not say what it is."""
    return DockerError(
        ErrorCode.DOCKER_NOT_REACHABLE,
        {"api_version": version},
        cause=f"The container engine speaks API {version or '?'}; Pitwall needs 1.41 or newer.",
        remedy="Update Docker on the host to 20.10 or newer.",
    )


def not_reachable(reason: str) -> DockerError:
    """A socket is there, but no engine answers."""
    return DockerError(
        ErrorCode.DOCKER_NOT_REACHABLE,
        {"reason": reason},
        cause=f"The container engine on the host does not answer ({reason}).",
        remedy="Start it there (systemctl start docker) or look at its log.",
        details=reason,
    )


def not_found(details: str) -> DockerError:
    """There is no engine that we could find."""
    return DockerError(
        ErrorCode.DOCKER_NOT_FOUND,
        {},
        cause="No container engine was found on the host.",
        remedy="Install Docker 20.10 or newer, or enter the path of its socket in the host's "
        "settings.",
        details=details,
    )


def no_such_socket(path: str, details: str) -> DockerError:
    """The socket in the host's settings is not there."""
    return DockerError(
        ErrorCode.DOCKER_NOT_FOUND,
        {"socket": path},
        cause=f"There is no socket {path} on the host, or its folder is closed to this user.",
        remedy="Correct the socket's path in the host's settings, or leave it empty: then the "
        "usual places are tried.",
        details=details,
    )


def no_permission(user: str, socket_path: str, details: str) -> DockerError:
    """The user may not talk to the engine."""
    return DockerError(
        ErrorCode.DOCKER_PERMISSION,
        {"user": user, "socket": socket_path},
        cause=f"The user {user} may not use the container engine ({socket_path}).",
        remedy=f"Have the user added to the docker group (usermod -aG docker {user}, then log in "
        "again), or allow “sudo -n docker system dial-stdio”.",
        details=details,
    )


def _port_in_use(text: str) -> DockerError:
    found = _PORT.search(text)
    port = found[1] if found else ""
    return DockerError(
        ErrorCode.PORT_IN_USE,
        {"port": port},
        cause=f"Port {port or '(see details)'} of the host is in use.",
        remedy="Choose another port, or stop what uses it.",
        details=text[:_TEXT_LIMIT],
    )


def _no_gpu_runtime(text: str) -> DockerError:
    return DockerError(
        ErrorCode.GPU_RUNTIME_MISSING,
        {"said": text[:_TEXT_LIMIT]},
        cause="The container engine cannot hand GPUs to a container.",
        remedy="Install or repair the NVIDIA Container Toolkit (1.17.8 or newer) on the host; "
        "after a driver update renew its CDI file (nvidia-ctk cdi generate).",
        details=text[:_TEXT_LIMIT],
    )


def _image_missing(image: str, text: str) -> DockerError:
    return DockerError(
        ErrorCode.IMAGE_MISSING,
        {"image": image},
        cause=f"The host does not have the image “{image}”.",
        remedy="Fetch it first, or load it from a file.",
        details=text[:_TEXT_LIMIT],
    )


def _name_taken(name: str) -> DockerError:
    return DockerError(
        ErrorCode.CONTAINER_NAME_TAKEN,
        {"container": name},
        cause=f"A container named “{name}” exists already.",
        remedy="Remove it or choose another name.",
    )
