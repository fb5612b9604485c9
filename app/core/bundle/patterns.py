"""Patterns of what nobody told us about: tokens, addresses, names in tell-tale places, paths.

Each finds the part to be replaced in the group ``x``. They lean towards taking out too much: a
log that lost a harmless word can still be read, a key that was sent cannot be called back.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.bundle.kinds import (
    GENERIC_NAMES,
    KEPT_ROOTS,
    PUBLIC_DOMAINS,
    RedactionKind,
    is_top_domain,
)
from app.core.bundle.secrets import CUT

K = RedactionKind
Accept = Callable[[re.Match[str]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What to find, what it is, and when it is none after all."""

    kind: RedactionKind
    regex: re.Pattern[str]
    accept: Accept
    keep_whole: bool = False
    """True where the name may stand elsewhere alone: it is looked for everywhere then."""


def _is_secret_value(found: re.Match[str]) -> bool:
    value, name = found["x"], found.groupdict().get("name") or ""
    if value.lower() in {"none", "null", "true", "false", "auto", "***", "redacted", "yes", "no"}:
        return False
    if _SPECIAL_TOKEN.search(name) or value.startswith(("<", "/")):
        return False
    is_password = "pass" in name.lower() or "pwd" in name.lower()
    return is_password or not re.fullmatch(r"[\d.]+", value)


_SPECIAL_TOKEN: Final = re.compile(
    r"(?i)(?:bos|eos|pad|unk|sep|cls|mask|stop|image|video|audio|start|end|think|tool|per|next|"
    r"last|first|max|min|num|special|prompt|output|input|a|the|each|draft|sink|cache)[_ -]?token$"
)


def _is_name(found: re.Match[str]) -> bool:
    value = found["x"].strip(".")
    return (
        value.lower() not in GENERIC_NAMES
        and len(value) > 1
        and not re.fullmatch(r"[\d.:_-]+", value)
        and not is_public(value)
    )


def _is_name_or_number(found: re.Match[str]) -> bool:
    return found["x"].lower() not in GENERIC_NAMES


def _is_dotted_host(found: re.Match[str]) -> bool:
    name = found["x"].lower()
    labels = name.split(".")
    if is_public(name) or not is_top_domain(labels[-1]):
        return False
    if any(not label or len(label) > 63 for label in labels):
        return False
    # “v1.in”, “0.9.at”: a version or a call, not a host.
    return any(len(label) > 1 and not label.isdigit() for label in labels[:-1])


def is_public(name: str) -> bool:
    """Tell whether a host name is one that everybody uses."""
    lowered = name.lower().rstrip(".")
    return any(lowered == domain or lowered.endswith(f".{domain}") for domain in PUBLIC_DOMAINS)


def _is_ipv4(found: re.Match[str]) -> bool:
    text = found["x"]
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or text in {"0.0.0.0", "255.255.255.255"})  # noqa: S104 - kept


def _is_ipv6(found: re.Match[str]) -> bool:
    text = found["x"].partition("%")[0]
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_private_path(path: str) -> bool:
    """Tell whether a path is somebody's own, not the system's or the engine's image."""
    text = path.replace("\\/", "/")
    if text.startswith("/"):
        return len(text) > 2 and not f"{text}/".startswith(KEPT_ROOTS)
    return True


def _is_private_path(found: re.Match[str]) -> bool:
    return is_private_path(found["x"])


_UUID_INSIDE: Final = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-")


def _is_random(found: re.Match[str]) -> bool:
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


def _always(_found: re.Match[str]) -> bool:
    return True


_NAME: Final = (
    r"(?P<name>[A-Za-z0-9_.-]*?(?:api[_-]?keys?|access[_-]?key(?:[_-]?id)?|secret(?:s|[_-]?(?:"
    r"access[_-]?)?key)?|private[_-]?key|(?:^|(?<=[^A-Za-z]))token|[_-]token|[a-z](?=Token)Token"
    r"|passw(?:or)?d|passphrase|passwd|credentials?|auth[_-]?key|session[_-]?(?:id|key)|cookie"
    r"|license[_-]?key|x-amz-signature|x-amz-credential|webhook(?:[_-]?url)?))"
)
_QUOTE: Final = r"\\*[\"'`]"
_AT: Final = r"(?:\d{4}-\S+ )?"
"""The stamp that a line of a container's log begins with."""
_IN_VALUE: Final = r"[^\s\"'`\\,;&<>)\]}]"


def _find(
    kind: RedactionKind, regex: str, accept: Accept = _always, *, everywhere: bool = True
) -> Pattern:
    return Pattern(kind=kind, regex=re.compile(regex), accept=accept, keep_whole=everywhere)


