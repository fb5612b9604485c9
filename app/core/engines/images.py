"""Which image of an engine runs on a host: newest version first, refusals with their reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from app.core.engines.spec import Device, EngineFile, ImageRule
from app.core.versions import driver_at_least, driver_key, in_span, newest_first


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTraits:
    """What an image asks about a host; ``None`` means unknown and refuses nothing."""

    device: Device
    architecture: str | None
    """As ``uname -m`` says."""
    driver: str | None = None
    capabilities: tuple[str | None, ...] = ()
    """Compute capability of each GPU that is to be used."""
    is_data_centre: bool = False
    """Whether the GPUs may use forward and minor-version compatibility."""


class ImageProblem(IntEnum):
    """Why an image does not run; a higher one was found later, so it says more."""

    NO_IMAGE = 0
    NO_GPU = 1
    CPU_ARCHITECTURE = 2
    COMPUTE_CAPABILITY = 3
    DRIVER_TOO_OLD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageChoice:
    """An image that runs here."""

    version: str
    rule: ImageRule
    reference: str
    by_compatibility: bool = False
    """The driver is older than the image's CUDA and relies on compatibility."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRefusal:
    """No image runs here, and the most telling reason."""

    version: str
    problem: ImageProblem
    rule: ImageRule | None = None
    wanted: str = ""
    """The driver or the generations that the image asks for."""
    found: str = ""


def choose_image(
    engine: EngineFile, host: HostTraits, *, version: str | None = None
) -> ImageChoice | ImageRefusal:
    """Choose the newest version whose image runs on the host, or check the one that is asked for.

    Versions above the engine's default are not proposed by themselves.
    """
    refusals: list[ImageRefusal] = []
    candidates = (version,) if version else proposed_versions(engine)
    for candidate in candidates:
        for rule in engine.image:
            if in_span(candidate, rule.since, rule.until, engine.version_scheme):
                answer = _judge(rule, candidate, host)
                if isinstance(answer, ImageChoice):
                    return answer
                refusals.append(answer)
    return _most_telling(refusals) or ImageRefusal(
        version=next(iter(candidates), ""), problem=ImageProblem.NO_IMAGE
    )


def proposed_versions(engine: EngineFile) -> tuple[str, ...]:
    """Return the examined versions up to the default, newest first."""
    ordered = newest_first(engine.versions, engine.version_scheme)
    if engine.default_version in ordered:
        return ordered[ordered.index(engine.default_version) :]
    return ordered


def image_reference(rule: ImageRule, version: str) -> str:
    """Return the image's name for one version."""
    return rule.reference.replace("{version}", version)


def rule_for_reference(engine: EngineFile, reference: str, version: str) -> ImageRule | None:
    """Find the rule that an image reference was made from."""
    for rule in engine.image:
        if image_reference(rule, version) == reference:
            return rule
    return None


def _most_telling(refusals: Sequence[ImageRefusal]) -> ImageRefusal | None:
    """The problem found last says most; among drivers the most modest demand, else the newest."""
    if not refusals:
        return None
    worst = max(refusal.problem for refusal in refusals)
    telling = [refusal for refusal in refusals if refusal.problem is worst]
    if worst is ImageProblem.DRIVER_TOO_OLD:
        return min(telling, key=lambda refusal: driver_key(refusal.wanted) or ())
    return telling[0]


def _judge(rule: ImageRule, version: str, host: HostTraits) -> ImageChoice | ImageRefusal:
    if rule.device is not host.device:
        return ImageRefusal(version=version, problem=ImageProblem.NO_GPU, rule=rule)
    if host.architecture is not None and host.architecture not in rule.architectures:
        return ImageRefusal(
            version=version,
            problem=ImageProblem.CPU_ARCHITECTURE,
            rule=rule,
            wanted=", ".join(rule.architectures),
            found=host.architecture,
        )
    if missing := _unsupported(rule, host.capabilities):
        return ImageRefusal(
            version=version,
            problem=ImageProblem.COMPUTE_CAPABILITY,
            rule=rule,
            wanted=", ".join(rule.compute_capabilities),
            found=missing,
        )
    return _judge_driver(rule, version, host)


def _unsupported(rule: ImageRule, capabilities: Sequence[str | None]) -> str:
    built = {*rule.compute_capabilities, *rule.jit_capabilities}
    for capability in capabilities:
        if capability is not None and built and capability not in built:
            return capability
    return ""


def _judge_driver(rule: ImageRule, version: str, host: HostTraits) -> ImageChoice | ImageRefusal:
    wanted = rule.min_driver
    if any(capability in rule.jit_capabilities for capability in host.capabilities):
        wanted = rule.jit_min_driver or wanted
    reference = image_reference(rule, version)
    if not wanted or driver_at_least(host.driver, wanted) is not False:
        return ImageChoice(version=version, rule=rule, reference=reference)
    least = (host.is_data_centre and rule.compat_min_driver) or wanted
    if least != wanted and driver_at_least(host.driver, least) is True:
        return ImageChoice(version=version, rule=rule, reference=reference, by_compatibility=True)
    return ImageRefusal(
        version=version,
        problem=ImageProblem.DRIVER_TOO_OLD,
        rule=rule,
        wanted=least,
        found=host.driver or "",
    )
