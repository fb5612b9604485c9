"""Everything that is installed for Pitwall to run: names, versions, licences and their texts.

Read from the distributions' own metadata, so that the list is complete by itself.
"""

import re
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Final

_ROOT: Final = "pitwall-desk"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TEXTS: Final = re.compile(r"(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$", re.IGNORECASE)
_LONGEST_LICENCE: Final = 80
_MOST_TEXT: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPart:
    """A distribution that Pitwall needs, itself or through another one."""

    name: str
    version: str
    licence: str
    home: str
    text: str
    """Its licence texts and notices, as they were shipped; empty where it ships none."""

    @property
    def plain_name(self) -> str:
        """The name as it compares."""
        return plain_name(self.name)


def installed_parts() -> tuple[InstalledPart, ...]:
    """Return what Pitwall's dependencies bring, by name; extras and other platforms left out."""
    found: dict[str, Distribution] = {}
    waiting = _needs(_ROOT)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for another platform or Python
            continue
        waiting += _needs(name)
    return tuple(_part(found[name]) for name in sorted(found))


def plain_name(name: str) -> str:
    """Return a distribution's name as it compares. Source: PyPA, “Names and normalization”."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _needs(name: str) -> list[str]:
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return []
    plain = (line for line in lines if "extra ==" not in line)
    return [plain_name(found[0]) for line in plain if (found := _NAME.match(line))]


def _part(one: Distribution) -> InstalledPart:
    names = [str(path) for path in one.files or () if _TEXTS.search(str(path))]
    inside = [name for name in names if ".dist-info/" in name]
    texts = (one.read_text(name.partition(".dist-info/")[2]) for name in inside)
    return InstalledPart(
        name=one.metadata["Name"],
        version=one.version,
        licence=_licence(one),
        home=_home(one),
        text="\n\n".join(text.strip("\n") for text in texts if text)[:_MOST_TEXT],
    )


def _licence(one: Distribution) -> str:
    text = _field(one, "License-Expression") or _field(one, "License").partition("\n")[0]
    if text and len(text) <= _LONGEST_LICENCE:
        return text
    classes = [c for c in one.metadata.get_all("Classifier") or () if c.startswith("License ::")]
    return " / ".join(c.rpartition(" :: ")[2] for c in classes) or "see its text"


def _home(one: Distribution) -> str:
    urls = [url.partition(", ") for url in one.metadata.get_all("Project-URL") or ()]
    best = sorted(
        (address for label, _, address in urls if label.lower() in {"homepage", "source", "home"}),
    )
    others = [address for _, _, address in urls]
    return _field(one, "Home-page") or (best or others or [""])[0]


def _field(one: Distribution, name: str) -> str:
    """Return a field that stands once; empty when it is missing."""
    return str(one.metadata[name]) if name in one.metadata else ""
