"""Same model, same parameters, other behaviour: what of two deployments is not the same."""

import json
from dataclasses import replace

import pytest
from fakes.diff_pairs import catalogue, elsewhere, found, h200, record, rules, with_file, with_gpus
from hypothesis import given
from hypothesis import strategies as st

from app.core.deployment.record import HIDDEN, DeploymentRecord, FileIdentity, ModelIdentity
from app.core.diff.arguments import (
    hidden_environment,
    is_secret,
    read_arguments,
    without_secrets,
)
from app.core.diff.deployments import diff_deployments
from app.core.diff.difference import SideKind
from app.core.diff.spec import Weight
from app.io.datafiles import data_root, load_engines
from app.io.documents import from_json, to_json

BEHAVIOUR, PERFORMANCE = Weight.BEHAVIOUR, Weight.PERFORMANCE
COSMETIC, UNKNOWN = Weight.COSMETIC, Weight.UNKNOWN

FLAGS = {name: data.flags for name, data in load_engines(data_root()).items()}


def compare(a: DeploymentRecord, b: DeploymentRecord):
    return diff_deployments(a, b, rules(), catalogue=catalogue(), flags=FLAGS)


def other(**changes: object) -> DeploymentRecord:
    return record(host="there", **changes)


def test_a_deployment_does_not_differ_from_itself():
    comparison = compare(record(), record())
    assert comparison.differences == ()
    assert comparison.a.kind is SideKind.DEPLOYMENT


def test_one_flag_is_the_one_difference():
    changed = other(command=(*record().command, "--kv-cache-dtype", "fp8"))
    comparison = compare(record(), changed)
    (difference,) = comparison.differences
    assert (difference.path, difference.a, difference.b) == ("flag.--kv-cache-dtype", "–", "fp8")
    assert difference.weight is BEHAVIOUR
    assert difference.label.zh_CN == "--kv-cache-dtype"


def test_spelling_and_order_of_flags_do_not_matter():
    words = ("/models/small", "--enforce-eager", "--seed", "7", "--max_model_len=8192")
    assert compare(record(), other(command=words)).differences == ()


@pytest.mark.parametrize(
    ("flag", "weight"),
    [
        (("--chat-template", "/t.jinja"), BEHAVIOUR),
        (("--generation-config", "vllm"), BEHAVIOUR),
        (("--max-num-seqs", "16"), PERFORMANCE),
        (("--port", "9000"), COSMETIC),
        (("--nobody-knows-this", "1"), BEHAVIOUR),
    ],
)
def test_flags_weigh_what_they_do(flag, weight):
    comparison = compare(record(), other(command=(*record().command, *flag)))
    assert found(comparison, f"flag.{flag[0]}").weight is weight


def test_another_image_behind_the_same_name_is_told():
    comparison = compare(record(), other(image_id=f"sha256:{'2' * 64}"))
    image = found(comparison, "image.id")
    assert image.weight is BEHAVIOUR
    assert image.b == f"sha256:{'2' * 12}"


def test_another_name_of_the_same_image_does_not_matter():
    comparison = compare(record(), other(image="registry.example/vllm:latest"))
    assert not comparison.changes_behaviour
    assert found(comparison, "image.reference").weight is COSMETIC


def test_the_version_that_the_engine_states_counts_more_than_the_plan():
    a = record(said={"version": "0.26.0"})
    b = other(said={"version": "0.27.1"})
    assert found(compare(a, b), "image.engine_version").b == "0.27.1"


@pytest.mark.parametrize(
    ("file", "word"),
    [
        ("chat_template.jinja", "prompt"),
        ("generation_config.json", "temperature"),
        ("config.json", "not the same model"),
    ],
)
def test_files_of_the_model_are_compared_by_content(file, word):
    difference = found(compare(record(), with_file(other(), file, "e" * 64)), f"file.{file}")
    assert difference.weight is BEHAVIOUR
    assert word in difference.meaning.en


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("vocab.txt", "file.tokenizer"),
        ("merges.txt", "file.tokenizer"),
        ("README.md", "file.about"),
        ("notes.txt", "file.about"),
        ("small-Q4_K_M.gguf", "file.weights"),
        ("model-00001-of-00002.safetensors", "file.weights"),
        ("model.safetensors.index.json", "file.index"),
        ("modeling_odd.py", "file.code"),
        ("whatever", "file.other"),
    ],
)
def test_files_are_told_apart_by_their_names(name, rule):
    assert rules().named("file", name).id == rule


