"""The preparation sheet: everything to change, with commands and reasons, in both languages."""

import pytest

from app.core.checks.sheet import preparation_sheet

BROKEN = [
    ["smi-csv", "580.95.05", "535.183.01"],
    ["smi-q-x", "<display_active>Dis", "<display_active>En"],
]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["# Preparing gpu-box", "## Must be changed", "## Should be changed", "R535 ended"]),
        ("zh_CN", ["# gpu-box 的", "## 必须处理", "## 建议处理", "R535 已于"]),
    ],
)
def test_it_says_what_to_do_why_and_how_to_see_it(language, words, make_host, check):
    host = make_host(replace=BROKEN)

    sheet = preparation_sheet(check(host), host, language)

    for word in words:
        assert word in sheet
    assert "systemctl set-default multi-user.target" in sheet
    assert "nvidia-smi --query-gpu=display_active" in sheet
    assert sheet.count("```") % 2 == 0


def test_what_only_root_may_read_stands_apart_with_its_commands(make_host, check):
    host = make_host(
        {"dmesg": ""}, codes={"dmesg": 1}, errors={"dmesg": "dmesg: Operation not permitted"}
    )

    sheet = preparation_sheet(check(host), host, "en")

    _, _, part = sheet.partition("## To be read with root")
    assert "GPU errors (Xid) since boot" in part
    assert "dmesg -T | grep" in part


def test_a_host_in_order_needs_nothing(make_host, check):
    host = make_host()
    report = check(host, {"port_reached": True})

    assert "Nothing has to be changed" in preparation_sheet(report, host, "en")
    assert "无需处理" in preparation_sheet(report, host, "zh_CN")
