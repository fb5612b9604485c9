"""What is said when a model, a plan or an engine does not work out."""

from collections.abc import Mapping
from typing import Final

from app.core.errors import ErrorCode
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.message import Message

ENGINE_MESSAGES: Final[Mapping[ErrorCode, Message]] = {
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
        specific=QT_TRANSLATE_NOOP("Messages", "{engine} exited with code {exit_code}."),
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
}