_SECRETS: Final = (
    _find(
        K.SECRET,
        r"(?s)(?P<x>-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE "
        r"KEY-----|\Z))",
        everywhere=False,
    ),
    _find(
        K.SECRET,
        r"\b[A-Za-z][A-Za-z0-9+.-]*:(?://|\\/\\/)(?P<x>[^\s/@\"'<>:]*:[^\s/@\"'<>]+)(?=@)",
    ),
    _find(
        K.SECRET,
        r"(?i)\b(?:bearer|basic|digest|apikey|token)\s+(?P<x>[A-Za-z0-9_~+/.=-]{8,})",
        _is_random,
    ),
    _find(
        K.SECRET,
        r"(?i)\b(?:proxy-)?authorization\s*[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|digest)?\s*"
        rf"(?P<x>{_IN_VALUE}{{4,}})",
    ),
    _find(
        K.SECRET,
        rf"(?i)(?<![A-Za-z0-9]){_NAME}(?:{_QUOTE})?\s*(?:=>|[:=])\s*[\[(]?\s*"
        rf"{_QUOTE}(?P<x>[^\"'`\\\n]{{3,}})(?={_QUOTE})",
        _is_secret_value,
    ),
    _find(
        K.SECRET,
        rf"(?i)(?<![A-Za-z0-9]){_NAME}(?:{_QUOTE})?\s*(?:=>|[:=])\s*[\[(]?\s*"
        rf"(?P<x>{_IN_VALUE}{{3,}})",
        _is_secret_value,
    ),
    _find(
        K.SECRET,
        r"(?i)(?P<name>--?[A-Za-z0-9_-]*(?:api-?key|[_-]token|password|passphrase|secret))"
        rf"(?:\s+|{_QUOTE}\s*,\s*{_QUOTE}|=)(?P<x>[^\s\"'`\\,;<>\-][^\s\"'`\\,;<>]{{2,}})",
        _is_secret_value,
    ),
    _find(
        K.SECRET,
        r"(?<![A-Za-z0-9_])(?P<x>(?:hf_|api_org_|sk-|pk-|[rs]k_live_|gh[pousr]_|github_pat_|"
        r"glpat-|xox[abeprs]-|nvapi-|npm_|pypi-|dckr_[po]at_|dop_v1_|AKIA|ASIA|AIza|ya29\.|gsk_|"
        rf"r8_|lsv2_|wandb_|ATATT|shpat_)[A-Za-z0-9_.-]{{6,}}(?:{CUT}(?=[A-Za-z_-]*\d)"
        r"[A-Za-z0-9_-]{4,}(?![A-Za-z0-9_.:-]))?)",
    ),
    _find(
        K.SECRET,
        r"(?<![A-Za-z0-9_-])(?P<x>eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)",
    ),
)
_ADDRESSES: Final = (
    _find(
        K.EMAIL,
        r"(?<![\w.+%-])(?P<x>[\w.+-]+@(?!sha256)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
        r"\.[A-Za-z][A-Za-z0-9-]+)",
    ),
    _find(
        K.UUID, r"(?i)(?<![0-9a-f])(?P<x>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])"
    ),
    _find(K.UUID, r"(?<![0-9A-Za-z])(?P<x>[0-9a-f]{32}|[0-9A-F]{32})(?![0-9A-Za-z])"),
    _find(
        K.MAC,
        r"(?i)(?<![0-9a-f:-])(?P<x>[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\2[0-9a-f]{2}){4,18})"
        r"(?![0-9a-f:-])",
    ),
    _find(K.MAC, r"(?i)(?<![0-9a-f.])(?P<x>[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})(?![0-9a-f.])"),
    _find(K.MAC, r"(?i)(?<![0-9a-f:])(?P<x>(?:[0-9a-f]{4}:){3}[0-9a-f]{4})(?![0-9a-f:])"),
    _find(
        K.IPV6,
        r"(?<![\w:.])(?P<x>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}"
        r"(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3}|(?:(?<=:\d)|(?<=:\d\d)|(?<=:\d\d\d))"
        r"(?:\.\d{1,3}){3})?(?:%[A-Za-z0-9_.-]+)?)(?![\w:])",
        _is_ipv6,
    ),
    _find(
        K.IPV4,
        r"(?<![\d.A-Za-z])(?<!so\.)(?<![=~><]=)(?P<x>\d{1,3}(?:\.\d{1,3}){3})(?!\d|\.\d)",
        _is_ipv4,
    ),
    _find(K.IPV4, r"(?i)\bip-(?P<x>\d{1,3}(?:-\d{1,3}){3})(?!\d)"),
)
_HOSTS: Final = (
    _find(K.HOST, rf"(?m)^{_AT}(?P<x>[A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL", _is_name),
    _find(
        K.HOST,
        rf"(?m)^{_AT}[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (?P<x>[A-Za-z][\w.-]*) "
        r"[\w./()-]+(?:\[\d+\])?:",
        _is_name,
    ),
    _find(
        K.HOST,
        r"(?m)^\d{4}-\d\d-\d\dT\S+ (?P<x>[A-Za-z][\w.-]*) [\w./-]+\[\d+\]:",
        _is_name,
    ),
    _find(K.HOST, r"\bLinux (?P<x>[A-Za-z][\w.-]*) \d+\.\d+\.\d", _is_name),
    _find(K.HOST, r"\[(?P<x>[A-Za-z][\w-]*(?:\.[\w-]+)*)\]:\d{2,5}\b", _is_name),
    _find(
        K.HOST,
        r"(?i)\b(?:hostname|host_name|host|nodename|node_name|master_addr|domainname|fqdn)"
        rf"(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?(?P<x>[A-Za-z][A-Za-z0-9.-]*)",
        _is_name,
    ),
    _find(
        K.HOST,
        r"\b[A-Za-z][A-Za-z0-9+.-]*:(?://|\\/\\/)(?:[^\s/@\"']*@)?"
        r"(?P<x>[A-Za-z][A-Za-z0-9.-]*)(?=[:/\s\"'\\?#]|$)",
        _is_name,
    ),
    _find(K.HOST, r"(?<![\w.+%@-])[\w.-]+@(?!sha256)(?P<x>[A-Za-z][\w.-]*)(?![\w@])", _is_name),
    _find(
        K.HOST,
        r"(?<![\w@.<-])(?P<x>[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+)(?![\w(]|[.-]\w)",
        _is_dotted_host,
    ),
)
_USERS: Final = (
    _find(K.USER, r"(?<![\w.+%-])(?P<x>[A-Za-z_][\w.-]*)@(?=[A-Za-z<\d])(?!sha256)", _is_name),
    _find(
        K.USER,
        r"(?i)(?<![A-Za-z])(?:user(?:name)?|logname|login|owner|sudo_user)"
        rf"(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?(?P<x>[A-Za-z_][\w.-]*)",
        _is_name,
    ),
    _find(K.USER, r"\b(?:uid|gid|groups|euid)=\d+\((?P<x>[^)]+)\)", _is_name),
    _find(K.USER, r"(?i)\b(?:for|invalid|by) user \"?(?P<x>[A-Za-z_][\w.-]*)", _is_name),
    _find(
        K.USER,
        r"(?i)(?:/|\\/|\\+)(?:home|users)(?:/|\\/|\\+)(?P<x>[A-Za-z0-9_][\w.-]*)",
        _is_name,
    ),
)
_PATHS: Final = (
    _find(
        K.PATH,
        r"(?P<q>[\"'`])(?P<x>/[^\"'`\n]{2,}?)(?=(?P=q))",
        _is_private_path,
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![\w/.)<>\]*-])(?P<x>(?:/[^\s\"'`|;,()\[\]{}=*\\/:]+)+/?)",
        _is_private_path,
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![\w/.)<>\]*-])(?P<x>~[\w.-]*/[^\s\"'`|;,()\[\]{}=*\\:]+)",
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![\w/.)<>\]*])(?P<x>(?:\\/[^\s\"'`|;,()\[\]{}=*\\/:]+)+)",
        _is_private_path,
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![A-Za-z])(?P<x>[A-Za-z]:\\+(?!Windows|Program Files)[^\s\"'|*?]+)",
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![\w\\])(?P<x>\\\\[A-Za-z0-9][\w.-]*\\+[^\s\"'|*?]+)",
        everywhere=False,
    ),
)
_REST: Final = (
    _find(
        K.SERIAL,
        r"(?i)\b(?:serial(?:[ _-]?(?:no|number|num))?|s/n|asset[ _-]?tag|wwn|part[ _-]?number|"
        rf"machine[ _-]?id)\b\.?(?:{_QUOTE})?\s*[:=#]+\s*(?:{_QUOTE})?"
        r"(?P<x>[A-Za-z0-9][A-Za-z0-9._/-]{3,})",
        _is_name_or_number,
    ),
    _find(
        K.SERIAL,
        r"(?i)\bserial(?:[ _-]?(?:no|number|num))?\b\.?(?:\s*[:=#]+\s*|\s+)"
        r"(?P<x>(?=[A-Z0-9-]*\d)[A-Za-z0-9-]{6,})\b",
    ),
    _find(
        K.SECRET,
        r"(?<![A-Za-z0-9_+/=.-])(?P<x>[A-Za-z0-9_+/-]{28,}={0,2})(?![A-Za-z0-9_+/-])",
        _is_random,
    ),
)

PATTERNS: Final = (*_SECRETS, *_ADDRESSES, *_HOSTS, *_USERS, *_PATHS, *_REST)
"""In the order in which they are applied."""

KEYED: Final[tuple[tuple[RedactionKind, re.Pattern[str]], ...]] = (
    (K.SECRET, re.compile(rf"(?i)\A{_NAME}\Z")),
    (
        K.SERIAL,
        re.compile(
            r"(?i)(?:\A|_|[a-z])(?:serial(?:_?(?:number|no))?|wwn|asset_?tag|machine_?id"
            r"|part_?number|board_?id|chassis_?id)\Z"
        ),
    ),
    (K.UUID, re.compile(r"(?i)(?:\A|[^a-z])(?:uuid|guid)\Z")),
    (K.MAC, re.compile(r"(?i)mac_?address\Z|\Amac\Z")),
    (K.HOST, re.compile(r"(?i)\A(?:host_?name|host|node_?name|domain_?name|fqdn|server_name)\Z")),
    (K.USER, re.compile(r"(?i)\A(?:user(?:_?name)?|log_?name|login|owner|sudo_user)\Z")),
)
"""Names of keys in documents whose whole value is taken out."""
