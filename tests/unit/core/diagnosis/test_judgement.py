"""What comes first, what is no failure, and when the cause is not in the log."""

import pytest
from fakes.diagnosis_rules import advice_for, causes_of, diagnose, rule, rule_set, text

from app.core.deployment.spec import ContainerSpec, DeploymentSpec
from app.core.diagnosis.context import DiagnosisContext
from app.core.diagnosis.finding import Confidence, ParameterChange, PlanChange, Verdict
from app.core.diagnosis.log_diagnosis import LogDiagnosis, diagnose_text
from app.core.diagnosis.rules import Role, Scope

BEGIN = "INFO 11-29 19:00:00 [api.py:1] server version 0.9.1\n"
READY = "INFO:     Application startup complete.\n"
WRAPPER = rule("wrapped", role=Role.WRAPPER, any=("core failed to start",))
PEER = rule("peer", role=Role.PEER_DEATH, any=("closed by peer",), confidence=Confidence.MEDIUM)


def causes(diagnosis):
    return [finding.cause for finding in diagnosis.findings]


def test_empty_log_says_nothing():
    assert diagnose("", rule()).verdict is Verdict.NOTHING_FOUND


def test_engine_that_serves_is_healthy():
    assert diagnose(BEGIN + READY, rule()).verdict is Verdict.HEALTHY


def test_quiet_lines_that_name_errors_are_no_cause():
    log = "INFO 11-29 19:00:00 [a.py:1] will retry if out of memory\nDEBUG:  out of memory\n"

    assert diagnose(log, rule()).primary is None
    assert diagnose(log, rule(levels=("debug",))).primary is not None


def test_wrapper_alone_means_not_in_this_log():
    collect = {"wrapped": advice_for([WRAPPER], collect=(text("the whole log"),))["wrapped"]}

    found = diagnose("ERROR: core failed to start\n", WRAPPER, advice=collect)

    assert (found.primary, found.verdict) == (None, Verdict.NOT_IN_LOG)
    assert found.collect == (text("the whole log"),)
    assert causes(found) == ["wrapped"]


def test_wrapper_beside_an_unknown_fault_is_not_called_missing():
    found = diagnose("ValueError: odd\nERROR: core failed to start\n", WRAPPER)

    assert found.verdict is Verdict.NOTHING_FOUND
    assert [one.text for one in found.telling] == ["ValueError: odd"]


def test_cause_beats_wrapper_and_peer():
    log = "closed by peer\ncore failed to start\nout of memory\n"

    found = diagnose(log, rule(), WRAPPER, PEER)

    assert causes(found) == ["no_room", "peer"]
    assert found.verdict is Verdict.CAUSE_FOUND


def test_peer_death_alone_points_elsewhere():
    found = diagnose("closed by peer\n", rule(), PEER)

    assert found.primary is not None
    assert (found.primary.cause, found.verdict) == ("peer", Verdict.NOT_IN_LOG)


def test_consequence_ranks_below_a_less_sure_cause():
    effect = rule("effect", role=Role.CONSEQUENCE, any=("worker lost",))
    log = "worker lost\nout of memory\n"

    assert causes(diagnose(log, effect, rule(confidence=Confidence.LOW))) == ["no_room", "effect"]
    assert causes(diagnose("worker lost\n", effect)) == ["effect"]


def test_recovered_alone_is_no_failure():
    retried = rule("retried", role=Role.RECOVERED, any=("trying again",), supersedes=("no_room",))

    found = diagnose("out of memory\nWARNING: trying again\n", rule(), retried)

    assert (found.primary, found.verdict) == (None, Verdict.NOT_A_FAILURE)
    assert causes(found) == ["retried"]


def test_what_fails_again_after_a_retry_is_a_cause():
    retried = rule("retried", role=Role.RECOVERED, any=("trying again",), supersedes=("no_room",))
    log = "out of memory\nWARNING: trying again\nout of memory\n"

    assert diagnose(log, rule(), retried).verdict is Verdict.CAUSE_FOUND


def test_what_a_client_said_is_no_fault():
    log = f"{BEGIN}{READY}ERROR got request r1: prompt: 'why out of memory?'\n"

    assert diagnose(log, rule()).primary is None
    assert diagnose(log.replace("request r1: prompt: ", ""), rule()).primary is not None


def test_own_words_before_a_quotation_count():
    log = f"{BEGIN}{READY}ERROR out of memory at request r1: prompt: 'tell me a story'\n"

    assert diagnose(log, rule()).primary is not None


