"""Read a host that somebody only thinks of: ``8x H100 80GB SXM, NVLink, 2 sockets, driver 550.54``.

Parts are separated by commas, in any order; the first that is no other known thing names GPUs.
Chinese words and signs are taken as well.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from app.core.errors import ErrorCode, UserInputError
from app.core.hardware.catalogue import GpuCatalogue, GpuModel
from app.core.hardware.fingerprint import GpuAccess
from app.core.units import parse_bytes

EXAMPLE: Final = "8x H100 80GB SXM, NVLink, 2 sockets, 1TB RAM, driver 550.54, CUDA 12.4, Docker 26"
GPU_LIMIT: Final = 64

_COUNTED = re.compile(
    r"(?:(?P<count>[0-9]{1,3})\s*(?:[x×*]|块|张|卡)\s*)?(?P<name>\S.*)", re.IGNORECASE
)
_MEMORY_WORD = re.compile(r"([0-9]{1,3})\s*gi?b?")
_FORM_WORDS: Final = ("sxm", "pcie", "nvl")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What was said; ``None`` was not."""

    gpus: tuple[GpuModel, ...] = ()
    """One for each GPU."""
    nvlink: bool | None = None
    sockets: int | None = None
    cores: int | None = None
    ram_bytes: int | None = None
    disk_bytes: int | None = None
    driver: str | None = None
    cuda: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    gpu_access: GpuAccess | None = None
    os_name: str | None = None
    kernel: str | None = None
    architecture: str | None = None
    mig: bool | None = None
    pcie_gen: int | None = None
    pcie_width: int | None = None


_Change = Callable[["WhatIf", re.Match[str]], "WhatIf"]
_VERSION: Final = r"v?([0-9]+(?:\.[0-9]+){0,3})"
_SIZE: Final = r"([0-9]+(?:\.[0-9]+)?\s*[KMGTP]i?B?)"
_SYSTEM: Final = (
    r"((?:Ubuntu|Debian|RHEL|Red Hat Enterprise Linux|Rocky(?: Linux)?|AlmaLinux|CentOS|SLES|"
    r"openSUSE|Fedora|Amazon Linux|openEuler|Kylin)(?:\s*[0-9][\w.]*)?(?:\s+LTS)?)"
)
_MACHINES: Final = {"amd64": "x86_64", "x86_64": "x86_64", "x86": "x86_64", "arm64": "aarch64",
                    "aarch64": "aarch64"}  # fmt: skip


def _bytes(text: str) -> int:
    size = re.sub(r"\s", "", text)
    return parse_bytes(size if size[-1] in "bB" else f"{size}B")


