"""Real-world pastes that lie beside this checkout; only keys that both sides name are compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.core.inspect.recognise import InspectKind, inspect_text

CASES = Path(__file__).parents[5] / "shared/cases"
MISSING = "shared cases are not laid beside this checkout"


def cases(folder: str) -> list[Any]:
    files = sorted((CASES / folder).glob("*.yaml"))
    if not files:
        return [pytest.param(None, id=folder, marks=pytest.mark.skip(reason=MISSING))]
    return [pytest.param(file, id=file.stem) for file in files]


def load(sidecar: Path) -> tuple[str, dict[str, Any]]:
    expected = yaml.safe_load(sidecar.read_text())["expected"]
    text = next(f for f in sidecar.parent.glob(f"{sidecar.stem}.*") if f.suffix != ".yaml")
    return text.read_text(), expected


def matrix_pairs(expected: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for row, words in expected.get("adjacency", {}).items():
        for column, word in enumerate(words.split()):
            if word not in "X?":
                yield row, f"GPU{column}", word


@pytest.mark.parametrize("sidecar", cases("topo"))
def test_topology_matrices_read_as_their_sidecars_say(sidecar):
    text, expected = load(sidecar)
    found = inspect_text(text).result
    same_names = ("gpu_count", "nic_count", "cpu_affinity", "numa_affinity", "nvlink_islands")
    for key in (*same_names, "gpu_numa_id"):
        if key in expected:
            assert found[key] == expected[key], key
    if "nic_names" in expected:
        assert found["nics"] == expected["nic_names"]
    if "table_complete" in expected:
        assert found["complete"] == expected["table_complete"]
    for row, column, word in matrix_pairs(expected):
        assert found["adjacency"][row][column] == word, (row, column)
    if "nvlinks_per_pair" in expected:
        assert found["nvlinks"] == {
            "GPU{}-GPU{}".format(*pair.split("-")): count
            for pair, count in expected["nvlinks_per_pair"].items()
        }


GPU_KEYS = (
    "name",
    "memory_total_mib",
    "memory_used_mib",
    "memory_reserved_mib",
    "compute_cap",
    "bus_id",
)


@pytest.mark.parametrize("sidecar", cases("smi"))
def test_nvidia_smi_outputs_read_as_their_sidecars_say(sidecar):
    text, expected = load(sidecar)
    found = inspect_text(text)
    for key in ("driver", "cuda"):
        if key in expected:
            assert found.result[key] == expected[key]
    if "gpu_count" in expected:
        assert len(found.result["gpus"]) == expected["gpu_count"]
    for gpu, wanted in zip(found.result.get("gpus", []), expected.get("gpus", []), strict=False):
        for key in GPU_KEYS:
            if key in wanted:
                assert gpu[key] == wanted[key], key
        if "name_truncated" in wanted:
            assert gpu["name"].startswith(wanted["name_truncated"])
    if "gpus" in expected:
        assert len(found.result["gpus"]) == len(expected["gpus"])
    if "fail" in sidecar.stem:
        assert found.kind is InspectKind.SMI_ERROR
        assert found.result["cause"] == expected["diagnosis"].split(":")[0]
        assert found.result["remedy"]
