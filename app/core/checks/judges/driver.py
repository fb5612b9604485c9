"""Judges of the driver as nvidia-smi and the PCI bus show it."""

from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData, CheckState, DriverBranch
from app.core.checks.verdict import (
    Verdict,
    failed,
    not_applicable,
    passed,
    unknown,
    warned,
)
from app.core.hardware.fingerprint import Gpu, UnknownReason
from app.core.hardware.kernel_facts import ModuleFlavour
from app.core.hardware.section_book import section_reason
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.host_lines import read_pairs
from app.core.hardware.tools.kernel_log import read_xid_events
from app.core.hardware.tools.smi_errors import SmiError, find_smi_error
from app.core.versions import driver_key

SMI: Final = ("smi-csv", "smi-csv-basic", "smi-q-x", "smi-L", "smi", "smi-q")
_LOADED: Final = frozenset({"adapter_init_failed", "gpu_fallen_off_bus"})
"""What nvidia-smi says through a driver that is loaded: it is a GPU that does not answer."""
_TURING: Final = (7, 5)
_GSP_CODES: Final = frozenset({119, 120})


def smi_failure(view: HostView) -> tuple[RawSection, SmiError] | None:
    """Return the first nvidia-smi call that failed with words we know."""
    for name in SMI:
        section = view.book.get(name)
        if section is None or section.exit_code in {0, 127, None}:
            continue
        error = find_smi_error(f"{section.stdout}\n{section.stderr}")
        if error is not None:
            return section, error
    return None


def smi_is_missing(view: HostView) -> bool:
    """Tell whether nvidia-smi was asked for and is not there at all."""
    asked = [section for name in SMI if (section := view.book.get(name)) is not None]
    return bool(asked) and all(section.exit_code == 127 for section in asked)


@judge("driver-loaded")
def driver_loaded(view: HostView, _check: CheckData) -> Verdict:
    """It answers; else what nvidia-smi says, or that none is installed."""
    if view.gpus:
        evidence = f"{view.source('gpus.0.name') or 'gpus'}: {len(view.gpus)} GPUs"
        modules = view.fingerprint.driver_module.loaded_modules
        is_native = not (view.is_wsl or view.is_jetson)
        if is_native and modules is not None and "nvidia" in modules:
            loaded = "modules: " + ", ".join(modules)
            missing = "nvidia_uvm" not in modules
            return warned(loaded) if missing else passed(evidence, loaded, count=len(view.gpus))
        return passed(evidence, count=len(view.gpus))
    failure = smi_failure(view)
    if failure is not None:
        return _failing(*failure)
    if smi_is_missing(view) and view.pci_devices:
        found = [f"pci-sysfs: {d.bus_id} driver {d.driver or '–'}" for d in view.pci_devices]
        return failed(*found, key="absent", devices=len(found))
    if view.reason("gpus") is None:
        return not_applicable("no_gpu")
    return view.why(*SMI)


def _failing(section: RawSection, error: SmiError) -> Verdict:
    said = f"{section.name}: {error.evidence}"
    if error.cause in _LOADED:
        return passed(said, key="loaded", words=error.evidence)
    is_mixed = error.cause == "driver_library_mismatch"
    return failed(said, key="mixed" if is_mixed else "fail", words=error.evidence)


@judge("driver-lib-mismatch")
def driver_lib_mismatch(view: HostView, _check: CheckData) -> Verdict:
    """Loaded module, library and installed module have one version."""
    failure = smi_failure(view)
    if failure is not None and failure[1].cause == "driver_library_mismatch":
        return failed(f"{failure[0].name}: {failure[1].evidence}", words=failure[1].evidence)
    loaded = view.fingerprint.driver_module.version
    if loaded is None:
        return view.missing("driver_module.version", "driver-version")
    evidence = [f"driver-version: {loaded}"]
    installed = read_pairs(view.book.text("modinfo")).get("version")
    if installed:
        evidence.append(f"modinfo: {installed}")
        if driver_key(installed) != driver_key(loaded):
            return warned(*evidence, loaded=loaded, installed=installed)
    library = view.fingerprint.driver_version
    if not view.gpus or library is None:
        return view.missing("driver_version", *SMI)
    evidence.append(f"{view.source('driver_version')}: {library}")
    if driver_key(library) != driver_key(loaded):
        return failed(*evidence, words=f"{library} / {loaded}")
    return passed(*evidence, version=loaded)


@judge("gpu-count")
def gpu_count(view: HostView, _check: CheckData) -> Verdict:
    """As many GPUs as the PCI bus has."""
    devices = view.pci_devices
    if devices is None:
        return view.why("pci-sysfs")
    unsure = _not_counted(view, len(devices))
    if unsure is not None:
        return unsure
    listed = [f"pci-sysfs: {d.bus_id} driver {d.driver or '–'}" for d in devices]
    if len(view.gpus) >= len(devices):
        return passed(*listed[:8], devices=len(devices))
    foreign = sorted({d.driver for d in devices if d.driver not in {None, "nvidia"}})
    others = sum(d.driver not in {None, "nvidia"} for d in devices)
    if foreign and foreign != ["nouveau"] and len(view.gpus) + others >= len(devices):
        return warned(*listed, devices=len(devices), drivers=", ".join(map(str, foreign)))
    return failed(*listed, devices=len(devices), count=len(view.gpus))


def _not_counted(view: HostView, devices: int) -> Verdict | None:
    """Say why the two counts cannot be compared, ``None`` when they can."""
    if not devices and not view.gpus:
        return not_applicable("no_gpu")
    if not view.gpus and view.reason("gpus") not in {None, UnknownReason.TOOL_FAILED}:
        return unknown(view.reason("gpus") or "not_asked")
    # Inside a container sysfs shows every board of the host, the driver only those given to it.
    if view.is_container and devices > len(view.gpus):
        return unknown(UnknownReason.NOT_REPORTED, f"pci-sysfs: {devices} devices")
    return None


