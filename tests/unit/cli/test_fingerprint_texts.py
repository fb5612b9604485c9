"""What ``pitwall fingerprint`` says of warnings, and of a fingerprint that cannot be kept."""

from types import SimpleNamespace

import pytest

from app.cli.fingerprint import _warning_text, take
from app.cli.output import Output
from app.core.errors import ErrorCode, StoreError
from app.core.hardware.tools import smi_errors
from app.io.datafiles import data_root, load_causes


@pytest.fixture(scope="module")
def causes():
    return load_causes(data_root())


def test_warning_says_what_it_means_and_what_to_do(causes):
    text = _warning_text("driver_library_mismatch: Failed to initialize NVML", causes)

    assert text.startswith("warning: The driver's libraries and the loaded kernel module")
    assert "(Failed to initialize NVML)" in text
    assert "What to do: Reboot" in text
    assert _warning_text("new: x", causes) == "warning: new: x"
    assert "What to do" not in _warning_text("tp_not_set: x", causes)


def test_every_failure_of_the_gpu_tool_has_a_remedy_in_both_languages(causes):
    for rule in smi_errors._RULES:
        remedy = causes[rule.cause].remedy
        assert remedy is not None, rule.cause
        assert remedy.en != remedy.zh_CN


class FullHosts:
    """Take a fingerprint and find no room for it."""

    def __init__(self, known):
        self.known = known

    async def take_fingerprint(self, host_id):
        del host_id
        raise StoreError(ErrorCode.STORE_FULL, cause="The disk is full.", remedy="Make room.")

    async def fingerprint(self, host_id):
        del host_id
        return self.known


async def test_fingerprint_that_cannot_be_kept_is_given_with_a_note(capsys):
    application = SimpleNamespace(hosts=FullHosts("the facts"))

    assert await take(application, "h", Output("fingerprint", as_json=True)) == "the facts"

    said = capsys.readouterr()
    assert "The disk is full." in said.err
    assert said.out == ""
    with pytest.raises(StoreError):
        await take(SimpleNamespace(hosts=FullHosts(None)), "h", Output("x", as_json=True))
