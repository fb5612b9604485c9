"""The table of hardware as text: what runs the model, and why the rest is left out."""

from dataclasses import replace

from app.cli.estimate_answer import sizing_text
from app.core.documents.estimate import sizing_document
from app.core.models.hardware_table import HardwareRow
from app.core.texts import Reason, Text

ROW = HardwareRow(
    gpu="NVIDIA L4", gpu_count=1, owned_by="", memory_bytes=2**34, fits=True, meets=True,
    kv_tokens=1000, max_concurrency=2.0, limits=(), kv_error=0.0,
)  # fmt: skip


def refused(gpu: str, **changes) -> HardwareRow:
    text = Text(en=f"No code for 7.0 ({gpu}).", zh_CN="")
    reason = Reason(code="compute_capability", text=text, source="")
    return replace(ROW, gpu=gpu, meets=False, refused=reason, **changes)


def text_of(*rows: HardwareRow) -> str:
    return sizing_text(
        sizing_document(
            rows, model="m", engine="vllm", engine_version="0.26.0",
            context_tokens=8192, concurrency=1,
        )
    )  # fmt: skip


def test_what_does_not_run_there_is_named_once_with_its_reason():
    text = text_of(
        ROW, refused("V100"), refused("V100", gpu_count=2), refused("V100S", owned_by="desk")
    )
    assert text.count("V100") == 2
    assert text.endswith("left out: V100, V100S of desk: No code for 7.0.")


def test_a_type_that_has_to_be_taken_stands_beside_the_name():
    assert "1 × NVIDIA L4 (float32)" in text_of(replace(ROW, dtype="float32"))
