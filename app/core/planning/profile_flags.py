"""A profile's flags on one host: checked against the version, completed by what the host knows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.deployment.spec import Profile, ProfileFlag
from app.core.engines.flags import FlagFinding, FlagProblem, GivenFlag, check_flags, find_flag
from app.core.engines.foreign import name_owners
from app.core.engines.served import listens_everywhere
from app.core.engines.spec import EngineData, FlagRule, PlanField
from app.core.errors import ErrorCode, PlanError
from app.core.models.architecture import ModelInfo
from app.core.planning.flag_values import estimate_options, neutral_values
from app.core.planning.profile import ASK
from app.core.versions import in_span

_OWN = frozenset({PlanField.MODEL, PlanField.API_KEY})
"""Fields that Pitwall sets for each deployment, whatever a profile says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flags:
    profile: Profile
    engine: EngineData
    version: str
    model: ModelInfo

    def rule(self, name: str) -> FlagRule | None:
        return find_flag(self.engine.flags, name, self.engine.engine, self.version)

    def rule_of(self, wanted: PlanField) -> FlagRule | None:
        scheme = self.engine.engine.version_scheme
        for rule in self.engine.flags.flag:
            if rule.plan_field is wanted and in_span(self.version, rule.since, rule.until, scheme):
                return rule
        return None


def resolve_flags(
    profile: Profile,
    *,
    engine: EngineData,
    version: str,
    model: ModelInfo,
    cores: int | None,
    others: Mapping[str, EngineData] = MappingProxyType({}),
) -> tuple[ProfileFlag, ...]:
    """Return the final flags beside those that Pitwall sets for the deployment itself.

    Raises:
        PlanError: FLAG_UNKNOWN with every problem; DOES_NOT_FIT for a context beyond the model.
    """
    flags = _Flags(profile=profile, engine=engine, version=version, model=model)
    given = tuple(GivenFlag(name=flag.name, value=flag.value) for flag in profile.flags)
    findings = check_flags(given, engine.flags, engine.engine, version)
    findings = name_owners(findings, engine, version, others)
    rules = {flag.name: flags.rule(flag.name) for flag in profile.flags}
    own = [flag.name for flag in profile.flags if _is_ours(flag, rules[flag.name])]
    if findings or own:
        raise _refused(flags, findings, own)
    kept = tuple(_limited(flags, flag, rules[flag.name]) for flag in profile.flags)
    has_threads = any(_carries(rule, frozenset({PlanField.THREADS})) for rule in rules.values())
    if cores is None or has_threads or not _computes_on_cpu(flags):
        return kept
    return (*kept, *_threads(flags, cores))


def _computes_on_cpu(flags: _Flags) -> bool:
    """Tell whether layers, or the experts of some, stay in main memory."""
    profile, layers = flags.profile, flags.model.architecture.layers
    options = estimate_options(neutral_values(flags.engine, flags.version, profile.flags))
    on_gpus = layers + 1 if options.gpu_layers is None else options.gpu_layers
    return not profile.gpu_count or options.cpu_moe_layers > 0 or on_gpus <= layers


def _refused(flags: _Flags, findings: tuple[FlagFinding, ...], own: list[str]) -> PlanError:
    sentences = [finding.sentence for finding in findings]
    sentences += [f"{name} is set by Pitwall itself." for name in own]
    newer = any(finding.problem is FlagProblem.NOT_YET for finding in findings)
    hint = " Newer flags need a newer engine version." if newer else ""
    return PlanError(
        ErrorCode.FLAG_UNKNOWN,
        {"flags": " ".join([*(f.flag for f in findings), *own]), "version": flags.version},
        cause=f"{flags.engine.engine.name} {flags.version} cannot take these flags: "
        + " ".join(sentences),
        remedy=f"Correct them in the profile.{hint}",
    )


def _is_ours(flag: ProfileFlag, rule: FlagRule | None) -> bool:
    """Tell whether Pitwall decides this: a server must be reached through its published port."""
    address = flag.value or ""
    return _carries(rule, _OWN) or (
        _carries(rule, frozenset({PlanField.HOST})) and not listens_everywhere(address)
    )


def _carries(rule: FlagRule | None, fields: frozenset[PlanField]) -> bool:
    return rule is not None and rule.plan_field in fields


def _limited(flags: _Flags, flag: ProfileFlag, rule: FlagRule | None) -> ProfileFlag:
    """Cut the context to the model's own where the profile leaves the model open."""
    profile, limit = flags.profile, flags.model.architecture.max_context
    wanted = profile.context_tokens
    if rule is None or rule.plan_field is not PlanField.CONTEXT_TOKENS:
        return flag
    if limit is None or wanted is None or wanted <= limit:
        return flag
    if profile.model != ASK:
        raise PlanError(
            ErrorCode.DOES_NOT_FIT,
            {"context_tokens": wanted, "model_max_context": limit},
            cause=f"The profile asks for {wanted} tokens of context; {flags.model.name} was made "
            f"for {limit}.",
            remedy=f"Lower the profile's context to at most {limit} tokens.",
        )
    times = (profile.concurrency or 1) if rule.times is not None else 1
    return replace(flag, value=str(limit * times + rule.offset))


def _threads(flags: _Flags, cores: int) -> tuple[ProfileFlag, ...]:
    rule = flags.rule_of(PlanField.THREADS)
    if rule is None:
        return ()
    return (
        ProfileFlag(
            name=rule.name,
            value=str(cores),
            why="One thread per physical core of the host.",
            why_zh_CN="主机每个物理核心一个线程。",
        ),
    )
