"""Is it one after all? Judgements on what a pattern found, and on paths and host names."""

import ipaddress
import re
from typing import Final

from app.core.bundle.kinds import (
    GENERIC_NAMES,
    KEPT_ROOTS,
    NO_HOSTS,
    PUBLIC_DOMAINS,
    is_top_domain,
)


def is_secret_value(found: re.Match[str]) -> bool:
    """Tell a secret from a setting that only sounds like one."""
    value, name = found["x"], found["name"]
    if value.lower() in {"none", "null", "true", "false", "auto", "***", "redacted", "yes", "no"}:
        return False
    begin = found.start("name")
    whole_name = found.string[max(begin - _LONGEST_NAME, 0) : begin] + name
    if _SPECIAL_TOKEN.search(whole_name) or value.startswith(("<", "/")):
        return False
    is_password = "pass" in name.lower() or "pwd" in name.lower()
    return is_password or not re.fullmatch(r"[\d.]+", value)


_LONGEST_NAME: Final = 12
_SPECIAL_TOKEN: Final = re.compile(
    r"(?i)(?:bos|eos|pad|unk|sep|cls|mask|stop|image|video|audio|start|end|think|tool|per|next|"
    r"last|first|max|min|num|special|prompt|output|input|a|the|each|draft|sink|cache)[_ -]?token$"
)


def is_name(found: re.Match[str]) -> bool:
    """Tell a name that identifies somebody from a common word."""
    value = found["x"].strip(".")
    return (
        value.lower() not in GENERIC_NAMES
        and len(value) > 1
        and not re.fullmatch(r"[\d.:_-]+", value)
        and not is_public(value)
    )


def is_name_or_number(found: re.Match[str]) -> bool:
    """Tell a serial number from a common word."""
    return found["x"].lower() not in GENERIC_NAMES


def is_dotted_host(found: re.Match[str]) -> bool:
    """Tell a host name from a file, a version or a name in code."""
    name = found["x"].lower()
    labels = name.split(".")
    if is_public(name) or labels[0] in NO_HOSTS or not is_top_domain(labels[-1]):
        return False
    if any(not label or len(label) > 63 for label in labels):
        return False
    # “v1.in”, “0.9.at”: a version or a call, not a host.
    return any(len(label) > 1 and not label.isdigit() for label in labels[:-1])


def is_public(name: str) -> bool:
    """Tell whether a host name is one that everybody uses."""
    lowered = name.lower().rstrip(".")
    return any(lowered == domain or lowered.endswith(f".{domain}") for domain in PUBLIC_DOMAINS)


def is_ipv4(found: re.Match[str]) -> bool:
    """Tell an address that points at somebody from loopback and “any”."""
    text = found["x"]
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or text in {"0.0.0.0", "255.255.255.255"})  # noqa: S104 - kept


def is_ipv6(found: re.Match[str]) -> bool:
    """Tell an address that points at somebody from loopback, “any” and a clock."""
    text = found["x"].partition("%")[0]
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_private(path: str) -> bool:
    """Tell whether a path is somebody's own, not the system's or the engine's image."""
    text = path.replace("\\/", "/")
    if text.startswith("/"):
        return len(text) > 2 and not f"{text}/".startswith(KEPT_ROOTS)
    return True


def is_private_path(found: re.Match[str]) -> bool:
    """Tell whether a path that was found is somebody's own."""
    return is_private(found["x"])


_UUID_INSIDE: Final = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-")


def is_random(found: re.Match[str]) -> bool:
    """Long, mixed and without the looks of a word: a key, whatever it opens."""
    text = found["x"]
    if (
        text.startswith("_Z")
        or _UUID_INSIDE.search(text)
        or text.count("_") > 4
        or text.count("-") > 6
    ):
        return False
    kinds = (any(map(test, text)) for test in (str.islower, str.isupper, str.isdigit))
    digits = sum(map(str.isdigit, text))
    return all(kinds) and digits * 20 >= len(text) and len(set(text)) * 3 >= min(len(text), 48)


def always(_found: re.Match[str]) -> bool:
    """Take everything that was found."""
    return True