def test_fault_after_which_the_engine_served_on_is_not_sure():
    found = diagnose(f"{BEGIN}{READY}out of memory\n{READY}", rule()).primary
    last = diagnose(f"{BEGIN}{READY}{READY}out of memory\n", rule()).primary

    assert found is not None
    assert found.confidence is Confidence.MEDIUM
    assert last is not None
    assert last.confidence is Confidence.HIGH


def test_fault_before_the_engine_got_ready_is_over():
    log = f"{BEGIN}out of memory\n{READY}"

    assert diagnose(log, rule()).verdict is Verdict.HEALTHY
    assert diagnose(log, rule(stays_when_ready=True)).verdict is Verdict.CAUSE_FOUND
    assert diagnose(log + "out of memory\n", rule()).verdict is Verdict.CAUSE_FOUND


def test_explained_cause_ranks_below_what_explains_it():
    deeper = rule("deeper", any=("no shared memory",), supersedes=("no_room",))

    assert causes(diagnose("out of memory\nno shared memory\n", rule(), deeper)) == [
        "deeper",
        "no_room",
    ]


def test_of_two_that_explain_each_other_priority_decides():
    one = rule("one", any=("out of memory",), supersedes=("two",), priority=40)
    two = rule("two", any=("out of memory",), supersedes=("one",), priority=60)

    assert causes(diagnose("out of memory\n", one, two)) == ["two", "one"]


def test_earlier_of_equal_causes_comes_first_and_neither_is_sure():
    found = diagnose("disk lost\nout of memory\n", rule(), rule("disk", any=("disk lost",)))

    assert causes(found) == ["disk", "no_room"]
    assert {one.confidence for one in found.findings} == {Confidence.MEDIUM}


def test_priority_settles_two_sure_causes():
    first = rule("disk", any=("disk lost",), priority=60)

    found = diagnose("out of memory\ndisk lost\n", rule(), first)

    assert found.primary is not None
    assert (found.primary.cause, found.primary.confidence) == ("disk", Confidence.HIGH)


def test_sure_cause_beside_a_likely_one_is_not_sure():
    likely = rule("disk", any=("disk lost",), confidence=Confidence.MEDIUM)

    found = diagnose("out of memory\ndisk lost\n", rule(), likely)

    assert [(one.cause, one.confidence) for one in found.findings] == [
        ("no_room", Confidence.MEDIUM),
        ("disk", Confidence.MEDIUM),
    ]


def test_hint_raises_no_doubt():
    hint = rule("disk", any=("disk lost",), confidence=Confidence.LOW)

    primary = diagnose("out of memory\ndisk lost\n", rule(), hint).primary

    assert primary is not None
    assert primary.confidence is Confidence.HIGH


@pytest.mark.parametrize(
    "warning",
    ["WARNING: old disk", "/x/cuda.py:61: FutureWarning: old disk", "[WARNING] old disk"],
)
def test_warning_is_never_sure_and_ranks_below_errors(warning):
    old = rule("disk", any=("old disk",), priority=60)

    alone = diagnose(f"{warning}\n", old).primary
    both = diagnose(f"{warning}\nout of memory\n", rule(), old)

    assert alone is not None
    assert (alone.cause, alone.confidence) == ("disk", Confidence.MEDIUM)
    assert causes(both) == ["no_room", "disk"]


def test_warning_that_a_rule_asks_for_counts_fully():
    asked = rule("disk", any=("old disk",), levels=("warning",))
    nccl = rule("nccl", any=("NCCL WARN",))

    assert diagnose("WARNING: old disk\n", asked).findings[0].confidence is Confidence.HIGH
    log = "host:7:7 [0] NCCL WARN segment lost\n"
    assert diagnose(log, nccl).findings[0].confidence is Confidence.HIGH


def test_rules_of_one_cause_make_one_finding_with_all_lines():
    other = rule(id="r.other", any=("no space",), confidence=Confidence.MEDIUM, priority=60)

    found = diagnose("out of memory\nno space\n", rule(), other)

    assert causes(found) == ["no_room"]
    assert found.primary is not None
    assert [one.line for one in found.primary.evidence] == [2, 1]
    assert found.primary.confidence is Confidence.HIGH


SURROUNDED = "first sign\nout of memory\nlater sign\n"


