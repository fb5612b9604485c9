"""What tools print for people rather than for programs: df -h, free -h, docker info."""

import pytest

from app.core.hardware.tools.df import read_df
from app.core.hardware.tools.docker_info import read_docker_info
from app.core.hardware.tools.proc_files import read_meminfo
from app.core.inspect.recognise import InspectKind, inspect_text

DF = """Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  1.5T  602G  900G  36% /
tmpfs            63G     0   63G   0% /dev/shm
nas:/models      12T  3.5T  8.2T  31% /mnt/my models
odd              1x3G  3    4G    1%  /odd
"""
DF_CHINESE = (
    "文件系统        容量  已用  可用 已用% 挂载点\n/dev/nvme0n1p2  1.5T  602G  900G   36% /\n"
)
FREE = """               total        used        free      shared  buff/cache   available
Mem:           251Gi        12Gi       200Gi       1.0Gi        39Gi       236Gi
Swap:          8.0Gi          0B       8.0Gi
"""


def test_rounded_sizes_of_df_are_read_in_powers_of_1024():
    disks = {disk.mount: disk for disk in read_df(DF)}
    assert set(disks) == {"/", "/dev/shm", "/mnt/my models"}
    assert disks["/"].total_bytes == int(1.5 * 1024**4)
    assert disks["/"].free_bytes == 900 * 1024**3


def test_a_chinese_df_says_the_same():
    assert read_df(DF_CHINESE)[0] == read_df(DF)[0]
    assert inspect_text(DF_CHINESE).kind is InspectKind.DF


def test_free_with_units_is_the_machines_memory():
    assert read_meminfo(FREE) == {
        "MemTotal": 251 * 1024**3,
        "MemAvailable": 236 * 1024**3,
    }
    assert inspect_text(FREE).kind is InspectKind.MEMINFO


def test_free_without_units_stays_unknown():
    assert read_meminfo(FREE.replace("Gi", "")) == {}


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", 1),
        ("Server:\nERROR: permission denied while trying to connect\nerrors pretty printing", 1),
    ],
)
def test_a_docker_info_that_failed_is_an_answer(text, errors):
    found = read_docker_info(text)
    assert found.version is None
    assert len(found.errors) == errors


def test_other_text_is_no_docker_info():
    assert read_docker_info("Server: nginx\nName: web") is None
