"""A two-step job: one container builds the engine of a plan, a second one serves it.

TensorRT engines are bound to the version, the GPU generation and the split that they were built
for, and cannot serve more than the limits that they were built with.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.build_spec import BuildLimit, BuildRule
from app.core.engines.container import server_of
from app.core.engines.docker_run import docker_run_text
from app.core.engines.mounts import deployment_slug, place_model
from app.core.engines.parameters import Parameters
from app.core.engines.spec import EngineData, EngineFile
from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import ModelInfo
from app.core.texts import Text
from app.core.versions import in_span


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedLimit:
    """One limit of a built engine with its value here."""

    limit: BuildLimit
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStepJob:
    """Both containers; the second one starts when the first has ended with 0."""

    build: ContainerSpec
    serve: ContainerSpec
    limits: tuple[FixedLimit, ...]
    note: Text
    source: str


def two_step_job(
    engine: EngineData,
    version: str,
    *,
    parameters: Parameters,
    container: ContainerSpec,
    model: ModelInfo,
) -> TwoStepJob:
    """Turn a plan into a build and a serve step.

    Args:
        engine: Data of the engine.
        version: Version of the plan; both steps must have the same.
        parameters: The plan's values; they become the limits of the built engine.
        container: The plan's container: image, GPUs, mounts and rights are taken from it.
        model: The model; its weights must be those of the checkpoint, not quantized.

    Raises:
        PlanError: UNSUPPORTED_COMBINATION where this version builds nothing, the model has no
            conversion, or its weights are quantized.
    """
    rule = _rule(engine.engine, version)
    place = _Places(rule=rule, parameters=parameters, model=model, family=_family(rule, model))
    volume = Mount(source=rule.volume, target=rule.target, read_only=False, kind="volume")
    mounts = (*container.mounts, volume)
    steps = [shlex.join(place.words(step)) for step in (rule.convert, rule.build)]
    build = replace(
        container,
        name=f"{container.name}-build",
        entrypoint=(),
        command=("sh", "-c", " && ".join(steps)),
        mounts=mounts,
        container_port=0,
        host_port=0,
        secret_environment=(),
        labels={},
    )
    server = server_of(engine.engine)
    address = {"bind_address": server.bind_address, "port": str(server.container_port)}
    serve = replace(container, mounts=mounts, command=tuple(place.words(rule.serve, address)))
    limits = tuple(place.limits(rule))
    return TwoStepJob(build=build, serve=serve, limits=limits, note=rule.note, source=rule.source)


def two_step_text(job: TwoStepJob) -> str:
    """Return both steps as lines for a shell, with what the build fixes, in English."""
    fixed = [
        f"#   {limit.limit.flag} {limit.value}: {limit.limit.meaning.en}" for limit in job.limits
    ]
    return "\n".join(
        [
            f"# Step 1: build the engine. {job.note.en}",
            "# Fixed by the build; to change it, build again:",
            *fixed,
            docker_run_text(job.build),
            f"docker wait {job.build.name}   # 0 when the engine is built",
            "",
            "# Step 2: serve it.",
            docker_run_text(job.serve),
        ]
    )


def _rule(engine: EngineFile, version: str) -> BuildRule:
    for rule in engine.build:
        if in_span(version, rule.since, rule.until, engine.version_scheme):
            return rule
    spans = ", ".join(f"{rule.since} to {rule.until}" for rule in engine.build)
    raise _not_built(
        engine.name,
        f"no image of {version} builds an engine and serves it",
        f"Versions that do: {spans}." if spans else "This engine serves the model as it is.",
    )


def _family(rule: BuildRule, model: ModelInfo) -> str:
    if model.quantization.method != "none":
        raise _not_built(
            model.name,
            f"its weights are quantized ({model.quantization.method})",
            "Build from the unquantized checkpoint, or serve this one without building.",
        )
    kind = model.architecture.model_type
    for family in rule.family:
        if kind in family.model_types:
            return family.folder
    known = ", ".join(sorted(kind for family in rule.family for kind in family.model_types))
    raise _not_built(
        model.name,
        f"there is no known conversion of “{kind}” models",
        f"Serve it without building; conversions are known for {known}.",
    )


def _not_built(what: str, why: str, remedy: str) -> PlanError:
    return PlanError(
        ErrorCode.UNSUPPORTED_COMBINATION,
        {"engine": what},
        cause=f"No engine can be built for {what}: {why}.",
        remedy=remedy,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """What stands in the words' braces."""

    rule: BuildRule
    parameters: Parameters
    model: ModelInfo
    family: str

    def values(self) -> Mapping[str, str | None]:
        slug, target = deployment_slug(self.model), self.rule.target
        dtype = self.parameters.dtype
        fields = {
            name: None if (value := getattr(self.parameters, name)) is None else f"{value}"
            for name in self.parameters.__dataclass_fields__
        }
        return {
            **fields,
            "family": self.family,
            "model": place_model(self.model).path,
            "checkpoint": f"{target}/{slug}-checkpoint",
            "engine": f"{target}/{slug}-engine",
            "dtype": dtype if dtype != "auto" else self.model.dtype or "bfloat16",
        }

    def words(
        self, step: tuple[str, ...], further: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Yield the words of a step; a flag whose value is not set goes with it."""
        values = {**self.values(), **(further or {})}
        kept: list[str] = []
        for word in step:
            name = word[1:-1] if word.startswith("{") and word.endswith("}") else ""
            if name in values and values[name] is None:
                kept.pop()
                continue
            kept.append(word.format(**values))
        yield from kept

    def limits(self, rule: BuildRule) -> Iterator[FixedLimit]:
        words = [*self.words(rule.convert), *self.words(rule.build)]
        for limit in rule.limit:
            if limit.flag in words:
                value = words[words.index(limit.flag) + 1]
                yield FixedLimit(limit=limit, value=value)