def test_generation_defaults_are_told_value_by_value():
    model = replace(record().model, generation={"temperature": "0.2", "top_p": "0.80"})
    comparison = compare(record(), other(model=model))
    assert found(comparison, "generation.temperature").a == "0.7"
    none = replace(record().model, generation=None)
    assert found(compare(record(), other(model=none)), "generation.temperature").b == "–"


def test_weights_of_equal_size_are_not_called_equal():
    comparison = compare(record(), other())
    assert any("not hashed whole" in text.en for text in comparison.not_compared)
    model = replace(
        record().model,
        files=tuple(replace(file, sha256="f" * 64) for file in record().model.files),
    )
    comparison = compare(record(model=model), other(model=model))
    assert not any("not hashed whole" in text.en for text in comparison.not_compared)


def test_weights_of_another_beginning_or_size_are_other_weights():
    def weights(**changes: object) -> DeploymentRecord:
        files = tuple(
            replace(file, **changes) if file.name == "model.safetensors" else file
            for file in record().model.files
        )
        return other(model=replace(record().model, files=files))

    for changed in (weights(head_sha256="e" * 64), weights(size_bytes=8_999_999)):
        assert found(compare(record(), changed), "file.model.safetensors").weight is BEHAVIOUR


def test_a_missing_file_is_absent_where_the_folder_could_be_read_and_unknown_where_not():
    fewer = replace(record().model, files=record().model.files[1:])
    absent = found(compare(record(), other(model=fewer)), "file.config.json")
    assert (absent.b, absent.weight) == ("–", BEHAVIOUR)
    blind = ModelIdentity(path="", unreadable="The user may not read /srv/small.")
    unknown = found(compare(record(), other(model=blind)), "file.config.json")
    assert unknown.weight is UNKNOWN
    assert "may not read /srv/small" in unknown.meaning.en


def test_what_the_engine_chose_by_itself_is_told():
    said = {"attention_backend": "FLASHINFER", "config.dtype": "torch.float16"}
    comparison = compare(record(), other(said=said))
    assert found(comparison, "said.attention_backend").b == "FLASHINFER"
    assert found(comparison, "said.config.dtype").weight is BEHAVIOUR


def test_an_engine_that_said_nothing_is_unknown():
    comparison = compare(record(), other(said={}))
    assert found(comparison, "said.attention_backend").weight is UNKNOWN
    assert not comparison.changes_behaviour


def test_settings_that_only_one_version_lists_are_left_out():
    said = {**record().said, "config.brand_new_switch": "True"}
    assert compare(record(), other(said=said)).differences == ()
    unlike = {**record().said, "config.brand_new_switch": "False"}
    comparison = compare(record(said=said), other(said=unlike))
    assert found(comparison, "said.config.brand_new_switch").weight is BEHAVIOUR


def test_numbers_the_engine_prints_are_compared_as_numbers():
    a = record(said={"kv_tokens": "2,115,440"})
    assert compare(a, other(said={"kv_tokens": "2,115,488"})).differences == ()
    comparison = compare(a, other(said={"kv_tokens": "545,280"}))
    assert found(comparison, "said.kv_tokens").weight is BEHAVIOUR


def test_hidden_values_are_not_called_equal_and_absence_is_seen():
    comparison = compare(record(), other())
    assert "VLLM_API_KEY" in {text.en for text in comparison.not_compared}
    without = other(environment={"VLLM_USE_FLASHINFER_SAMPLER": "0"})
    assert found(compare(record(), without), "env.VLLM_API_KEY").weight is COSMETIC


def test_variables_weigh_by_their_family():
    environment = {**record().environment, "NCCL_P2P_DISABLE": "1", "LANG": "C", "MINE": "x"}
    comparison = compare(record(), other(environment=environment))
    weights = {d.path: d.weight for d in comparison.differences}
    assert weights == {
        "env.NCCL_P2P_DISABLE": PERFORMANCE,
        "env.MINE": PERFORMANCE,
        "env.LANG": COSMETIC,
    }


