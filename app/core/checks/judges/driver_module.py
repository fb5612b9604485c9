"""Judges of the kernel's side of the driver: which module, signed, built for which kernel."""

import re
from typing import Final

from app.core.checks.host_view import HostView
from app.core.checks.registry import judge
from app.core.checks.spec import CheckData
from app.core.checks.verdict import Verdict, failed, not_applicable, passed, unknown, warned
from app.core.hardware.fingerprint import Gpu
from app.core.hardware.kernel_facts import ModuleFlavour
from app.core.hardware.tools.host_lines import read_dkms, read_kernels, read_pairs
from app.core.hardware.tools.kernel_log import lines_with
from app.core.versions import driver_key

_OPEN_BY_DEFAULT: Final = 560
_NUMBERS = re.compile(r"\d+")


@judge("module-flavour")
def module_flavour(view: HostView, _check: CheckData) -> Verdict:
    """Open where it must be, proprietary where it must be."""
    flavour = view.fingerprint.driver_module.flavour
    if flavour is None:
        return view.missing("driver_module.flavour", "driver-version")
    first = next(iter(view.book.text("driver-version").splitlines()), "")
    evidence = f"driver-version: {first.strip()}"
    wanted = {gpu.index: _wanted(view, gpu) for gpu in view.gpus}
    names = ", ".join(sorted({_architecture(view, gpu) for gpu in view.gpus}))
    wrong = next((w for w in wanted.values() if w is not None and w is not flavour), None)
    if wrong is not None:
        return failed(evidence, architectures=names, wanted=wrong.value, flavour=flavour.value)
    if any(view.capability(gpu) is None for gpu in view.gpus):
        return unknown("model_unknown", evidence)
    numbers = driver_key(view.fingerprint.driver_version or "") or (0,)
    if flavour is ModuleFlavour.PROPRIETARY and numbers[0] >= _OPEN_BY_DEFAULT:
        is_old = all(w is ModuleFlavour.PROPRIETARY for w in wanted.values())
        return (
            passed(evidence, flavour=flavour.value)
            if is_old
            else warned(evidence, architectures=names)
        )
    return passed(evidence, flavour=flavour.value)


def _wanted(view: HostView, gpu: Gpu) -> ModuleFlavour | None:
    """Return the only module that works, ``None`` where both do."""
    capability = view.capability(gpu)
    if capability is None:
        return None
    if capability < (7, 5):
        return ModuleFlavour.PROPRIETARY
    is_grace = view.is_grace or "GH200" in (gpu.name or "").upper()
    return ModuleFlavour.OPEN if capability >= (10, 0) or is_grace else None


def _architecture(view: HostView, gpu: Gpu) -> str:
    model = view.model(gpu)
    return gpu.architecture or (model.architecture if model is not None else None) or "?"


@judge("nouveau")
def nouveau(view: HostView, _check: CheckData) -> Verdict:
    """The free driver holds no NVIDIA GPU."""
    holders = [d for d in view.pci_devices or () if d.driver == "nouveau"]
    if holders:
        lines = [f"pci-sysfs: {d.bus_id} driver nouveau" for d in holders]
        return failed(*lines, devices=", ".join(d.bus_id for d in holders))
    modules = view.fingerprint.driver_module.loaded_modules
    if modules is None and view.book.get("modules") is None and view.book.get("lsmod") is None:
        return view.why("modules", "lsmod")
    if modules is None:  # no GPU module is loaded: grep found none
        section = view.book.get("modules")
        asked = section is not None and section.exit_code in {0, 1}
        return passed("modules: none of a GPU") if asked else view.why("modules", "lsmod")
    evidence = "modules: " + ", ".join(modules)
    return warned(evidence) if "nouveau" in modules else passed(evidence)


@judge("secure-boot")
def secure_boot(view: HostView, _check: CheckData) -> Verdict:
    """Off, or on with a signed module."""
    log = view.kernel_log
    refused = lines_with(log[1], ("key was rejected", "required key not available")) if log else ()
    if refused and not view.gpus:
        return failed(*(f"kernel log: {line}" for line in refused[:2]))
    section = view.book.get("secure-boot")
    said = "" if section is None else f"{section.stdout} {section.stderr}".lower()
    if "disabled" in said or "doesn't support secure boot" in said or "not supported" in said:
        return passed(f"mokutil: {said.strip()[:120]}")
    if "enabled" not in said:
        return view.why("secure-boot")
    signer = read_pairs(view.book.text("modinfo")).get("signer", "")
    evidence = ["mokutil: SecureBoot enabled", *([f"modinfo: signer {signer}"] if signer else [])]
    built_here = bool(read_dkms(view.book.text("dkms"))) or "dkms" in signer.lower()
    if built_here or not signer:
        return warned(*evidence) if built_here else unknown("not_reported", *evidence)
    return passed(*evidence, key="signed", signer=signer)


@judge("kernel-version")
def kernel_version(view: HostView, _check: CheckData) -> Verdict:
    """The running kernel has the module, and so has every newer one."""
    running = view.fingerprint.machine.kernel
    if running is None:
        return view.missing("machine.kernel", "uname")
    if not view.gpus and view.reason("gpus") is None and not view.pci_devices:
        return not_applicable("no_gpu")
    kernels = _kernels(view, running)
    if not kernels:
        return view.why("kernels", "dkms")
    if view.is_container:  # the host's other kernels cannot be seen from inside
        return unknown("not_reported", f"uname: {running}, module loaded: {kernels.get(running)}")
    return _all_built(view, running, kernels)


def _kernels(view: HostView, running: str) -> dict[str, bool]:
    """Return which installed kernels have the module, from files, DKMS and what is loaded."""
    kernels = dict(read_kernels(view.book.text("kernels")))
    for kernel, state in read_dkms(view.book.text("dkms")).items():
        kernels[kernel] = kernels.get(kernel, False) or state == "installed"
    is_loaded = "nvidia" in (view.fingerprint.driver_module.loaded_modules or ())
    if is_loaded or view.fingerprint.driver_module.version is not None:
        kernels[running] = True
    return kernels


def _all_built(view: HostView, running: str, kernels: dict[str, bool]) -> Verdict:
    lines = [f"kernels: {name} {'has' if has else 'lacks'} nvidia" for name, has in kernels.items()]
    if not kernels.get(running, False):
        return failed(*lines[:6], kernel=running)
    bare = [k for k, has in kernels.items() if not has and _release(k) > _release(running)]
    if bare:
        return warned(*lines[:6], newer=max(bare, key=_release))
    if view.book.get("kernels") is None:
        return view.why("kernels", "dkms")
    return passed(*lines[:6], kernel=running)


def _release(kernel: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall(kernel)[:6])


@judge("hmm-kaslr")
def hmm_kaslr(view: HostView, _check: CheckData) -> Verdict:
    """The kernel found room for HMM's address range."""
    files = view.files or {}
    switch = files.get("/sys/module/nvidia_uvm/parameters/uvm_disable_hmm", ())
    if switch and switch[0].strip().upper() in {"Y", "1"}:
        return passed("uvm_disable_hmm: Y", key="off")
    log = view.kernel_log
    if log is None:
        return view.no_kernel_log()
    lines = lines_with(log[1], ("request_free_mem_region",))
    if lines:
        return failed(*(f"{log[0]}: {line}" for line in lines[:2]))
    return passed(f"{log[0]}: no request_free_mem_region")