@pytest.mark.parametrize(
    ("kept", "holds"),
    [
        ({"also": ("first sign", "later sign")}, True),
        ({"also": ("missing sign",)}, False),
        ({"also": ("first sign",), "ordered": True}, True),
        ({"also": ("later sign",), "ordered": True}, False),
        ({"after": ("first sign",)}, True),
        ({"after": ("later sign",)}, False),
        ({"before": ("later sign",)}, True),
        ({"before": ("first sign",)}, False),
        ({"none": ("missing sign",)}, True),
        ({"none": ("later sign",)}, False),
        ({"none_before": ("later sign",)}, True),
        ({"none_before": ("first sign",)}, False),
        ({"none_after": ("first sign",)}, True),
        ({"none_after": ("later sign",)}, False),
        ({"last": 1}, True),
        ({"last": 1, "any": ("first sign",)}, False),
        ({"engines": ("vllm",)}, True),
        ({"versions": ">=0.8,<0.9"}, True),
        ({"levels": ("error",)}, False),
        ({"phases": ("load",)}, False),
        ({"frames": (":load",)}, False),
        ({"needs": ("need > have",)}, False),
        ({"facts": ("need > have",)}, True),
        ({"facts": ("restart_count > 9",)}, False),
    ],
)
def test_surroundings_decide(kept, holds):
    context = DiagnosisContext(restart_count=0)

    assert (diagnose(SURROUNDED, rule(**kept), context=context).primary is not None) is holds


def test_company_counts_only_near_and_in_the_same_process():
    log = "[rank0]: first sign\n" + "x\n" * 9 + "[rank1]: out of memory\n"

    assert diagnose(log, rule(also=("first sign",), within=20)).primary is not None
    assert diagnose(log, rule(also=("first sign",), within=3)).primary is None
    assert diagnose(log, rule(also=("first sign",), same_rank=True)).primary is None


def test_scope_of_the_log_looks_over_all_starts():
    log = f"{BEGIN}no room at 0.85\n{BEGIN.replace('19:00', '19:09')}out of memory\n"
    wide = rule(also=("no room at",), scope=Scope.LOG)

    assert diagnose(log, wide).primary is not None
    assert diagnose(log, rule(also=("no room at",))).primary is None


def test_several_ranks_on_one_device_are_counted():
    shared = rule(
        any=(r"\[RANK (?P<rank>\d)\] GPU (?P<gpu>\d) is full",), distinct_ranks=2, same="gpu"
    )

    assert diagnose("[RANK 1] GPU 0 is full\n[RANK 2] GPU 0 is full\n", shared).primary is not None
    assert diagnose("[RANK 1] GPU 0 is full\n[RANK 2] GPU 1 is full\n", shared).primary is None
    assert diagnose("[RANK 1] GPU 0 is full\n[RANK 1] GPU 0 is full\n", shared).primary is None


def test_ranks_are_told_by_the_prefix_too():
    log = "[rank0]: out of memory\n[rank1]: out of memory\n"

    assert diagnose(log, rule(distinct_ranks=2)).primary is not None
    assert diagnose(log, rule(distinct_ranks=3)).primary is None


def test_stall_is_found_only_at_the_end_of_a_start_that_should_be_over():
    stall = rule(any=("joining the ring",), last=2)
    log = f"{BEGIN}INFO 11-29 19:00:00 [r.py:1] joining the ring\n"

    assert diagnose(log, stall).primary is not None
    assert diagnose(log + "x\n" * 3, stall).primary is None
    assert diagnose(log + READY, stall).primary is None
    assert diagnose(BEGIN + READY + log.partition("\n")[2], stall).primary is None
    starting = DiagnosisContext(is_starting=True)
    assert diagnose(log, stall, context=starting).primary is None


def test_stall_while_serving_is_asked_for():
    log = f"{BEGIN}{READY}INFO 11-29 19:00:00 [r.py:1] joining the ring\n"

    assert diagnose(log, rule(any=("joining the",), last=2, phases=("serving",))).primary


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ({}, Confidence.MEDIUM),
        ({"raise_if": ("first sign",)}, Confidence.HIGH),
        ({"raise_facts": ("restart_count == 0",)}, Confidence.HIGH),
        ({"raise_facts": ("unheard > 0",)}, Confidence.MEDIUM),
        ({"lower_if": ("later sign",)}, Confidence.LOW),
        ({"lower_facts": ("restart_count < 1",)}, Confidence.LOW),
        ({"raise_if": ("first sign",), "lower_if": ("later sign",)}, Confidence.MEDIUM),
        ({"confidence": Confidence.LOW, "lower_if": ("later sign",)}, Confidence.LOW),
        ({"confidence": Confidence.HIGH, "raise_if": ("later sign",)}, Confidence.HIGH),
    ],
)
def test_confidence_moves_by_one_step(kept, expected):
    made = rule(**({"confidence": Confidence.MEDIUM} | kept))

    primary = diagnose(SURROUNDED, made, context=DiagnosisContext(restart_count=0)).primary

    assert primary is not None
    assert primary.confidence is expected


