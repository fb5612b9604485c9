"""The host as judges see it: the fingerprint, raw sections read on demand, kind of machine.

It only looks things up; what they mean is the judges' matter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

from app.core.checks.spec import CheckContext, StackData
from app.core.checks.verdict import Verdict, of_gpu, unknown, worst_of
from app.core.hardware.catalogue import GpuCatalogue, GpuModel
from app.core.hardware.fingerprint import Fingerprint, Gpu, UnknownReason
from app.core.hardware.section_book import SectionBook
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.host_lines import (
    Unit,
    read_file_lines,
    read_tool_paths,
    read_units,
)
from app.core.hardware.tools.pci_sysfs import NVIDIA, PciDevice, read_pci_sysfs
from app.core.versions import capability_key

_BARE_METAL: Final = frozenset({"none", "bare-metal", ""})
_CONTAINERS: Final = frozenset(
    {"docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "container-other", "openvz"}
)
BUSY_PERCENT: Final = 30
"""From this GPU utilisation on, values count as read under load."""


@dataclass(frozen=True)
class HostView:
    """One host for all judges; readings are made once."""

    fingerprint: Fingerprint
    catalogue: GpuCatalogue
    stack: StackData
    context: CheckContext = field(default_factory=CheckContext)

    # Sections

    @cached_property
    def book(self) -> SectionBook:
        """Raw sections by name."""
        return SectionBook(self.fingerprint.sections)

    def section(self, *names: str) -> RawSection | None:
        """Return the first of ``names`` that was asked and gave an answer of any kind."""
        asked = [section for name in names if (section := self.book.get(name)) is not None]
        good = (section for section in asked if section.exit_code == 0)
        return next(good, asked[0] if asked else None)

    def why(self, *names: str) -> Verdict:
        """Say that nothing could be read, and why; the tool's own words are the evidence."""
        asked = [section for name in names if (section := self.book.get(name)) is not None]
        said = [line for section in asked if (line := _first_line(section))]
        return unknown(self.book.why_not(*names), *said[:2])

    def worst_of_gpus(self, judge: Callable[[int, Gpu], Verdict]) -> Verdict:
        """Judge each GPU by its position and itself, and let the worst verdict speak."""
        return worst_of(
            of_gpu(gpu.index, judge(position, gpu)) for position, gpu in enumerate(self.gpus)
        )

    def missing(self, path: str, *names: str) -> Verdict:
        """Say why a value of the fingerprint is unknown."""
        reason = self.reason(path)
        return unknown(reason) if reason is not None else self.why(*names)

    def reason(self, path: str) -> UnknownReason | None:
        """Return why a value or the group around it is unknown."""
        parts = path.split(".")
        keys = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((r for key in keys if (r := self.fingerprint.unknown.get(key))), None)

    def source(self, path: str) -> str:
        """Return the section a value was read from, for evidence."""
        parts = path.split(".")
        keys = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        found = (s for key in keys if (s := self.fingerprint.sources.get(key)))
        return next(found, "")

    @cached_property
    def files(self) -> Mapping[str, tuple[str, ...]] | None:
        """Small files of ``/proc`` and ``/sys`` by path; ``None`` when they were not asked for.

        A file that is not in it is not on the host.
        """
        section = self.book.get("files")
        return None if section is None else read_file_lines(section.stdout)

    @cached_property
    def units(self) -> Mapping[str, Unit] | None:
        """Services by name; ``None`` when systemd gave no answer."""
        section = self.book.get("services")
        found = read_units(section.stdout) if section is not None else {}
        return found or None

    @cached_property
    def tools(self) -> Mapping[str, str] | None:
        """Paths of tools; ``None`` when they were not looked for."""
        section = self.book.get("which")
        return (read_tool_paths(section.stdout) or None) if section is not None else None

    @cached_property
    def kernel_log(self) -> tuple[str, str] | None:
        """Section and lines of the kernel's log; ``None`` when this user may not read it."""
        dmesg, journal = self.book.get("dmesg"), self.book.get("journal")
        if dmesg is not None and dmesg.exit_code == 0:
            return "dmesg", dmesg.stdout
        # journalctl ends well and says nothing when it may not show the kernel's lines.
        if journal is not None and journal.exit_code == 0 and journal.stdout.strip():
            return "journal", journal.stdout
        return None

    def no_kernel_log(self) -> Verdict:
        """Say why the kernel's log could not be read."""
        journal = self.book.get("journal")
        if journal is not None and journal.exit_code == 0:
            return unknown(
                UnknownReason.NEEDS_ROOT, *(_first_line(s) for s in (journal,) if s.stderr)
            )
        return self.why("dmesg", "journal")

    # GPUs

    @property
    def gpus(self) -> Sequence[Gpu]:
        """The host's GPUs."""
        return self.fingerprint.gpus

    def model(self, gpu: Gpu) -> GpuModel | None:
        """Return what the catalogue says of a GPU."""
        return self.catalogue.by_id(gpu.catalogue_id) if gpu.catalogue_id else None

    def is_geforce(self, gpu: Gpu) -> bool:
        """Tell a consumer card, on which the driver prints zeros for what it does not count."""
        model = self.model(gpu)
        if model is not None:
            return model.segment == "consumer"
        return "geforce" in (gpu.name or "").lower()

    def is_data_center(self, gpu: Gpu) -> bool | None:
        """Tell a data-centre card; ``None`` when the product is not known."""
        model = self.model(gpu)
        return None if model is None else model.segment == "datacenter"

    def is_loaded(self, gpu: Gpu) -> bool | None:
        """Tell whether a GPU worked when it was read; ``None`` when that is not known."""
        used = gpu.utilization_percent
        return None if used is None else used >= BUSY_PERCENT

    def capability(self, gpu: Gpu) -> tuple[int, int] | None:
        """Return the compute capability as numbers."""
        model = self.model(gpu)
        return capability_key(gpu.compute_cap or (model.compute_cap if model is not None else None))

    @cached_property
    def pci_devices(self) -> tuple[PciDevice, ...] | None:
        """NVIDIA's display devices on the PCI bus; ``None`` when the bus was not read."""
        section = self.book.get("pci-sysfs")
        if section is None or section.exit_code != 0 or not section.stdout.strip():
            return None
        devices = read_pci_sysfs(section.stdout)
        return tuple(d for d in devices if d.is_display and d.vendor in {NVIDIA, None})

    @cached_property
    def switch_count(self) -> int | None:
        """How many NVSwitches the PCI bus has; ``None`` when the bus was not read."""
        section = self.book.get("pci-sysfs")
        if section is None or section.exit_code != 0 or not section.stdout.strip():
            return None
        lines = section.stdout.lower().splitlines()
        return sum("class=0x0680" in line and f"vendor={NVIDIA}" in line for line in lines)

    # Kind of machine

    @cached_property
    def is_wsl(self) -> bool:
        """Windows' Linux: the driver lives in Windows."""
        texts = (self.fingerprint.machine.kernel or "", self.book.text("uname"))
        return any("microsoft" in text.lower() for text in texts) or (
            self.fingerprint.machine.virtualization == "wsl"
        )

    @cached_property
    def is_jetson(self) -> bool:
        """A Tegra module, whose driver is part of its system."""
        model = self.book.text("model").replace("\0", "").lower()
        kernel = (self.fingerprint.machine.kernel or "").lower()
        named = any("(nvgpu)" in (gpu.name or "").lower() for gpu in self.gpus)
        return "tegra" in kernel or "jetson" in model or "orin" in model or named

    @property
    def is_container(self) -> bool:
        """The probe ran inside a container."""
        return (self.fingerprint.machine.virtualization or "") in _CONTAINERS

    @property
    def is_guest(self) -> bool | None:
        """Tell a virtual machine; ``None`` when not known."""
        said = self.fingerprint.machine.virtualization
        if said is not None and said.lower() not in _CONTAINERS:
            return said.lower() not in _BARE_METAL
        modes = {(gpu.virtualization_mode or "").lower() for gpu in self.gpus}
        if modes & {"pass-through", "passthrough", "vgpu"}:
            return True
        return None

    @property
    def is_grace(self) -> bool:
        """A machine whose CPU and GPU share one coherent memory space (Grace)."""
        arm = self.fingerprint.machine.architecture == "aarch64"
        modes = {(gpu.addressing_mode or "").upper() for gpu in self.gpus}
        names = " ".join(gpu.name or "" for gpu in self.gpus).upper()
        return arm and ("ATS" in modes or "GH200" in names or "GB200" in names or "GB300" in names)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Kernel settings by name."""
        return self.fingerprint.system.settings or MappingProxyType({})


def _first_line(section: RawSection) -> str:
    said = section.stderr.strip() or (section.stdout.strip() if section.exit_code else "")
    line = said.splitlines()[0].strip()[:200] if said else ""
    return f"{section.name}: {line}" if line else ""
