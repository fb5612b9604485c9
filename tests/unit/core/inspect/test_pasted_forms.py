"""One recording in the many forms in which people paste it: always the same values."""

import html
import json
import re
import time
from pathlib import Path

import pytest

from app.core.inspect.recognise import inspect_text

RECORDING = Path(__file__).parents[4] / "resources/demo/h200-x2/busy"


def lines(change):
    return lambda text: "\n".join(change(i, line) for i, line in enumerate(text.split("\n"), 1))


FORMS = {
    "as printed": lambda t: t,
    "Windows line ends": lambda t: t.replace("\n", "\r\n"),
    "a terminal's doubled returns": lambda t: t.replace("\n", "\r\r\n"),
    "tabs as blanks": lambda t: t.expandtabs(8),
    "no-break blanks": lambda t: t.expandtabs(8).replace(" ", "\u00a0"),
    "quoted mail": lines(lambda _, x: f"> {x}"),
    "quoted among prose": lambda t: f"He wrote:\n\n{lines(lambda _, x: '> ' + x)(t)}\n\nHelp!\n",
    "fenced": lambda t: f"My box:\n```text\n{t}```\nThanks\n",
    "fence glued to the text": lambda t: f"```{t}```",
    "cat -n": lines(lambda i, x: f"{i:6d}\t{x}"),
    "grep -n": lines(lambda i, x: f"{i}:{x}"),
    "an editor's numbers": lines(lambda i, x: f"{i:4d} | {x}"),
    "docker logs -t": lines(lambda _, x: f"2026-11-29T10:22:33.123456789Z {x}"),
    "a pod's log file": lines(lambda _, x: f"2026-11-29T10:22:33.123456789+08:00 stdout F {x}"),
    "journalctl": lines(lambda _, x: f"Nov 29 10:22:33 gpu07 nvidia-smi[123]: {x}"),
    "a script's log": lines(lambda _, x: f"[2026-11-29 10:22:33] {x}"),
    "a script's comments": lines(lambda _, x: f"# {x}"),
    "docker compose": lines(lambda _, x: f"engine-1  | {x}"),
    "Python's log": lines(lambda _, x: f"INFO 11-29 10:22:33 [collect.py:12] {x}"),
    "escaped by a web form": html.escape,
    "a page's source": lambda t: f"<pre><code>{html.escape(t)}</code></pre>",
    "a JSON string": json.dumps,
    "indented": lines(lambda _, x: f"    {x}"),
    "blank lines between": lambda t: t.replace("\n", "\n\n"),
    "escapes shown": lambda t: t.replace("\x1b", "^["),
    "escapes half lost": lambda t: t.replace("\x1b", ""),
    "bold": lines(lambda _, x: f"\x1b[1m{x}\x1b[0m"),
    "prompt": lambda t: f"(base) root@gpu07:~# nvidia-smi\n{t}(base) root@gpu07:~# \n",
}
OUTPUTS = {
    "smi": {
        "driver": "580.159.04", "cuda": "13.0", "gpu_count": 2, "process_count": 2,
        "gpus.1.name": "NVIDIA H200", "gpus.1.bus_id": "00000000:00:07.0",
        "gpus.0.memory_total_mib": 143771, "gpus.0.memory_used_mib": 1651,
        "gpus.0.mig_mode": "Disabled",
    },
    "smi-q": {"driver": "580.159.04", "gpu_count": 2, "gpus.1.memory_reserved_mib": 616},
    "smi-q-x": {"driver": "580.159.04", "gpu_count": 2, "gpus.1.memory_reserved_mib": 616},
    "smi-csv": {"driver": "580.159.04", "gpu_count": 2, "gpus.0.power_w": 689.54},
    "smi-L": {"gpu_count": 2, "gpus.1.uuid": "GPU-00000000-0000-4000-8000-000000000001"},
    "smi-topo-m": {
        "gpu_count": 2, "adjacency.GPU0.GPU1": "NV18", "cpu_affinity.GPU1": "0-31",
        "numa_affinity.GPU1": "0", "gpu_numa_id.GPU1": None,
    },
    "smi-nvlink-s": {"gpu_count": 2, "gpus.1.links_active": 18, "gpus.1.link_speed_gbps": 26.562},
    "smi-apps": {"process_count": 2, "processes.1.memory_used_mib": 1642},
}  # fmt: skip