def test_texts_and_change_are_filled_from_groups_and_facts():
    made = rule(any=(r"(?P<need>\d+) GiB is more than (?P<left>\d+)",))
    change = PlanChange(
        parameters=(
            ParameterChange(parameter="max_len", action="lower", value="{left}"),
            ParameterChange(parameter="seqs", action="set", value="{unheard}"),
        )
    )
    advice = {"no_room": advice_for([made], remedy=(text("Take {left}."),))["no_room"]}
    told = advice | {
        "no_room": type(advice["no_room"])(
            id="no_room",
            title=text("{need} > {left}"),
            explanation=text("{unheard}"),
            remedy=(text("Take {left}."),),
            change=change,
        )
    }

    primary = diagnose("30 GiB is more than 20\n", made, advice=told).primary

    assert primary is not None
    assert primary.change is not None
    assert (primary.title.en, primary.explanation.en) == ("30 > 20", "?")
    assert primary.remedy == (text("Take 20."),)
    assert [one.value for one in primary.change.parameters] == ["20", ""]


def test_rule_may_have_its_own_remedy_and_change():
    change = PlanChange(image_hint="devel")
    made = rule(remedy=(text("its own"),), change=change)

    primary = diagnose("out of memory\n", made).primary

    assert primary is not None
    assert (primary.remedy, primary.change) == ((text("its own"),), change)


KILLED = rule("killed", needs=("oom_killed == true",), raise_facts=("memory_limit > 0",))


def test_facts_alone_can_tell_the_cause():
    context = DiagnosisContext(oom_killed=True, exit_code=137)

    found = diagnose(BEGIN, KILLED, context=context)

    assert found.primary is not None
    assert found.primary.evidence[0].line == 0
    assert found.primary.evidence[0].text == "exit_code: 137, oom_killed: True"
    assert diagnose(BEGIN, KILLED).primary is None


def test_rule_of_facts_may_ask_for_lines_too():
    context = DiagnosisContext(oom_killed=True)
    made = rule("killed", needs=("oom_killed == true",), also=("first sign",))

    assert diagnose(SURROUNDED, made, context=context).primary is not None
    assert diagnose(BEGIN, made, context=context).primary is None


def test_facts_of_the_end_belong_to_the_last_start():
    log = f"{BEGIN}ValueError: odd\n{BEGIN}{READY}"

    found = diagnose(log, KILLED, context=DiagnosisContext(oom_killed=True))

    assert found.primary is not None
    assert found.primary.start == 2


def test_fact_without_known_names_is_told_by_the_comparison():
    made = rule("limit", needs=("memory_limit < 1 GiB",))
    spec = DeploymentSpec(
        host_id="h",
        name="n",
        revision=1,
        engine="vllm",
        engine_version="0.9.1",
        model_name="m",
        model_path="/m",
        image="i",
        image_id="",
        plan_digest="",
        container=ContainerSpec(
            name="n", image="i", command=(), container_port=1, host_port=1, memory_limit_bytes=1024
        ),
    )

    found = diagnose(BEGIN, made, context=DiagnosisContext(spec=spec))

    assert found.primary is not None
    assert found.primary.evidence[0].text == "memory_limit < 1 GiB"
    assert (found.engine, found.engine_version) == ("vllm", "0.9.1")


def test_silent_end_is_not_in_this_log():
    found = diagnose(BEGIN, rule(), context=DiagnosisContext(exit_code=1))

    assert (found.primary, found.verdict, found.collect) == (None, Verdict.NOT_IN_LOG, ())


def test_fault_after_serving_is_not_healthy():
    log = f"{BEGIN}{READY}ValueError: odd\n"

    assert diagnose(log, rule()).verdict is Verdict.NOTHING_FOUND
    assert diagnose(f"{BEGIN}ValueError: odd\n{READY}", rule()).verdict is Verdict.HEALTHY


def test_result_may_be_asked_again_and_context_may_change():
    rules = rule_set(rule(), KILLED)
    diagnosis = LogDiagnosis(rules, causes_of(rules))
    diagnosis.feed(BEGIN)
    assert diagnosis.result().verdict is Verdict.NOTHING_FOUND

    diagnosis.context = DiagnosisContext(oom_killed=True, kernel_log=("out of memory: x",))

    assert causes(diagnosis.result()) == causes(diagnosis.result()) == ["no_room", "killed"]


def test_rules_are_compiled_once():
    rules = rule_set(rule())
    first = diagnose_text("out of memory", rules=rules, causes=causes_of(rules))

    assert first == diagnose_text("out of memory", rules=rules, causes=causes_of(rules))
