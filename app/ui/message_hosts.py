"""What is said when a host, or containers on it, cannot be reached or asked."""

from collections.abc import Mapping
from typing import Final

from app.core.errors import ErrorCode
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.message import Message

HOST_MESSAGES: Final[Mapping[ErrorCode, Message]] = {
    ErrorCode.NO_DISPLAY: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "There is no display to open a window on."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Log in with a desktop, forward X11, or use the command line.",
        ),
    ),
    ErrorCode.HOST_UNREACHABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host does not answer."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Check address, port, network and VPN, then connect again.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "{host} does not answer on port {port}."),
    ),
    ErrorCode.HOST_NAME_UNKNOWN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host name cannot be resolved."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Check the spelling, or give the IP address."),
        specific=QT_TRANSLATE_NOOP("Messages", "The name {host} cannot be resolved."),
    ),
    ErrorCode.HOST_KEY_UNKNOWN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "This host was never seen before; its key is unknown."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Compare the key's SHA-256 with what its administrator says, then accept it.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The key of {host} is unknown: {sha256}."),
    ),
    ErrorCode.HOST_KEY_CHANGED: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "The host shows another key than before. It may have been reinstalled, or someone "
            "stands in between. Nothing secret was sent.",
        ),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Ask the host's administrator. Only when the change is confirmed, accept the new key.",
        ),
        specific=QT_TRANSLATE_NOOP(
            "Messages",
            "{host} shows another key than before. It may have been reinstalled, or someone "
            "stands in between. Nothing secret was sent.",
        ),
    ),
    ErrorCode.HOST_KEY_REVOKED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host's key is marked as revoked."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Do not connect; ask the host's administrator."),
        specific=QT_TRANSLATE_NOOP("Messages", "The key of {host} is marked as revoked."),
    ),
    ErrorCode.AUTH_FAILED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host refused the login."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Check user name, password or key."),
        specific=QT_TRANSLATE_NOOP("Messages", "{host} refused the login of {user}."),
    ),
    ErrorCode.PASSWORD_NEEDED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host asks for a password."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Enter it; it stays in memory unless you have it remembered in the system's keyring.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "{host} asks for the password of {user}."),
    ),
    ErrorCode.KEY_FILE_UNREADABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The key file cannot be used."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Check the path and the file's permissions, and enter its passphrase.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The key file {path} cannot be used."),
    ),
    ErrorCode.KEYRING_UNUSABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The system's keyring keeps nothing at the moment."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Unlock or start it, then try again; until then secrets are held in memory only.",
        ),
    ),
    ErrorCode.CONNECTION_LOST: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The connection to the host broke."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Pitwall tries again by itself; what runs on the host goes on.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The connection to {host} broke."),
    ),
    ErrorCode.NOT_CONNECTED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host is not connected."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Connect it first."),
        specific=QT_TRANSLATE_NOOP("Messages", "{host} is not connected."),
    ),
    ErrorCode.HOST_IS_RECORD: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "This host is a record; there is no connection to it."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Facts, topology, checks and plans work on it. To deploy, add the machine itself.",
        ),
        specific=QT_TRANSLATE_NOOP(
            "Messages", "{host} is a record of what was sent; there is no connection to it."
        ),
    ),
    ErrorCode.CHANNEL_REFUSED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host refused another channel on the connection."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Its SSH server may forbid forwarding or limit sessions; ask its administrator.",
        ),
    ),
    ErrorCode.COMMAND_TIMEOUT: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "A command on the host did not end in time."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Try again; when it stays so, look at the host's load and driver.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "“{command}” did not end in time on the host."),
    ),
    ErrorCode.COMMAND_FAILED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "A command on the host failed."),
        remedy=QT_TRANSLATE_NOOP("Messages", "The details show what it printed."),
        specific=QT_TRANSLATE_NOOP("Messages", "“{command}” failed on the host."),
    ),
    ErrorCode.TOOL_MISSING: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "A tool is missing on the host."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Install it there, or go on without the facts it gives.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "“{tool}” is missing on the host."),
    ),
    ErrorCode.PERMISSION_DENIED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host's user may not do this."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Use another user, or ask for the permission."),
        specific=QT_TRANSLATE_NOOP("Messages", "The host's user may not access {path}."),
    ),
    ErrorCode.DOCKER_NOT_FOUND: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "There is no container engine on the host."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Install Docker or Podman, or set the path of its socket.",
        ),
    ),
    ErrorCode.DOCKER_NOT_REACHABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The container engine does not answer."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Start the service on the host, or correct the path of its socket.",
        ),
    ),
    ErrorCode.DOCKER_PERMISSION: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The host's user may not use the container engine."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Add the user to the docker group, or use another user.",
        ),
    ),
    ErrorCode.DOCKER_REFUSED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The container engine refused the request."),
        remedy=QT_TRANSLATE_NOOP("Messages", "The details show its answer."),
    ),
    ErrorCode.IMAGE_MISSING: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The image is not on the host."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Let it be fetched, or load it from a file."),
        specific=QT_TRANSLATE_NOOP("Messages", "The image {image} is not on the host."),
    ),
    ErrorCode.PULL_FAILED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The image could not be fetched."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Check the network and the registry, or load the image from a file.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The image {image} could not be fetched."),
    ),
    ErrorCode.GPU_RUNTIME_MISSING: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Containers cannot use the GPUs of this host."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Install the NVIDIA Container Toolkit and restart the container engine.",
        ),
    ),
    ErrorCode.PORT_IN_USE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The port is in use on the host."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Choose another port, or stop what uses it."),
        specific=QT_TRANSLATE_NOOP("Messages", "Port {port} is in use on the host."),
    ),
    ErrorCode.CONTAINER_NOT_FOUND: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The container is gone."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Refresh the list; deploy again if it is still wanted.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The container {container} is gone."),
    ),
    ErrorCode.CONTAINER_NAME_TAKEN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "A container of this name exists already."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Choose another deployment name, or remove the old container.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "A container named {name} exists already."),
    ),
}
