"""Patterns of what nobody told us about: tokens, addresses, names in tell-tale places, paths.

Each finds the part to be replaced in the group ``x``. They lean towards taking out too much: a
log that lost a harmless word can still be read, a key that was sent cannot be called back.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.bundle.judging import (
    always,
    is_dotted_host,
    is_ipv4,
    is_ipv6,
    is_name,
    is_name_or_number,
    is_private_path,
    is_random,
    is_secret_value,
)
from app.core.bundle.kinds import RedactionKind
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
    needles: tuple[str, ...] = ()
    """Small letters; a text without any of them cannot match, which is quickly seen."""

    def may_match(self, lowered: str) -> bool:
        """Tell whether a text in small letters is worth searching."""
        return not self.needles or any(needle in lowered for needle in self.needles)


_NAME: Final = (
    r"(?P<name>(?:api[_-]?keys?|access[_-]?key(?:[_-]?id)?|secret(?:s|[_-]?(?:"
    r"access[_-]?)?key)?|private[_-]?key|(?<![A-Za-z])token|(?<=[a-z])(?-i:Token)"
    r"|passw(?:or)?d|passphrase|passwd|credentials?|auth[_-]?key|session[_-]?(?:id|key)|cookie"
    r"|license[_-]?key|x-amz-signature|x-amz-credential|webhook(?:[_-]?url)?))"
)
_QUOTE: Final = r"\\*[\"'`]"
_AT: Final = r"(?:\d{4}-\S+ )?"
"""The stamp that a line of a container's log begins with."""
_IN_VALUE: Final = r"[^\s\"'`\\,;&<>)\]}]"


def _find(
    kind: RedactionKind,
    regex: str,
    accept: Accept = always,
    *,
    everywhere: bool = True,
    needles: str = "",
) -> Pattern:
    return Pattern(
        kind=kind,
        regex=re.compile(regex),
        accept=accept,
        keep_whole=everywhere,
        needles=tuple(needles.split()),
    )


_NAMED: Final = "key token secret passw passphrase credential cookie session x-amz webhook"


