"""Launch texts among everything that is pasted; what ``docker inspect`` started is judged, too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from app.core.clinic.docker_words import variable_of
from app.core.clinic.launch import Container, LaunchKind, Option, Start
from app.core.clinic.origin import Chars, Span, Word
from app.core.clinic.recognise import may_launch
from app.core.clinic.report import Clinic, Knowledge, examine, judge
from app.core.documents.clinic import launch_result
from app.core.hardware.tools.json_access import child, items, parse_json, text_of
from app.core.inspect.kinds import Inspection, InspectKind
from app.core.inspect.mask import Masker

Around = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchReader:
    """Reads launch texts; the data are asked for when a text is worth it."""

    knowledge: Callable[[], Knowledge]
    version: str | None = None
    """Of the engine, where a text does not say it."""
    around: Around | None = None
    """Facts of the host that it is meant for."""

    def read(self, text: str) -> Inspection | None:
        """Read a launch text; ``None`` when it is none."""
        if not may_launch(text):
            return None
        clinic = examine(text, self.knowledge(), version=self.version, around=self.around)
        return None if clinic is None else _inspection(clinic)

    def beside(self, found: Inspection, text: str) -> Inspection:
        """Add to what ``docker inspect`` printed what is to be said of its command."""
        if found.kind is not InspectKind.DOCKER_INSPECT or not may_launch(text):
            return found
        clinic = _containers(text, self)
        if clinic is None:
            return found
        made = {**found.result, "clinic": launch_result(clinic, Masker(clinic))}
        return replace(found, result=made, clinic=clinic)


def _inspection(clinic: Clinic) -> Inspection:
    result = launch_result(clinic, Masker(clinic))
    plain = {field.name: getattr(result, field.name) for field in fields(result)}
    return Inspection(kind=InspectKind(clinic.kind.value), result=plain, clinic=clinic)


def _containers(text: str, reader: LaunchReader) -> Clinic | None:
    document = parse_json(text.strip().lstrip("\ufeff"))
    listed = document if isinstance(document, list) else [document]
    containers = [entry for entry in listed if isinstance(entry, dict)]
    starts = tuple(_start(container, text) for container in containers[:60])
    return judge(
        text,
        LaunchKind.DOCKER_INSPECT,
        starts,
        reader.knowledge(),
        version=reader.version,
        around=reader.around,
    )


def _start(document: Mapping[str, object], text: str) -> Start:
    config, host = child(document, "Config"), child(document, "HostConfig")
    image = text_of(config, "Image") or ""
    name = (text_of(document, "Name") or "").lstrip("/")
    return Start(
        kind=LaunchKind.DOCKER_INSPECT,
        name=name,
        words=_words(items(config, "Cmd"), text),
        container=Container(
            image=_word(image, text) if image else None,
            options={k: v for k, v in _options(host, text).items() if v},
        ),
        variables=tuple(variable_of(word) for word in _words(items(config, "Env"), text)),
        span=_place(f'"{name}"', text) if name else Span(begin=0, end=1),
    )


def _options(host: Mapping[str, object], text: str) -> dict[str, tuple[Option, ...]]:
    policy = text_of(child(host, "RestartPolicy"), "Name")
    shm = host.get("ShmSize")
    found: dict[str, tuple[Option, ...]] = {
        "network": _option(text_of(host, "NetworkMode"), text),
        "ipc": _option(text_of(host, "IpcMode"), text),
        "restart": _option(policy if policy != "no" else None, text),
        "runtime": _option(text_of(host, "Runtime"), text),
        "shm-size": _option(str(shm) if isinstance(shm, int) else None, text),
        "volume": _options_of(items(host, "Binds"), text),
        "privileged": _option("true" if host.get("Privileged") is True else None, text),
    }
    requests = [entry for entry in items(host, "DeviceRequests") if isinstance(entry, dict)]
    if requests:
        found["gpus"] = _option(_request(requests[0]), text)
    return found


def _request(request: Mapping[str, object]) -> str:
    ids = [str(entry) for entry in items(request, "DeviceIDs")]
    count = request.get("Count")
    return f"device={','.join(ids)}" if ids else "all" if count == -1 else str(count)


def _options_of(values: Sequence[object], text: str) -> tuple[Option, ...]:
    return tuple(option for value in values for option in _option(str(value), text))


def _option(value: str | None, text: str) -> tuple[Option, ...]:
    if not value:
        return ()
    place = _place(value, text)
    return (Option(value=value, span=place, whole=place),)


def _words(values: Sequence[object], text: str) -> tuple[Word, ...]:
    return tuple(_word(str(value), text) for value in values)


def _word(value: str, text: str) -> Word:
    place = _place(f'"{value}"', text)
    return Word(chars=Chars(value, (place.begin,) * len(value)))


def _place(value: str, text: str) -> Span:
    """Return where a value first stands; nothing is corrected in what docker printed."""
    begin = max(text.find(value), 0)
    return Span(begin=begin, end=min(begin + len(value), len(text)))
