import pytest
from fakes.planning_world import engines, gpu_host, plan, safetensors_model

from app.core.engines.flags import FlagProblem, GivenFlag, check_flags, read_flags
from app.core.engines.foreign import name_owners
from app.core.planning.plan import Goal


def found(engine, version, *words):
    data = engines()[engine]
    given = read_flags(words, data.flags, data.engine, version)
    findings = check_flags(given, data.flags, data.engine, version)
    return name_owners(findings, data, version, engines())


@pytest.mark.parametrize(
    ("engine", "version", "words", "owner", "instead"),
    [
        ("vllm", "0.33.0", ["--tp-size", "2"], "SGLang", "--tensor-parallel-size"),
        ("vllm", "0.33.0", ["--mem-fraction-static", "0.8"], "SGLang", "--gpu-memory-utilization"),
        ("sglang", "0.5.23", ["--max-num-seqs", "8"], "vLLM", "--max-running-requests"),
        (
            "lmdeploy",
            "0.18.0",
            ["--gpu-memory-utilization", "0.8"],
            "vLLM",
            "--cache-max-entry-count",
        ),
        ("llamacpp", "b10434", ["--max-model-len", "4096"], "vLLM", "--ctx-size"),
        ("tgi", "3.3.7", ["--n-gpu-layers", "8"], "llama.cpp", ""),
    ],
)
def test_flag_of_another_engine_is_said_to_be_its(engine, version, words, owner, instead):
    (finding,) = found(engine, version, *words)
    assert finding.problem is FlagProblem.FOREIGN
    assert owner in finding.engine
    assert finding.suggestion == instead
    assert finding.sentence.startswith(f"{words[0]} is a flag of {finding.engine}.")
    assert (f"Use {instead} instead." in finding.sentence) is bool(instead)


def test_misspelt_flag_stays_unknown_with_what_was_meant():
    (finding,) = found("vllm", "0.33.0", "--max-model-length", "4096")
    assert finding.problem is FlagProblem.UNKNOWN
    assert finding.suggestion == "--max-model-len"


def test_other_findings_pass_and_other_engines_are_not_looked_into():
    class Untouched(dict):
        def items(self):
            raise AssertionError("nothing is unknown")

    data = engines()["vllm"]
    given = (GivenFlag(name="--max-num-seqs", value="many"),)
    findings = check_flags(given, data.flags, data.engine, "0.33.0")
    assert name_owners(findings, data, "0.33.0", Untouched()) == findings


def test_plan_refuses_the_flag_with_its_owner_and_takes_it_where_it_belongs():
    result = plan(gpu_host(), safetensors_model(), Goal(own_flags=("--mem-fraction-static", "0.8")))
    texts = {refused.engine: refused.text.en for refused in result.rejected}
    assert "--mem-fraction-static is a flag of SGLang." in texts["vllm"]
    assert "sglang" in {found.engine for found in result.ranked}