_PARTS: Final[tuple[tuple[str, _Change], ...]] = (
    (
        r"(?:no|without|无|没有)\s*(?:NVLink|NVSwitch)(?:\s*bridges?)?",
        lambda h, _: replace(h, nvlink=False),
    ),
    (
        r"(?:with\s+|有)?(?:NVLink|NVSwitch)(?:\s*(?:bridges?|桥))?",
        lambda h, _: replace(h, nvlink=True),
    ),
    (r"PCI-?e(?:\s+only)?", lambda h, _: replace(h, nvlink=False)),
    (
        r"PCI-?e\s*(?:gen\s*)?([1-7])(?:\.0)?(?:\s*[x×]\s*([0-9]{1,2}))?",
        lambda h, m: replace(h, pcie_gen=int(m[1]), pcie_width=int(m[2]) if m[2] else None),
    ),
    (
        r"([1-8])\s*(?:x\s*)?(?:sockets?|CPUs?|processors?|NUMA(?:\s+nodes?)?|路|个?\s*CPU|插槽)",
        lambda h, m: replace(h, sockets=int(m[1])),
    ),
    (r"(?:single|one|单)\s*-?\s*(?:sockets?|路)", lambda h, _: replace(h, sockets=1)),
    (r"(?:dual|two|双)\s*-?\s*(?:sockets?|路)", lambda h, _: replace(h, sockets=2)),
    (r"([0-9]{1,4})\s*(?:CPU\s+)?(?:cores?|核)", lambda h, m: replace(h, cores=int(m[1]))),
    (_SIZE + r"\s*(?:of\s+)?(?:RAM|memory|内存)", lambda h, m: replace(h, ram_bytes=_bytes(m[1]))),
    (r"(?:RAM|memory|内存)\s*" + _SIZE, lambda h, m: replace(h, ram_bytes=_bytes(m[1]))),
    (
        _SIZE + r"\s*(?:free\s+)?(?:disk|SSD|NVMe|磁盘|硬盘)",
        lambda h, m: replace(h, disk_bytes=_bytes(m[1])),
    ),
    (r"(?:disk|SSD|NVMe|磁盘|硬盘)\s*" + _SIZE, lambda h, m: replace(h, disk_bytes=_bytes(m[1]))),
    (
        r"(?:NVIDIA\s+)?(?:driver|驱动)\s*(?:version\s*)?" + _VERSION,
        lambda h, m: replace(h, driver=m[1]),
    ),
    (r"CUDA\s*" + _VERSION, lambda h, m: replace(h, cuda=m[1])),
    (
        r"(Docker|Podman)(?:\s*(?:engine\s*)?" + _VERSION + ")?",
        lambda h, m: replace(h, engine=m[1].lower(), engine_version=m[2]),
    ),
    (r"CDI", lambda h, _: replace(h, gpu_access=GpuAccess.CDI)),
    (
        r"(?:NVIDIA\s+)?(?:container\s+)?(?:toolkit|runtime)(?:\s*" + _VERSION + ")?",
        lambda h, _: replace(h, gpu_access=GpuAccess.NVIDIA_RUNTIME),
    ),
    (
        _SYSTEM,
        lambda h, m: replace(h, os_name=m[1]),
    ),
    (r"(?:kernel|Linux|内核)\s*([0-9]+\.[0-9]+\S*)", lambda h, m: replace(h, kernel=m[1])),
    (
        r"(x86_64|amd64|x86|arm64|aarch64)",
        lambda h, m: replace(h, architecture=_MACHINES[m[1].lower()]),
    ),
    (r"MIG", lambda h, _: replace(h, mig=True)),
)
_READERS: Final = tuple((re.compile(p, re.IGNORECASE), change) for p, change in _PARTS)
_KEYWORDS: Final = (
    "NVLink", "no NVLink", "PCIe", "sockets", "cores", "RAM", "driver", "CUDA", "Docker", "Podman",
    "CDI", "MIG", "disk", "kernel",
)  # fmt: skip


def read_what_if(text: str, catalogue: GpuCatalogue) -> WhatIf:
    """Read the parts.

    Raises:
        UserInputError: INVALID_INPUT for a part that means nothing, NOT_FOUND for an unknown GPU,
            with what was probably meant; INVALID_INPUT with candidates for an ambiguous one.
    """
    parts = [part.strip(" .。") for part in re.split(r"[,;，；、\n]|\s\+\s|\band\b", text)]
    host = WhatIf()
    wanted: list[str] = []
    for part in filter(None, parts):
        changed = _change(host, part)
        if changed is None:
            wanted.append(part)
        else:
            host = changed
    form = " PCIe" if any(part.lower() in {"pcie", "pci-e", "pcie only"} for part in parts) else ""
    gpus = tuple(gpu for part in wanted for gpu in _gpus(part, form, catalogue))
    if not gpus or len(gpus) > GPU_LIMIT:
        raise _refuse(
            text, f"It names {len(gpus)} GPUs; 1 to {GPU_LIMIT} can be thought of.", EXAMPLE
        )
    return replace(host, gpus=gpus)


def _change(host: WhatIf, part: str) -> WhatIf | None:
    for pattern, change in _READERS:
        match = pattern.fullmatch(part)
        if match is not None:
            return change(host, match)
    return None


def _gpus(part: str, form: str, catalogue: GpuCatalogue) -> tuple[GpuModel, ...]:
    match = _COUNTED.fullmatch(part)
    count, name = (match["count"], match["name"]) if match else (None, part)
    return (find_model(name, form, catalogue),) * int(count or 1)


