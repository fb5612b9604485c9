"""Read ``docker info`` as it is printed for people, into the shape of its JSON."""

import re
from collections.abc import Mapping
from typing import Final

_LINE = re.compile(r"^( *)([^:\n]+?):(?: (.*))?$")
_LIST_KEYS: Final = {
    "Security Options": "SecurityOptions",
    "CDI spec directories": "CDISpecDirs",
    "Discovered Devices": "DiscoveredDevices",
    "Labels": "Labels",
}
_KEYS: Final = {
    "Server Version": "ServerVersion",
    "Docker Root Dir": "DockerRootDir",
    "Default Runtime": "DefaultRuntime",
    "Cgroup Driver": "CgroupDriver",
    "Cgroup Version": "CgroupVersion",
    "Storage Driver": "Driver",
    "Kernel Version": "KernelVersion",
    "Operating System": "OperatingSystem",
    "Architecture": "Architecture",
    "Logging Driver": "LoggingDriver",
    "Name": "Name",
    "ID": "ID",
    "HTTP Proxy": "HttpProxy",
    "HTTPS Proxy": "HttpsProxy",
    "No Proxy": "NoProxy",
}


def read_info_text(text: str) -> Mapping[str, object] | None:
    """Return the values under their JSON names, ``None`` when this is no such text."""
    found: dict[str, object] = {}
    lists: dict[str, list[str]] = {}
    open_list: str | None = None
    for line in text.splitlines():
        match = _LINE.match(line[:1000].rstrip())  # no key or value is longer
        indent = len(line) - len(line.lstrip(" "))
        if line.startswith(("ERROR:", "Cannot connect")):
            found.setdefault("ServerErrors", [line.removeprefix("ERROR:").strip()])
        elif match is not None and indent <= 1:
            open_list = _take(match[2].strip(), (match[3] or "").strip(), found, lists)
        elif open_list is not None and indent == 2 and line.strip():
            lists[open_list].append(line.strip())
    if "ServerVersion" not in found and "ServerErrors" not in found:
        return None
    found["SecurityOptions"] = [f"name={word}" for word in lists.get("SecurityOptions", ())]
    if "CDISpecDirs" in lists:
        found["CDISpecDirs"] = lists["CDISpecDirs"]
    found["DiscoveredDevices"] = [
        {"Source": source.strip(), "ID": name.strip()}
        for source, _, name in (word.partition(":") for word in lists.get("DiscoveredDevices", ()))
    ]
    return found


def _take(
    key: str, value: str, found: dict[str, object], lists: dict[str, list[str]]
) -> str | None:
    """Keep one value; return the list that the lines below belong to."""
    if key in _LIST_KEYS:
        lists[_LIST_KEYS[key]] = value.split()
        return _LIST_KEYS[key]
    if key == "Runtimes":
        found["Runtimes"] = {word: {} for word in value.split()}
    elif key in _KEYS and value:
        found[_KEYS[key]] = value
    return None