def value_at(result, path):
    for part in path.split("."):
        result = result[int(part)] if isinstance(result, list) else result[part]
    return result


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_form_gives_the_recorded_values(output, form):
    text = (RECORDING / f"{output}.txt").read_text()
    found = inspect_text(FORMS[form](text))
    assert {path: value_at(found.result, path) for path in OUTPUTS[output]} == OUTPUTS[output]


def test_a_numbered_list_of_devices_is_not_taken_for_line_numbers():
    text = "index, name\n" + "".join(f"{i}, NVIDIA L4\n" for i in range(1, 8))
    assert [gpu["index"] for gpu in inspect_text(text).result["gpus"]] == list(range(1, 8))


def test_several_queries_in_one_paste_fill_each_other():
    text = (
        "$ nvidia-smi --query-gpu=name,memory.total --format=csv\nname, memory.total [MiB]\n"
        "NVIDIA L40S, 46068 MiB\n$ nvidia-smi --query-gpu=driver_version --format=csv\n"
        "driver_version\n570.86.15\n"
    )
    found = inspect_text(text).result
    assert (found["gpu_count"], found["driver"]) == (1, "570.86.15")
    assert found["gpus"][0]["memory_total_mib"] == 46068


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (lambda t: t[: t.index("|   1  NVIDIA")], None),
        (lambda t: t[: t.index("143771MiB")], "the table ends in or behind the row of GPU 0"),
        (lambda t: t[t.index("|   0  NVIDIA") :], "the banner"),
        (lambda t: t[: t.index("|   0  NVIDIA")], "no GPU row"),
    ],
)
def test_a_cut_table_says_what_is_missing(text, missing):
    warnings = inspect_text(text((RECORDING / "smi.txt").read_text())).warnings
    assert (missing is None and warnings == ()) or any(str(missing) in w for w in warnings)


def test_a_matrix_cut_at_the_right_or_below_says_so():
    head = "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
    rows = "GPU0\t X \tPIX\tSYS\t0-7\t0\nGPU1\tPIX\t X \tSYS\t0-7\t0\n"
    found = inspect_text(head + rows)
    assert found.warnings == ("cut: rows are missing: GPU2",)
    narrow = "\n".join(line[:24] for line in (head + rows).expandtabs(8).split("\n"))
    assert any("affinity columns" in w for w in inspect_text(narrow).warnings)
    note = "system has 76 NICs, currently only displaying 56 NICs\n"
    assert any(w.startswith("nics_left_out") for w in inspect_text(note + head + rows).warnings)


OTHERS = {
    "npu-smi": "+----+\n| npu-smi 24.1.rc2        Version: 24.1.rc2 |\n| NPU   Name  | Health |\n",
    "hl-smi": (
        "| HL-SMI Version:      hl-1.18.0 |\n|   0  HL-225   N/A  | 0000:33:00.0     N/A |  0 |\n"
        "| N/A   27C   N/A    93W / 600W |   768MiB / 98304MiB  |     0%           N/A |\n"
    ),
    "mx-smi": "| MX-SMI 2.1.9  Kernel Mode Driver Version: 2.9.8 |\n| 0  MXC500 | 0000:0f:00.0 |\n",
    "mthreads-gmi": "    mthreads-gmi:1.12.0          Driver Version:2.7.0\n0    MTT S4000\n",
    "cnmon": "| CNMON v5.10.29      Driver v5.10.29 |\n| 0   /   MLU370-X8 | 0000:69:00.0 | 0% |\n",
    "ixsmi": "|  IX-ML: 3.1.0   Driver Version: 3.1.0   CUDA Version: 10.2 |\n",
    "xpu-smi": "| 0   | Device Name: Intel(R) Data Center GPU Max 1550 |\n",
}


@pytest.mark.parametrize("tool", OTHERS)
def test_other_makers_tables_are_named_and_hold_no_nvidia_gpu(tool):
    found = inspect_text(OTHERS[tool])
    assert (found.kind, found.result["tool"]) == ("other-accelerator", tool)
    assert found.result["gpu_count"] == 0
    assert found.warnings[0].startswith("not_nvidia")


def test_a_long_line_of_glued_cells_is_no_trap():
    inspect_text("GPU0GPU1GPU2GPU3CPU AffinityNUMA Affinity\n" + "GPU0XNV12SYSSYS0-310" * 50)


