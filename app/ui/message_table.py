"""The sentences of each error code, English as the source; see `app.ui.messages`."""

from dataclasses import dataclass
from typing import Final

from app.core.errors import ErrorCode
from app.ui.i18n import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The sentences of one code, English as the source."""

    cause: str
    remedy: str
    specific: str = ""
    """The cause with names in braces; used when the error knows all of them."""


MESSAGES: Final = {
    ErrorCode.INVALID_INPUT: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Something that was entered cannot be used."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Correct the marked field and try again."),
        specific=QT_TRANSLATE_NOOP("Messages", "“{value}” cannot be used for {field}."),
    ),
    ErrorCode.NAME_TAKEN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The name is already in use."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Choose another name."),
        specific=QT_TRANSLATE_NOOP("Messages", "The name “{name}” is already in use."),
    ),
    ErrorCode.NOT_FOUND: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "What was asked for does not exist here."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Check the name; the list shows what there is."),
        specific=QT_TRANSLATE_NOOP("Messages", "“{name}” does not exist here."),
    ),
    ErrorCode.AMBIGUOUS: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The name fits more than one thing."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Write more of it, or choose from the list."),
        specific=QT_TRANSLATE_NOOP("Messages", "“{name}” fits more than one thing."),
    ),
    ErrorCode.FILE_UNREADABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The file could not be read."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Check that it exists and that you may read it."),
        specific=QT_TRANSLATE_NOOP("Messages", "{file} could not be read."),
    ),
    ErrorCode.FILE_UNWRITABLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The file could not be written."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Choose another folder, or free some space."),
        specific=QT_TRANSLATE_NOOP("Messages", "{file} could not be written."),
    ),
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
    ErrorCode.DOES_NOT_FIT: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The model does not fit into the GPU memory."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Use more GPUs, a smaller context, fewer requests at once or a quantized model.",
        ),
    ),
    ErrorCode.GPU_MEMORY_IN_USE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Something else uses the GPU's memory."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "The checks of the host say who; stop that, choose another GPU, or lower the engine's "
            "memory fraction.",
        ),
        specific=QT_TRANSLATE_NOOP(
            "Messages",
            "{used} of the GPU's memory are used by something else; the engine asks for "
            "{asked_gib} GiB when it starts, {missing_gib} GiB of it are not free.",
        ),
    ),
    ErrorCode.UNSUPPORTED_COMBINATION: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Engine, model and hardware do not go together."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Choose another engine or model; the plan shows the reasons.",
        ),
    ),
    ErrorCode.NO_PLAN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "No engine can serve this model on this host."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Look at the reasons, and loosen the goal or choose another model.",
        ),
    ),
    ErrorCode.MODEL_NOT_FOUND: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "There is no model at this place."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Choose a folder with config.json or a GGUF file."),
        specific=QT_TRANSLATE_NOOP("Messages", "There is no model at {path}."),
    ),
    ErrorCode.MODEL_CONFIG_MISSING: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The model folder has no config.json."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Copy the whole model folder to the host, with config.json.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "{path} has no config.json."),
    ),
    ErrorCode.MODEL_CONFIG_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The model's configuration cannot be read."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Copy the model again; the details name the broken field.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The configuration in {path} cannot be read."),
    ),
    ErrorCode.MODEL_NOT_WHOLE: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Files of the model are missing or damaged."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Complete the model; the plan's model step shows each finding with its cure.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "Files of {path} are missing or damaged."),
    ),
    ErrorCode.MODEL_UNSUPPORTED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "This kind of model is not supported."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Choose another model or a newer engine version."),
    ),
    ErrorCode.FLAG_UNKNOWN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "This engine version does not know the flag."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Remove it, or take the flag that replaced it."),
        specific=QT_TRANSLATE_NOOP("Messages", "This engine version does not know {flag}."),
    ),
    ErrorCode.ENGINE_EXITED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The engine exited."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Read the last lines of its log; they hold the reason.",
        ),
    ),
    ErrorCode.ENGINE_NEVER_READY: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The engine did not get ready in time."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Read its log; a large model may only need longer."),
    ),
    ErrorCode.ENGINE_OUT_OF_MEMORY: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The engine ran out of memory."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Lower the context or the concurrency, or use more GPUs.",
        ),
    ),
    ErrorCode.ENGINE_CRASH_LOOP: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The engine crashes again and again; it was stopped."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Read the log of the first crash, then change the plan.",
        ),
    ),
    ErrorCode.ENGINE_REFUSED_REQUEST: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The engine refused the request."),
        remedy=QT_TRANSLATE_NOOP("Messages", "The details show its answer."),
    ),
    ErrorCode.VERIFY_FAILED: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "The engine answers, but the test answer is not usable.",
        ),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Check the model's files and quantization; the details show the answer.",
        ),
    ),
    ErrorCode.STORE_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "Pitwall's database was damaged. It was kept aside; a new one is in use.",
        ),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Add your hosts again; what runs on them is found by itself.",
        ),
    ),
    ErrorCode.STORE_FULL: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The disk of this computer is full."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Free some space and try again."),
    ),
    ErrorCode.STORE_TOO_NEW: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The database was written by a newer Pitwall."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Use the newer version, or another folder."),
    ),
    ErrorCode.MIGRATION_FAILED: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "The database could not be brought to this version; it was left as it was.",
        ),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Report this with the details, and go on with the earlier version.",
        ),
    ),
    ErrorCode.SETTINGS_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "The settings could not be read. The file was kept aside; the defaults are in use.",
        ),
        remedy=QT_TRANSLATE_NOOP("Messages", "Set language, theme and folders again."),
    ),
    ErrorCode.PROFILE_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP(
            "Messages",
            "The profile cannot be read. The file was left as it is.",
        ),
        remedy=QT_TRANSLATE_NOOP("Messages", "Correct the named place, or save the plan again."),
        specific=QT_TRANSLATE_NOOP(
            "Messages",
            "The profile {file} cannot be read. The file was left as it is.",
        ),
    ),
    ErrorCode.FINGERPRINT_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "The fingerprint file cannot be read."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Choose a file that Pitwall saved, or take the fingerprint again.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The fingerprint file {file} cannot be read."),
    ),
    ErrorCode.DATA_FILE_BROKEN: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "A data file is broken."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Correct the named place, or remove your own version of the file.",
        ),
        specific=QT_TRANSLATE_NOOP("Messages", "The data file {file} is broken."),
    ),
    ErrorCode.CANCELLED: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Stopped as asked."),
        remedy=QT_TRANSLATE_NOOP("Messages", "Start it again when you like."),
    ),
    ErrorCode.INTERNAL: Message(
        cause=QT_TRANSLATE_NOOP("Messages", "Something inside Pitwall failed."),
        remedy=QT_TRANSLATE_NOOP(
            "Messages",
            "Try again; if it happens again, report it with the details.",
        ),
    ),
}