@judge("no-devices")
def no_devices(view: HostView, _check: CheckData) -> Verdict:
    """The driver answers but has no GPU."""
    if view.gpus:
        return passed(f"GPUs: {len(view.gpus)}")
    for name in SMI:
        section = view.book.get(name)
        said = "" if section is None else f"{section.stdout}\n{section.stderr}"
        if section is not None and "no devices were found" in said.lower():
            devices = view.pci_devices
            count = len(devices) if devices else 0
            if devices == ():
                return not_applicable("no_gpu", f"{name}: No devices were found")
            said = f"{name}: No devices were found"
            return failed(said, devices=count) if count else failed(said, key="alone")
    return not_applicable("no_gpu") if view.reason("gpus") is None else view.why(*SMI)


@judge("driver-branch-eol")
def driver_branch(view: HostView, _check: CheckData) -> Verdict:
    """The branch is in NVIDIA's table of supported ones."""
    version = view.fingerprint.driver_version
    if version is None:
        has_none = view.reason("gpus") is None and not view.gpus
        return not_applicable("no_gpu") if has_none else view.missing("driver_version", *SMI)
    numbers = driver_key(version)
    evidence = f"{view.source('driver_version')}: {version}"
    branches = view.stack.branch
    branch = next((b for b in branches if numbers and b.branch == numbers[0]), None)
    if branch is None:
        return _unlisted_branch(numbers, branches, evidence, version)
    return Verdict(
        state=branch.state,
        key=branch.state.value,
        values={"version": version, "note": branch.note},
        evidence=(evidence,),
    )


def _unlisted_branch(
    numbers: tuple[int, ...] | None,
    branches: tuple[DriverBranch, ...],
    evidence: str,
    version: str,
) -> Verdict:
    """A branch that is in no table: older than a supported one it has ended."""
    if numbers is None:
        return unknown(UnknownReason.UNREADABLE, evidence)
    supported = [entry.branch for entry in branches if entry.state is CheckState.PASS]
    if numbers[0] < min(supported):
        return failed(evidence, key="older", version=version)
    is_newest = numbers[0] > max(entry.branch for entry in branches)
    return (
        unknown("newer_driver", evidence)
        if is_newest
        else warned(evidence, key="between", version=version)
    )


@judge("gsp-firmware")
def gsp_firmware(view: HostView, _check: CheckData) -> Verdict:
    """The GPU's own processor has its firmware and did not report errors."""
    log = view.kernel_log
    if log is not None:
        events = [e for e in read_xid_events(log[1]) if e.code in _GSP_CODES and not e.is_switch]
        if events:
            return failed(*(f"{log[0]}: {event.line}" for event in events[:4]))
    return view.worst_of_gpus(lambda i, gpu: _firmware(view, i, gpu))


def _firmware(view: HostView, position: int, gpu: Gpu) -> Verdict:
    evidence = f"smi-q-x: GPU{gpu.index} gsp_firmware_version {gpu.gsp_firmware or 'N/A'}"
    if gpu.gsp_firmware is not None:
        return passed(evidence, version=gpu.gsp_firmware)
    capability = view.capability(gpu)
    reason = view.reason(f"gpus.{position}.gsp_firmware")
    if capability is not None and capability < _TURING:
        return not_applicable("other_generation")
    flavour = view.fingerprint.driver_module.flavour
    was_asked = view.book.output("smi-q-x", "smi-q") is not None
    if reason is UnknownReason.NOT_REPORTED and was_asked and flavour is not None:
        # Only the open module needs it; the proprietary one does without on many cards.
        return warned(evidence) if flavour is ModuleFlavour.OPEN else not_applicable("no_gsp")
    return view.missing(f"gpus.{position}.gsp_firmware", "smi-q-x")


@judge("persistence")
def persistence(view: HostView, _check: CheckData) -> Verdict:
    """The driver stays loaded between programs."""
    return view.worst_of_gpus(lambda i, gpu: _persistent(view, i, gpu))


def _persistent(view: HostView, position: int, gpu: Gpu) -> Verdict:
    if gpu.persistence_mode is None:
        return view.missing(f"gpus.{position}.persistence_mode", "smi-csv")
    source = view.source(f"gpus.{position}.persistence_mode")
    word = "Enabled" if gpu.persistence_mode else "Disabled"
    evidence = f"{source}: GPU{gpu.index} persistence_mode {word}"
    return passed(evidence) if gpu.persistence_mode else warned(evidence)


@judge("smi-latency")
def smi_latency(view: HostView, check: CheckData) -> Verdict:
    """nvidia-smi answers, and soon."""
    if smi_is_missing(view):
        return view.why(*SMI) if view.pci_devices else not_applicable("no_gpu")
    asked = [section for name in SMI if (section := view.book.get(name)) is not None]
    late = [s.name for s in asked if section_reason(s) is UnknownReason.TOOL_TIMEOUT]
    if late:
        return failed(*(f"{name}: no answer in time" for name in late[:2]))
    if asked and not view.gpus:  # failing at once is no quick answer
        return view.missing("gpus", *SMI)
    text = read_pairs(view.book.text("smi-time")).get("seconds", "")
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        return view.why("smi-time")
    seconds, evidence = int(text), f"smi-time: {text} s"
    # Whole seconds: 1 may be anything below 2.
    if seconds > check.thresholds.get("slow_s", 2):
        return warned(evidence, seconds=seconds)
    return passed(evidence, seconds=seconds + 1)