def find_model(name: str, form: str, catalogue: GpuCatalogue) -> GpuModel:
    """Return the one product that ``name`` means.

    ``form`` is a form factor said elsewhere; it counts where it leaves something.

    Raises:
        UserInputError: NOT_FOUND or INVALID_INPUT, with candidates.
    """
    if exactly := catalogue.by_id(name.strip().lower()):
        return exactly
    found = _matching(name, catalogue)
    narrowed = [model for model in _matching(name + form, catalogue) if model in found]
    found = narrowed or found
    known = [model for model in found if model.memory_nominal_gb or model.memory_mib] or found
    if len(known) > 1:
        words = " ".join(_words(name))
        exact = [m for m in known if " ".join(_words(m.name)).endswith(words)]
        known = exact if len(exact) == 1 and found.count(exact[0]) else known
    if len(known) == 1:
        return known[0]
    if known:
        names = ", ".join(_called(model) for model in known[:6])
        raise _refuse(name, f"“{name}” can be: {names}.", f"2x {_called(known[0])}")
    raise _unknown(name, catalogue)


def _matching(name: str, catalogue: GpuCatalogue) -> list[GpuModel]:
    words = _words(name)
    sizes = {int(m[1]) for word in words if (m := _MEMORY_WORD.fullmatch(word))}
    forms = [word for word in words if word.rstrip("0123456789") in _FORM_WORDS]
    rest = [w for w in words if not _MEMORY_WORD.fullmatch(w) and w not in forms]
    if not rest:
        return []
    return [
        model
        for model in catalogue.gpu
        if set(rest) <= _tokens(model)
        and (not sizes or model.memory_nominal_gb in sizes)
        and all(_has_form(model, form) for form in forms)
    ]


def _words(text: str) -> list[str]:
    text = re.sub(r"([0-9]{2,3})\s+(gi?b)\b", r"\1\2", text.lower())
    return [
        word for word in re.split(r"[\s_()/-]+", text) if word not in {"", "nvidia", "gpu", "gpus"}
    ]


def _tokens(model: GpuModel) -> set[str]:
    return {*_words(model.id), *_words(model.name), *_words(model.architecture)}


def _has_form(model: GpuModel, form: str) -> bool:
    wanted = form.rstrip("0123456789")
    if wanted == "nvl":
        return "nvl" in _tokens(model)
    return model.form_factor.lower().startswith(form) or (
        model.form_factor.lower().startswith(wanted) and form == wanted
    )


def _called(model: GpuModel) -> str:
    """Return words that name this product only."""
    name = model.name.removeprefix("NVIDIA ").removeprefix("Tesla ")
    words = _words(name)
    if model.memory_nominal_gb and f"{model.memory_nominal_gb}gb" not in words:
        name = f"{name} {model.memory_nominal_gb}GB"
    form = model.form_factor.split()[0].rstrip("0123456789")
    is_said = any(word.startswith(form.lower()) for word in words)
    return name if is_said or form.lower() not in _FORM_WORDS else f"{name} {form}"


def _unknown(name: str, catalogue: GpuCatalogue) -> UserInputError:
    names = {" ".join(_words(model.name)): _called(model) for model in catalogue.gpu}
    names |= {word.lower(): word for word in _KEYWORDS}
    wanted = " ".join(_words(name)) or name.lower()
    near = get_close_matches(wanted, names, n=3, cutoff=0.6)
    if not near:
        near = [key for key in names if any(w in key for w in wanted.split() if len(w) > 2)][:3]
    meant = "还是".join(f"“{names[key]}”" for key in near)
    params: dict[str, object] = {
        "field": "what-if",
        "value": name,
        "finding_zh_CN": f"“{name}”既不是目录中的 GPU，也不是主机的其他部分。",
        "todo_zh_CN": f"{f'是指{meant}吗？' if near else ''}例如：{EXAMPLE}",
    }
    if near:
        params["suggestion"] = names[near[0]]
    remedy = f"Did you mean {' or '.join(f'“{names[key]}”' for key in near)}?" if near else ""
    return UserInputError(
        ErrorCode.NOT_FOUND,
        params,
        cause=f"“{name}” is neither a GPU of the catalogue nor another part of a host.",
        remedy=f"{remedy} For example: {EXAMPLE}".strip(),
    )


def _refuse(value: str, reason: str, example: str) -> UserInputError:
    return UserInputError(
        ErrorCode.INVALID_INPUT,
        {"field": "what-if", "value": value},
        cause=reason,
        remedy=f"Say which, for example: {example}",
    )
