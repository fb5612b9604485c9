from dataclasses import replace

import pytest
from fakes.planning_world import engines

from app.core.engines.flags import (
    FlagProblem,
    GivenFlag,
    check_flags,
    describe_value,
    find_flag,
    read_flags,
)
from app.core.engines.spec import FlagsFile


def check(engine, version, *words):
    data = engines()[engine]
    given = read_flags(words, data.flags, data.engine, version)
    return check_flags(given, data.flags, data.engine, version)


def only(engine, version, *words):
    findings = check(engine, version, *words)
    assert len(findings) == 1, findings
    return findings[0]


@pytest.mark.parametrize(
    ("engine", "version", "words"),
    [
        ("llamacpp", "b10434", ["--ctx-size", "4096", "-np", "2", "--metrics", "-fa", "auto"]),
        ("llamacpp", "b10434", ["--ctx-size=4096", "--no-kv-offload", "--n-gpu-layers", "all"]),
        ("llamacpp", "b10434", ["--temp", "0.7", "--ignore-eos", "--seed", "-1"]),
        ("llamacpp", "b4747", ["-fa", "--mlock"]),
        ("vllm", "0.33.0", ["--max-model-len", "32k", "-tp", "2", "--enable-prefix-caching"]),
        ("vllm", "0.33.0", ["--max_model_len", "auto", "--max-num-seqs", "64"]),
        ("vllm", "0.33.0", ["--compilation-config.mode", "3", "--no-enable-prefix-caching"]),
        ("vllm", "0.33.0", ["--structured-outputs-config.backend", "xgrammar"]),
        ("vllm", "0.33.0", ["--hf-overrides", '{"rope_theta": 1}', "--lora-modules", "a=b", "c=d"]),
        ("vllm", "0.8.5", ["--swap-space", "4", "--disable-log-requests"]),
    ],
)
def test_flags_of_the_version_are_fine(engine, version, words):
    assert check(engine, version, *words) == ()


def test_misspelt_flag_gets_a_suggestion():
    finding = only("vllm", "0.33.0", "--max-modellen", "4096")
    assert finding.problem is FlagProblem.UNKNOWN
    assert finding.suggestion == "--max-model-len"
    assert "Did you mean --max-model-len?" in finding.sentence


def test_flag_like_nothing_gets_no_suggestion():
    finding = only("llamacpp", "b10434", "--zzzzqqqq")
    assert finding.suggestion == ""
    assert finding.sentence == "--zzzzqqqq is not known."


def test_removed_flag_names_its_last_version_and_its_successor():
    finding = only("vllm", "0.33.0", "--guided-decoding-backend", "auto")
    assert finding.problem is FlagProblem.REMOVED
    assert finding.version == "0.11.2"
    assert finding.suggestion == "--structured-outputs-config.backend"
    assert "0.11.2" in finding.sentence


def test_flag_that_changes_its_form_is_judged_by_the_version():
    assert only("llamacpp", "b4747", "-fa", "on").flag == "on"
    assert only("llamacpp", "b10434", "-fa").problem is FlagProblem.NEEDS_VALUE


def test_build_between_two_forms_of_a_flag_is_told_neither():
    data = engines()["llamacpp"]
    for value in (None, "on"):
        given = (GivenFlag(name="--flash-attn", value=value),)
        assert check_flags(given, data.flags, data.engine, "b5614") == ()


def test_flag_from_the_future_names_its_first_version():
    finding = only("vllm", "0.8.5", "--attention-backend", "FLASH_ATTN")
    assert finding.problem is FlagProblem.NOT_YET
    assert finding.version == "0.13.0"


@pytest.mark.parametrize(
    ("engine", "words", "allowed"),
    [
        ("vllm", ["--tensor-parallel-size", "two"], "a whole number from 1"),
        ("vllm", ["--tensor-parallel-size", "0"], "a whole number from 1"),
        ("vllm", ["--gpu-memory-utilization", "1.5"], "a number from 0.01 to 1"),
        ("vllm", ["--gpu-memory-utilization", "much"], "a number from 0.01 to 1"),
        ("vllm", ["--dtype", "fp16"], "one of auto, half, float16, bfloat16, float, float32"),
        (
            "vllm",
            ["--max-model-len", "long"],
            "a number such as 4096 or 32k from 1 or one of auto, -1",
        ),
        ("vllm", ["--hf-overrides", "{rope"], "JSON"),
        ("llamacpp", ["--cache-type-k", "fp8"], "one of f32, f16, bf16"),
    ],
)
def test_wrong_value_says_what_is_expected(engine, words, allowed):
    version = "0.33.0" if engine == "vllm" else "b10434"
    finding = only(engine, version, *words)
    assert finding.problem is FlagProblem.WRONG_VALUE
    assert finding.allowed.startswith(allowed)
    assert words[1] in finding.sentence


