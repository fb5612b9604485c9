"""Checks through the service: fresh facts of a host, or saved ones; the sheet as a file."""

import dataclasses

import pytest

from app.bootstrap import build
from app.core.checks.spec import CheckContext, CheckState
from app.core.errors import StoreError


@pytest.fixture
async def application(tmp_path):
    made = build(home=tmp_path, only_what_is_used=True)
    await made.start()
    yield made
    await made.close()


async def test_the_demo_host_is_asked_and_judged(application):
    host = await application.hosts.add_demo()
    await application.hosts.connect(host.settings.id)

    report = await application.checks.check(host.settings.id)

    by_id = {result.id: result.state for result in report.results}
    assert by_id["driver-loaded"] is CheckState.PASS
    assert by_id["docker-daemon"] is CheckState.PASS
    assert by_id["nvidia-runtime"] is CheckState.PASS
    assert report.counts[CheckState.FAIL] == 0


async def test_a_plan_makes_more_checks_speak(application):
    host = await application.hosts.add_demo()
    await application.hosts.connect(host.settings.id)
    fingerprint = await application.hosts.take_fingerprint(host.settings.id)

    report = application.checks.check_fingerprint(
        fingerprint, CheckContext(image_cuda="13.0", model_bytes=10**15)
    )

    by_id = {result.id: result.state for result in report.results}
    assert by_id["driver-vs-image"] is CheckState.PASS
    assert by_id["ram-vs-model"] is CheckState.WARN


async def test_the_sheet_is_saved_or_says_why_not(application, tmp_path):
    host = await application.hosts.add_demo()
    await application.hosts.connect(host.settings.id)
    fingerprint = await application.hosts.take_fingerprint(host.settings.id)
    report = await application.checks.judge(fingerprint)
    text = application.checks.preparation_sheet(report, fingerprint, "en")

    await application.checks.save_sheet(tmp_path / "sheet.md", text)

    assert (tmp_path / "sheet.md").read_text() == text
    assert "Simulated" in text
    with pytest.raises(StoreError):
        await application.checks.save_sheet(tmp_path / "missing" / "sheet.md", text)


async def test_counters_are_judged_by_how_they_grew_since_the_reading_before(application):
    host = await application.hosts.add_demo()
    await application.hosts.connect(host.settings.id)
    first = await application.hosts.take_fingerprint(host.settings.id)
    alone = application.checks.check_fingerprint(first)
    later = dataclasses.replace(first, taken_at="2027-01-01T00:00:00Z")

    report = await application.checks.judge(dataclasses.replace(later, simulated=False))
    recorded = await application.checks.judge(later)

    def state(found):
        return next(r.state for r in found.results if r.id == "pcie-replay")

    assert state(alone) is CheckState.UNKNOWN  # the recording's counter stands at 1
    assert state(report) is CheckState.PASS
    assert state(recorded) is CheckState.UNKNOWN  # and stands there for ever