def test_the_hosts_are_compared_with_the_deployments():
    weaker = with_gpus(elsewhere(h200()), compute_cap="8.9")
    comparison = compare(record(fingerprint=h200()), other(fingerprint=weaker))
    assert "here/chat runs FlashAttention 3" in found(comparison, "gpu.compute_cap").meaning.en


def test_a_host_without_a_fingerprint_is_unknown():
    comparison = compare(record(fingerprint=h200()), other())
    assert found(comparison, "deployment.host").weight is UNKNOWN


def test_a_record_survives_writing_and_reading():
    before = record(fingerprint=replace(h200(), sections=()))
    after = from_json(DeploymentRecord, to_json(before))
    assert compare(before, after).differences == ()
    assert json.loads(to_json(before))["schema"] == "pitwall.deployment-record/1"


# Arguments and secrets


def test_arguments_read_switches_values_and_negative_numbers():
    words = ("serve", "-c", "4096", "--temp=-0.5", "--seed", "-1", "--metrics", "x.gguf")
    read = read_arguments(words, FLAGS["llamacpp"])
    assert read["--ctx-size"] == "4096"
    assert read["--temp"] == "-0.5"
    assert read["--seed"] == "-1"
    assert read["--metrics"] == "on"
    assert read["(model)"] == "serve x.gguf"


@pytest.mark.parametrize(
    "name",
    ["VLLM_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "api-key", "DB_PASSWORD", "GPG_KEY"],
)
def test_names_of_secrets_are_known(name):
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["max-num-batched-tokens", "tokenizer", "eos_token_id", "max-token-len", "KEYBOARD"]
)
def test_names_that_only_look_like_secrets_are_kept(name):
    assert not is_secret(name)


def test_secrets_do_not_survive():
    words = ("--api-key", "sk-planted", "--api-key=sk-planted", "--proxy", "http://u:pw@p:1")
    shown = without_secrets(words)
    assert "planted" not in " ".join(shown)
    assert "pw" not in " ".join(shown)
    variables = ("HF_TOKEN=hf_planted", "https_proxy=http://u:pw@p:1", "A=b=c")
    hidden = hidden_environment(variables)
    assert hidden["HF_TOKEN"] == HIDDEN
    assert "pw" not in hidden["https_proxy"]
    assert hidden["A"] == "b=c"


@given(st.lists(st.text(max_size=12), max_size=12))
def test_any_command_line_is_read(words):
    read_arguments(words, FLAGS["vllm"])
    without_secrets(words)


_FILES = st.builds(
    FileIdentity,
    name=st.sampled_from(["config.json", "a.safetensors", "odd", "chat_template.jinja"]),
    size_bytes=st.integers(0, 3),
    sha256=st.none() | st.sampled_from(["1" * 64, "2" * 64]),
    head_sha256=st.none() | st.sampled_from(["3" * 64, "4" * 64]),
)
_VALUES = st.dictionaries(
    st.sampled_from(["config.dtype", "kv_tokens", "seed", "temperature", "odd"]),
    st.sampled_from(["1", "2", "{}", "[1", "auto", HIDDEN]),
)
_RECORDS = st.builds(
    record,
    host=st.sampled_from(["here", "there"]),
    command=st.lists(st.sampled_from(["--seed", "1", "2", "--odd", "x"]), max_size=5).map(tuple),
    environment=_VALUES,
    gpu_count=st.none() | st.integers(0, 2),
    said=_VALUES,
    model=st.builds(
        ModelIdentity,
        path=st.just("/m"),
        files=st.lists(_FILES, max_size=3, unique_by=lambda file: file.name).map(tuple),
        generation=st.none() | _VALUES,
        unreadable=st.sampled_from(["", "why not"]),
    ),
    fingerprint=st.none(),
)


@given(_RECORDS, _RECORDS)
def test_deployments_compare_even_handedly(a, b):
    b = replace(b, taken_at="2027-01-01T00:00:00Z")
    there, back = compare(a, b), compare(b, a)
    swapped = [replace(d, a=d.b, b=d.a) for d in back.differences]
    assert sorted(map(repr, there.differences)) == sorted(map(repr, swapped))
    assert compare(a, a).differences == ()
    assert all("{" not in d.meaning.en for d in there.differences if d.weight is not UNKNOWN)