def test_switch_with_value_and_option_without_value_are_told_apart():
    data = engines()["llamacpp"]
    given = (GivenFlag(name="--metrics", value="1"), GivenFlag(name="--ctx-size"))
    findings = check_flags(given, data.flags, data.engine, "b10434")
    assert [finding.problem for finding in findings] == [
        FlagProblem.TAKES_NO_VALUE,
        FlagProblem.NEEDS_VALUE,
    ]


def test_passed_on_flags_are_checked_for_their_value_only():
    data = engines()["llamacpp"]
    given = (GivenFlag(name="--ignore-eos", value="1"), GivenFlag(name="--temp"))
    findings = check_flags(given, data.flags, data.engine, "b10434")
    assert [finding.problem for finding in findings] == [
        FlagProblem.TAKES_NO_VALUE,
        FlagProblem.NEEDS_VALUE,
    ]


def test_passed_on_flag_takes_the_words_that_its_parser_takes():
    data = engines()["vllm"]
    words = ["--allowed-headers", "a", "b", "--no-async-scheduling", "--mm_processor_kwargs", "{}"]
    given = read_flags(words, data.flags, data.engine, "0.33.0")
    assert [(flag.name, flag.value) for flag in given] == [
        ("--allowed-headers", "a b"),
        ("--no-async-scheduling", None),
        ("--mm_processor_kwargs", "{}"),
    ]
    assert check_flags(given, data.flags, data.engine, "0.33.0") == ()


def test_passed_on_flag_is_held_against_its_versions():
    finding = only("vllm", "0.6.6", "--no-async-scheduling")
    assert (finding.problem, finding.version) == (FlagProblem.NOT_YET, "0.10.0")
    assert only("vllm", "0.33.0", "--lora-extra-vocab-size", "256").problem is FlagProblem.REMOVED


def test_api_key_on_the_command_line_is_refused_with_its_variable():
    finding = only("vllm", "0.33.0", "--api-key", "abc")
    assert finding.problem is FlagProblem.SECRET
    assert finding.suggestion == "VLLM_API_KEY"
    assert "abc" not in finding.sentence


def test_open_list_only_doubts_unlisted_values():
    assert check("vllm", "0.33.0", "--quantization", "something-new") == ()


def test_negative_number_is_a_value_not_a_flag():
    data = engines()["llamacpp"]
    given = read_flags(["--parallel", "-1", "--metrics"], data.flags, data.engine, "b10434")
    assert given == (GivenFlag(name="--parallel", value="-1"), GivenFlag(name="--metrics"))


def test_flag_is_found_by_its_short_form_and_negation():
    data = engines()["llamacpp"]
    assert find_flag(data.flags, "-c", data.engine, "b10434").name == "--ctx-size"
    assert find_flag(data.flags, "--no-slots", data.engine, "b10434").name == "--slots"


def test_flags_that_exclude_each_other_are_named():
    data = engines()["llamacpp"]
    first, second = data.flags.flag[:2]
    flags = FlagsFile(flag=(replace(first, conflicts=(second.name,)), second))
    given = (GivenFlag(name=first.name, value="x"), GivenFlag(name=second.name, value="y"))
    (finding,) = check_flags(given, flags, data.engine, "b10434")
    assert finding.problem is FlagProblem.CONFLICT
    assert finding.sentence == f"{first.name} cannot be combined with {second.name}."


def test_flag_that_contradicts_a_planned_one_is_named():
    data = engines()["llamacpp"]
    first, second = data.flags.flag[:2]
    flags = FlagsFile(flag=(replace(first, conflicts=(second.name,)), second))
    for given, planned in ((first, second), (second, first)):
        flag = (GivenFlag(name=given.name, value="x"),)
        (finding,) = check_flags(flag, flags, data.engine, "b10434", planned=(planned.name,))
        assert finding.problem is FlagProblem.CONFLICT
        assert (finding.flag, finding.suggestion) == (given.name, planned.name)


def test_flag_that_takes_the_place_of_a_planned_one_is_no_contradiction():
    data = engines()["vllm"]
    given = (GivenFlag(name="--max-num-seqs", value="8"),)
    planned = ("--max-num-seqs", "--max-model-len")
    assert check_flags(given, data.flags, data.engine, "0.33.0", planned=planned) == ()


def test_every_description_says_something():
    for data in engines().values():
        for rule in data.flags.flag:
            if rule.type not in ("switch", "bool"):
                assert describe_value(rule)
