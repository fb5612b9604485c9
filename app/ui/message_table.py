"""The sentences of each error code, English as the source; see `app.ui.messages`."""

from collections.abc import Mapping
from typing import Final

from app.core.errors import ErrorCode
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.message import Message
from app.ui.message_engines import ENGINE_MESSAGES
from app.ui.message_hosts import HOST_MESSAGES

_INPUT: Final[Mapping[ErrorCode, Message]] = {
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
}
"""What was entered."""

_FILES: Final[Mapping[ErrorCode, Message]] = {
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
"""Pitwall's own files, and what is left."""

MESSAGES: Final[Mapping[ErrorCode, Message]] = {
    **_INPUT,
    **HOST_MESSAGES,
    **ENGINE_MESSAGES,
    **_FILES,
}