def test_jetsons_rows_have_no_address_and_windows_rows_a_driver_model():
    row = (
        "| NVIDIA-SMI 540.4.0     Driver Version: 540.4.0      CUDA Version: 12.6     |\n"
        "|   0  {name}   {mode}  | {bus} |                  N/A |\n"
        "| N/A   N/A  N/A               N/A /  N/A | Not Supported        |     N/A      N/A |\n"
        "+------+\n"
    )
    jetson = inspect_text(row.format(name="Orin (nvgpu)", mode="N/A", bus="N/A              N/A"))
    (gpu,) = jetson.result["gpus"]
    assert (gpu["name"], gpu["bus_id"], gpu["memory_total_mib"]) == ("Orin (nvgpu)", None, None)
    assert gpu["unknown"]["memory_total_mib"] == "not_supported"
    windows = row.format(name="Quadro RTX 8000", mode="TCC", bus="00000000:05:00.0 Off")
    (gpu,) = inspect_text(windows).result["gpus"]
    assert (gpu["driver_model"], gpu["unknown"]["persistence_mode"]) == ("TCC", "not_supported")


def test_a_mig_device_in_the_long_text_is_not_the_whole_gpu():
    text = (RECORDING / "smi-q.txt").read_text()
    mig = (
        "    MIG Device\n        Index                : 0\n        GPU Instance ID      : 1\n"
        "        Compute Instance ID  : 0\n        FB Memory Usage\n"
        "            Total            : 18176 MiB\n            Used             : 14 MiB\n"
    )
    cut = re.sub(r"(?m)^(    Accounting Mode  )", mig + r"\1", text, count=1)
    first, second = inspect_text(cut).result["gpus"]
    assert first["memory_total_mib"] == second["memory_total_mib"] == 143771
    assert first["mig_devices"][0]["memory_total_mib"] == 18176
    assert second["mig_devices"] == []


def test_several_tools_in_one_paste_fill_the_same_gpus():
    parts = ("smi", "smi-topo-m", "smi-L", "smi-nvlink-s", "smi-csv")
    text = "\n$ next\n".join((RECORDING / f"{name}.txt").read_text() for name in parts)
    found = inspect_text(text)
    assert (found.kind, found.result["driver"], found.result["gpu_count"]) == (
        "topo", "580.159.04", 2,
    )  # fmt: skip
    assert found.result["also"] == ["smi-table", "smi-csv", "smi-list", "smi-nvlink"]
    second = found.result["gpus"][1]
    assert second["uuid"] == "GPU-00000000-0000-4000-8000-000000000001"
    assert (second["memory_reserved_mib"], second["links_active"]) == (616, 18)
    assert second["memory_used_mib"] == 1651


def test_an_engines_report_names_gpus_without_their_identity():
    matrix = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPIX\t0-7\nGPU1\tPIX\t X \t0-7\n"
    report = "CUDA used to build: 12.9\nGPU 0,1: NVIDIA L40S\nROCm: N/A\n\n" + matrix
    found = inspect_text(report)
    assert found.kind == "topo"
    assert [gpu["name"] for gpu in found.result["gpus"]] == ["NVIDIA L40S"] * 2
    alone = inspect_text("GPU 0: NVIDIA L4\nGPU 1: NVIDIA L4\n")
    assert (alone.kind, alone.result["gpu_count"]) == ("smi-list", 2)
    logged = "INFO start\nGPU 0: NVIDIA L4\nINFO one\nINFO two\nINFO three\n"
    assert inspect_text(logged).kind != "smi-list"


def test_links_of_gpus_that_are_named_without_identity_are_read():
    text = (
        "GPU 0: NVIDIA A100-PCIE-40GB\n"
        "NVML: Unable to retrieve NVLink information as all links are inActive\n"
    )
    (gpu,) = inspect_text(text).result["gpus"]
    assert (gpu["name"], gpu["links_total"]) == ("NVIDIA A100-PCIE-40GB", None)
    assert "inActive" in gpu["reason"]


def test_a_second_machines_matrix_is_said_to_follow():
    one = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPIX\t0-7\nGPU1\tPIX\t X \t0-7\n"
    both = one + "\nother host\n" + one.replace("PIX", "SYS")
    found = inspect_text(both)
    assert found.result["adjacency"]["GPU0"]["GPU1"] == "PIX"
    assert any(w.startswith("second_table") for w in found.warnings)


@pytest.mark.parametrize(
    "text",
    [" " * 20000 + "x", "| " * 9000, "NV12" * 4000, ("|" + " " * 80 + "|\n") * 500, "GPU0" * 4000],
    ids=["blanks", "bars", "glued links", "empty rows", "glued names"],
)
def test_no_text_holds_the_window_up(text):
    start = time.process_time()
    inspect_text(text)
    assert time.process_time() - start < 2
