"""What a paste is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserInputError
from app.core.hardware.frame import encode_frames
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.paste import clean_paste
from app.core.inspect.recognise import InspectKind, inspect_text
from app.io.datafiles import data_root

RECORDING = data_root() / "resources/demo/h200-x2/busy"


def recorded(name):
    return (RECORDING / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("smi", InspectKind.SMI_TABLE),
        ("smi-q", InspectKind.SMI_TABLE),
        ("smi-csv", InspectKind.SMI_CSV),
        ("smi-csv-nounits", InspectKind.SMI_CSV),
        ("nvml", InspectKind.SMI_CSV),
        ("smi-q-x", InspectKind.SMI_XML),
        ("smi-L", InspectKind.SMI_LIST),
        ("smi-nvlink-s", InspectKind.SMI_NVLINK),
        ("smi-nvlink-c", InspectKind.SMI_NVLINK),
        ("smi-nvlink-e", InspectKind.SMI_NVLINK),
        ("smi-help", InspectKind.UNKNOWN),
        ("driver-gpus", InspectKind.UNKNOWN),
        ("smi-apps", InspectKind.SMI_APPS),
        ("smi-mig", InspectKind.SMI_MIG),
        ("smi-badfield", InspectKind.SMI_ERROR),
        ("smi-topo-m", InspectKind.TOPO),
        ("smi-topo-p2p-r", InspectKind.P2P),
        ("os-release", InspectKind.OS_RELEASE),
    ],
)
def test_recordings_are_recognised_also_when_their_kind_is_named(name, kind):
    text = recorded(name)
    found = inspect_text(text)
    assert found.kind is kind
    assert inspect_text(text, kind.value).result == found.result
    json.dumps(found.result)


@pytest.mark.parametrize("name", ["smi", "smi-q", "smi-csv", "smi-q-x"])
def test_all_forms_of_one_answer_agree(name):
    result = inspect_text(recorded(name)).result
    assert [g["memory_total_mib"] for g in result["gpus"]] == [143771, 143771]
    assert [g["memory_used_mib"] for g in result["gpus"]] == [1651, 1651]
    assert [g["mig_mode"] for g in result["gpus"]] == ["Disabled", "Disabled"]
    assert result["driver"] == "580.159.04"


def test_a_table_beside_a_matrix_is_read_as_well():
    found = inspect_text(recorded("smi") + recorded("smi-topo-m"))
    assert found.kind is InspectKind.TOPO
    assert found.result["nvlinks"] == {"GPU0-GPU1": 18}
    assert found.result["driver"] == "580.159.04"
    assert len(found.result["gpus"]) == 2


def test_a_header_without_rows_is_an_answer():
    found = inspect_text("index, name, memory.total [MiB]\n")
    assert (found.kind, found.result["gpus"]) == (InspectKind.SMI_CSV, [])
    assert inspect_text("pid, process_name, gpu_uuid\n").result["process_count"] == 0


def test_a_failure_inside_an_answer_is_a_warning():
    text = recorded("smi-csv") + "Unable to determine the device handle for GPU0000:65:00.0: lost"
    found = inspect_text(text)
    assert found.kind is InspectKind.SMI_CSV
    assert any(w.startswith("gpu_fallen_off_bus") for w in found.warnings)


def test_down_links_are_a_warning_and_no_failure():
    text = "GPU 0: A (UUID: GPU-no-0)\n Link 0: 25 GB/s\n Link 1: <inactive>\n"
    found = inspect_text(text)
    assert found.result["gpus"][0]["inactive"] == [1]
    assert found.warnings[0].startswith("nvlink_partly_down")


def test_documents_are_recognised():
    container = {
        "Name": "/pitwall-chat-r1",
        "Config": {"Image": "vllm/vllm-openai:v0.26.0", "Cmd": ["/models/q"]},
        "State": {"Status": "exited", "ExitCode": 137, "OOMKilled": True},
        "HostConfig": {"ShmSize": 64},
        "RestartCount": 2,
    }
    for document in ([container], container):
        found = inspect_text(json.dumps(document))
        assert found.kind is InspectKind.DOCKER_INSPECT
        assert found.result["containers"][0]["exit_code"] == 137
        assert found.result["containers"][0]["name"] == "pitwall-chat-r1"
    model = inspect_text(
        json.dumps(
            {"model_type": "qwen2", "hidden_size": 3584, "architectures": ["Qwen2ForCausalLM"]}
        )
    )
    assert (model.kind, model.result["hidden_size"]) == (InspectKind.MODEL_CONFIG, 3584)
    nested = inspect_text(json.dumps({"model_type": "x", "text_config": {"hidden_size": 5}}))
    assert nested.result["hidden_size"] == 5
    saved = inspect_text(
        json.dumps({"schema": "pitwall.fingerprint/1", "gpus": [{"name": "A"}, 3]})
    )
    assert (saved.kind, saved.result["gpu_count"]) == (InspectKind.FINGERPRINT, 1)
    for nothing in ("{}", "[]", "[1]", "{broken", '"text"'):
        assert inspect_text(nothing).kind is InspectKind.UNKNOWN


def test_the_collectors_output_is_a_fingerprint():
    sections = [RawSection(name="smi-csv", command="x", exit_code=0, stdout=recorded("smi-csv"))]
    found = inspect_text(encode_frames(sections, "0123456789abcdef").decode())
    assert found.kind is InspectKind.FINGERPRINT
    assert found.result["gpu_count"] == 2
    assert found.result["sections"] == ["smi-csv"]


def test_metrics_name_their_engine():
    text = (
        "# HELP vllm:num_requests_running Running.\n# TYPE vllm:num_requests_running gauge\n"
        'vllm:num_requests_running{engine="0"} 3.0\nprocess_open_fds 12\n'
    )
    found = inspect_text(text)
    assert (found.kind, found.result["engine"]) == (InspectKind.METRICS, "vllm")
    assert found.result["sample_count"] == 2
    other = inspect_text("# TYPE a_total counter\na_total 1\n")
    assert other.result["engine"] is None
    assert inspect_text("a 1\nb 2\n").kind is InspectKind.UNKNOWN


@pytest.mark.parametrize(
    ("text", "engine", "version"),
    [
        (
            "(APIServer pid=1) INFO vLLM API server version 0.26.0\n(EngineCore pid=9) ERROR boom",
            "vllm",
            "0.26.0",
        ),
        (
            "[2026-11-29] server_args=ServerArgs(model='x')\n[2026] INFO sglang ready",
            "sglang",
            None,
        ),
        ("llama_model_load: loading\nmain: server is listening", "llamacpp", None),
        ('time=1 level=INFO source=routes.go:1 msg="Listening"\nlevel=INFO ollama', "ollama", None),
    ],
)
def test_engine_logs_name_their_engine(text, engine, version):
    found = inspect_text(text)
    assert found.kind is InspectKind.ENGINE_LOG
    assert (found.result["engine"], found.result["version"]) == (engine, version)


def test_a_driver_failure_inside_an_engines_log_is_still_a_log():
    text = (
        "INFO [api_server.py:1] vLLM API server version 0.26.0\n"
        "ERROR [core.py:1] Failed to initialize NVML: Unknown Error\n"
        "ERROR [core.py:2] Cuda error: invalid argument\n"
    )
    assert inspect_text(text).kind is InspectKind.ENGINE_LOG
    assert inspect_text("Cuda failure 1 'invalid argument'").kind is InspectKind.UNKNOWN
    assert inspect_text("result.output[0],\nx.y, z").kind is InspectKind.UNKNOWN


def test_amd_output_is_named_and_not_misread():
    found = inspect_text("GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n")
    assert found.kind is InspectKind.ROCM
    assert (found.result["gpu_count"], found.result["amd_gpu_count"]) == (0, 2)


def test_what_cannot_be_read_says_why():
    assert inspect_text("  \n").warnings[0].startswith("empty")
    assert inspect_text("&nbsp;<a&gt;").warnings[0].startswith("unusable_paste")
    assert inspect_text("hello").warnings[0].startswith("not_recognised")
    assert inspect_text("hello", "topo").warnings[0].startswith("not_topo")
    with pytest.raises(UserInputError):
        inspect_text("hello", "poem")


def test_terminal_and_web_leftovers_are_removed_and_content_is_not():
    assert clean_paste("\x1b[4mGPU0\x1b[0m\r\n[1mGPU1[0m") == "GPU0\nGPU1"
    assert clean_paste("> a\n> b") == "a\nb"
    assert clean_paste("a\n> b\nc\nd") == "a\n> b\nc\nd"
    assert clean_paste("couldn\u2019t\u00a0x") == "couldn't x"
    assert clean_paste("[0, 1]") == "[0, 1]"


PIECES = st.sampled_from(
    ["GPU0 ", "X ", "NV18 ", "\t", "\n", "| ", "0-7 ", "MiB / ", "NVIDIA-SMI 1 ", "GPU 0: ",
     "pid, ", "\u00a0",
     "name, ", "{", "}", "[", "<nvidia_smi_log>", "<gpu>", "# TYPE ", "vLLM ", "ERR! ", "N/A ",
     "00000000:00:06.0 ", "On ", "&lt;", "\x1b[4m", "CPU Affinity ", "MIG 1g.10gb Device 0: "]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=25).map("".join))
def test_no_paste_makes_it_raise(text):
    found = inspect_text(text)
    json.dumps(found.result)
    for kind in InspectKind:
        inspect_text(text, kind)
