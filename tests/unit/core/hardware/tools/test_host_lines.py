"""Small answers around a host: each reader takes its format and leaves out the rest."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.hardware.tools import host_lines, kernel_log, lspci_links


def test_counted_words_and_file_lines_are_read():
    assert host_lines.read_counted("     60 performance\n      4 powersave\nnonsense") == {
        "performance": 60,
        "powersave": 4,
    }
    assert host_lines.read_file_lines("/sys/a:1\n/sys/a:2: x\nno path\n/sys/b:") == {
        "/sys/a": ("1", "2: x"),
        "/sys/b": ("",),
    }


def test_units_are_told_apart_by_empty_lines():
    units = host_lines.read_units(
        "Id=docker.service\nLoadState=loaded\nActiveState=active\nLimitNOFILE=infinity\n\n"
        "Id=nvidia-imex.service\nLoadState=not-found\nActiveState=inactive\n"
    )

    assert units["docker"].is_active
    assert units["docker"].limits == {"LimitNOFILE": "infinity"}
    assert not units["nvidia-imex"].is_installed
    assert host_lines.read_units("System has not been booted with systemd") == {}


def test_listening_ports_keep_every_address():
    ports = host_lines.read_listening(
        "State  Recv-Q Send-Q Local Address:Port  Peer Address:Port\n"
        "LISTEN 0      4096   127.0.0.1:8000      0.0.0.0:*\n"
        "LISTEN 0      4096        [::]:8000         [::]:*\n"
        "0      128        *:22            *:*\n"
    )

    assert ports == {8000: ("127.0.0.1", "::"), 22: ("*",)}


def test_kernels_and_dkms_of_old_and_new_forms_are_read():
    assert host_lines.read_kernels("6.8.0-60 nvidia=/lib/x\n6.8.0-71 nvidia=\n") == {
        "6.8.0-60": True,
        "6.8.0-71": False,
    }
    assert host_lines.read_dkms(
        "nvidia/580.95.05, 6.8.0-60, x86_64: installed\n"
        "nvidia, 550.54, 5.15.0-1, x86_64: built\n"
        "zfs/2.2, 6.8.0-60, x86_64: installed\n"
    ) == {"6.8.0-60": "installed", "5.15.0-1": "built"}


def test_block_devices_login_and_tools_are_read():
    devices = host_lines.read_block_devices('NAME="sda" ROTA="1" TRAN="sata" TYPE="disk"\n\nx\n')
    assert devices["sda"]["ROTA"] == "1"
    login = host_lines.read_login("path=/usr/bin:/bin locale=de_DE.UTF-8\n")
    assert login == host_lines.Login(path=("/usr/bin", "/bin"), locale="de_DE.UTF-8")
    assert host_lines.read_login("") is None
    assert host_lines.read_tool_paths("docker /usr/bin/docker\npodman \n/odd\n") == {
        "docker": "/usr/bin/docker",
        "podman": "",
    }


def test_gpu_errors_are_read_from_both_logs_and_told_from_switches():
    log = (
        "[  5.1] NVRM: Xid (PCI:0000:41:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
        "Nov 29 10:00:00 h kernel: NVRM: Xid (0000:41:00): 13, Graphics SM Warp Exception\n"
        "[  6.0] nvidia-nvswitch3: SXid (PCI:0000:c5:00.0): 24007, Non-fatal, Link 1\n"
        "[  7.0] usb 1-1: new device\n"
    )

    events = kernel_log.read_xid_events(log)

    assert [(e.code, e.bus_id, e.is_switch) for e in events] == [
        (79, "0000:41:00", False),
        (13, "0000:41:00", False),
        (24007, "0000:c5:00.0", True),
    ]
    assert len(kernel_log.off_bus_lines(log)) == 1


def test_only_errors_of_the_bus_that_were_not_corrected_count():
    log = (
        "pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer\n"
        "pcieport 0000:00:01.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=X\n"
        "pcieport 0000:00:01.0: AER: Uncorrected (Fatal) error received: 0000:41:00.0\n"
    )

    assert len(kernel_log.uncorrected_bus_errors(log)) == 2


def test_redirections_are_read_of_bridges_only():
    reading = lspci_links.read_acs(
        "0000:16:00.0 PCI bridge: Example Switch (prog-if 00)\n"
        "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd- EgressCtrl-\n"
        "1a:00.0 3D controller: NVIDIA Corporation\n"
        "\t\tACSCtl:\tSrcValid+ ReqRedir+\n"
    )

    (bridge,) = reading.bridges
    assert (bridge.bus_id, bridge.redirects) == ("0000:16:00.0", ("ReqRedir", "CmpltRedir"))
    assert not reading.is_denied
    assert lspci_links.read_acs("Capabilities: <access denied>").is_denied


@given(st.text(max_size=300))
def test_no_text_makes_a_reader_raise(text):
    for read in (
        host_lines.read_counted,
        host_lines.read_file_lines,
        host_lines.read_units,
        host_lines.read_listening,
        host_lines.read_block_devices,
        host_lines.read_kernels,
        host_lines.read_dkms,
        host_lines.read_login,
        host_lines.read_tool_paths,
        kernel_log.read_xid_events,
        kernel_log.uncorrected_bus_errors,
        lspci_links.read_acs,
    ):
        read(text)