_SECRETS: Final = (
    _find(
        K.SECRET,
        r"(?s)(?P<x>-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE "
        r"KEY-----|\Z))",
        everywhere=False,
        needles="private",
    ),
    _find(
        K.SECRET,
        r"\b[A-Za-z][A-Za-z0-9+.-]*:(?://|\\/\\/)(?P<x>[^\s/@\"'<>:]*:[^\s/@\"'<>]+)(?=@)",
        needles="@",
    ),
    _find(
        K.SECRET,
        r"(?i)\b(?:bearer|basic|digest|apikey|token)\s+(?P<x>[A-Za-z0-9_~+/.=-]{8,})",
        is_random,
        needles="bearer basic digest apikey token",
    ),
    _find(
        K.SECRET,
        r"(?i)\b(?:proxy-)?authorization\s*[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|digest)?\s*"
        rf"(?P<x>{_IN_VALUE}{{4,}})",
        needles="authorization",
    ),
    _find(
        K.SECRET,
        rf"(?i){_NAME}(?:{_QUOTE})?\s*(?:=>|[:=])\s*[\[(]?\s*"
        rf"{_QUOTE}(?P<x>[^\"'`\\\n]{{3,}})(?={_QUOTE})",
        is_secret_value,
        needles=_NAMED,
    ),
    _find(
        K.SECRET,
        rf"(?i){_NAME}(?:{_QUOTE})?\s*(?:=>|[:=])\s*[\[(]?\s*"
        rf"(?P<x>{_IN_VALUE}{{3,}})",
        is_secret_value,
        needles=_NAMED,
    ),
    _find(
        K.SECRET,
        r"(?i)(?P<name>--?[A-Za-z0-9_-]*(?:api-?key|[_-]token|password|passphrase|secret))"
        rf"(?:\s+|{_QUOTE}\s*,\s*{_QUOTE}|=)(?P<x>[^\s\"'`\\,;<>\-][^\s\"'`\\,;<>]{{2,}})",
        is_secret_value,
        needles="key token passw passphrase secret",
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
        needles="eyj",
    ),
)
_ADDRESSES: Final = (
    _find(
        K.EMAIL,
        r"(?<![\w.+%-])(?P<x>[\w.+-]+@(?!sha256)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
        r"\.[A-Za-z][A-Za-z0-9-]+)",
        needles="@",
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
        is_ipv6,
    ),
    _find(
        K.IPV4,
        r"(?<![\d.A-Za-z])(?<!so\.)(?<![=~><]=)(?P<x>\d{1,3}(?:\.\d{1,3}){3})(?!\d|\.\d)",
        is_ipv4,
    ),
    _find(K.IPV4, r"(?i)\bip-(?P<x>\d{1,3}(?:-\d{1,3}){3})(?!\d)"),
)
_HOSTS: Final = (
    _find(
        K.HOST, rf"(?m)^{_AT}(?P<x>[A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL", is_name, needles="nccl"
    ),
    _find(
        K.HOST,
        rf"(?m)^{_AT}[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (?P<x>[A-Za-z][\w.-]*) "
        r"[\w./()-]+(?:\[\d+\])?:",
        is_name,
    ),
    _find(
        K.HOST,
        r"(?m)^\d{4}-\d\d-\d\dT\S+ (?P<x>[A-Za-z][\w.-]*) [\w./-]+\[\d+\]:",
        is_name,
    ),
    _find(
        K.HOST,
        r"\bLinux (?P<x>[A-Za-z][\w.-]*) \d+\.\d+\.\d",
        is_name,
        needles="linux",
    ),
    _find(K.HOST, r"\[(?P<x>[A-Za-z][\w-]*(?:\.[\w-]+)*)\]:\d{2,5}\b", is_name, needles="]:"),
    _find(
        K.HOST,
        r"(?i)\b(?:hostname|host_name|host|nodename|node_name|master_addr|domainname|fqdn)"
        rf"(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?(?P<x>[A-Za-z][A-Za-z0-9.-]*)",
        is_name,
        needles="host node_name nodename master_addr domainname fqdn",
    ),
    _find(
        K.HOST,
        r"\b[A-Za-z][A-Za-z0-9+.-]*:(?://|\\/\\/)(?:[^\s/@\"']*@)?"
        r"(?P<x>[A-Za-z][A-Za-z0-9.-]*)(?=[:/\s\"'\\?#]|$)",
        is_name,
        needles=":// :\\/",
    ),
    _find(
        K.HOST,
        r"(?<![\w.+%@-])[\w.-]+@(?!sha256)(?P<x>[A-Za-z][\w.-]*)(?![\w@])",
        is_name,
        needles="@",
    ),
    _find(
        K.HOST,
        r"(?<![\w@.<-])(?P<x>[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+)(?![\w(]|[.-]\w)",
        is_dotted_host,
    ),
)
_USERS: Final = (
    _find(
        K.USER,
        r"(?<![\w.+%-])(?P<x>[A-Za-z_][\w.-]*)@(?=[A-Za-z<\d])(?!sha256)",
        is_name,
        needles="@",
    ),
    _find(
        K.USER,
        r"(?i)(?<![A-Za-z])(?:user(?:name)?|logname|login|owner|sudo_user)"
        rf"(?:{_QUOTE})?\s*[:=]\s*(?:{_QUOTE})?(?P<x>[A-Za-z_][\w.-]*)",
        is_name,
        needles="user logname login owner",
    ),
    _find(K.USER, r"\b(?:uid|gid|groups|euid)=\d+\((?P<x>[^)]+)\)", is_name, needles="id= groups="),
    _find(
        K.USER,
        r"(?i)\b(?:for|invalid|by) user \"?(?P<x>[A-Za-z_][\w.-]*)",
        is_name,
        needles="user",
    ),
    _find(
        K.USER,
        r"(?i)(?:/|\\/|\\+)(?:home|users)(?:/|\\/|\\+)(?P<x>[A-Za-z0-9_][\w.-]*)",
        is_name,
        needles="home users",
    ),
)
_PATHS: Final = (
    _find(
        K.PATH,
        r"(?P<q>[\"'`])(?P<x>/[^\"'`\n]{2,}?)(?=(?P=q))",
        is_private_path,
        everywhere=False,
    ),
    _find(
        K.PATH,
        r"(?<![\w/.)<>\]}*-])(?<!Route: )(?<!GET )(?<!POST )"
        r"(?P<x>(?:/[^\s\"'`|;,()\[\]{}=*\\/:]+)+/?)",
        is_private_path,
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
        is_private_path,
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
        is_name_or_number,
        needles="serial s/n asset wwn part machine",
    ),
    _find(
        K.SERIAL,
        r"(?i)\bserial(?:[ _-]?(?:no|number|num))?\b\.?(?:\s*[:=#]+\s*|\s+)"
        r"(?P<x>(?=[A-Z0-9-]*\d)[A-Za-z0-9-]{6,})\b",
        needles="serial",
    ),
    _find(
        K.SECRET,
        r"(?<![A-Za-z0-9_+/=.-])(?P<x>[A-Za-z0-9_+/-]{28,}={0,2})(?![A-Za-z0-9_+/-])",
        is_random,
    ),
)

PATTERNS: Final = (*_SECRETS, *_ADDRESSES, *_HOSTS, *_USERS, *_PATHS, *_REST)
"""In the order in which they are applied."""

KEYED: Final[tuple[tuple[RedactionKind, re.Pattern[str]], ...]] = (
    (K.SECRET, re.compile(rf"(?i){_NAME}\Z")),
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
