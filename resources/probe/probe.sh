#!/bin/sh
# Pitwall's probe: asks this host what it is and prints the answers, framed, on standard output.
# It only reads: no file is written, nothing is installed, nothing needs root. POSIX sh; runs in
# dash, bash and busybox. It ends within 30 seconds, also when a tool never answers.
#
#   sh probe.sh > answers.txt          (for hosts that Pitwall may not enter)
#
# Every frame line starts with a random boundary, announced in the first line unless the caller
# set PITWALL_BOUNDARY. A section is: section NAME, command, stdout, stderr, status.
# PITWALL_PATIENCE=SECONDS lowers the time limit of each tool.

login="path=$PATH locale=${LC_ALL:-${LC_NUMERIC:-$LANG}}"
LC_ALL=C LANG=C
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PATH=$PATH:/usr/local/nvidia/bin:/usr/local/cuda/bin:/usr/lib/wsl/lib:/opt/bin:/snap/bin
PATH=$PATH:/run/current-system/sw/bin
export LC_ALL LANG PATH

boundary=${PITWALL_BOUNDARY:-}
if [ -z "$boundary" ]; then
  boundary=$(od -An -N16 -tx1 /dev/urandom 2>/dev/null | tr -d ' \n')
  boundary=${boundary:-$$$(date +%s)}
fi
B="#pitwall-$boundary"
# clock: sets now, in seconds, without a process of its own where /proc says it.
clock() {
  if read -r now _ </proc/uptime; then now=${now%.*}; else now=$(date +%s); fi
} 2>/dev/null
clock
deadline=$((now + 20))
patience=${PITWALL_PATIENCE:-60}
smi_silent=
status=

# timeout(1) ends a whole process group; where it is missing, setsid makes one for our watchdog.
limiter=
if timeout -k 1 5 true >/dev/null 2>&1; then limiter=timeout
elif command -v setsid >/dev/null 2>&1; then limiter=setsid; fi

# attempt SECONDS COMMAND...: sets status to the exit code or to "timeout". The watchdog also
# gives up on a process that cannot be killed (stuck in the driver), which timeout(1) waits for.
attempt() {
  seconds=$1 late=
  shift
  trap 'late=1' USR1
  read -r self _ </proc/self/stat || self=$(exec sh -c 'echo "$PPID"')
  case $limiter in
    timeout) timeout -k 1 "$seconds" "$@" </dev/null 3>&- & grace=2 ;;
    setsid) setsid "$@" </dev/null 3>&- & grace=0 ;;
    *) "$@" </dev/null 3>&- & grace=0 ;;
  esac
  child=$!
  (
    trap 'kill "$nap"; exit 0' TERM
    sleep "$((seconds + grace))" & nap=$!
    wait "$nap"
    kill -TERM "-$child" || kill -TERM "$child"
    sleep 1
    kill -KILL "-$child" || kill -KILL "$child"
    kill -USR1 "$self"
  ) </dev/null >/dev/null 2>&1 3>&- &
  dog=$!
  wait "$child"
  status=$?
  kill "$dog" 2>/dev/null
  case $limiter:$status in
    timeout:124 | timeout:137) late=1 ;;
    *:143 | *:137) kill -0 "$dog" 2>/dev/null || late=1 ;;
  esac
  [ -z "$late" ] || status=timeout
}

# run NAME SECONDS COMMAND...: one framed section. Standard error travels on a pipe of its own
# whose reader stops at the status line, so a process left behind cannot hold us up.
run() {
  name=$1 limit=$2
  shift 2
  begin "$name" "$@"
  command -v "$1" >/dev/null 2>&1 || { finish "$1: not found" 127; return; }
  [ "$limit" -le "$patience" ] || limit=$patience
  clock
  left=$((deadline - now))
  [ "$left" -ge "$limit" ] || limit=$left
  why=
  [ "$limit" -ge 1 ] || why="the time for all commands was used up"
  [ "$1:$smi_silent" != nvidia-smi:yes ] || why="nvidia-smi did not answer before"
  [ -z "$why" ] || { finish "pitwall: not tried, $why" skipped; return; }
  {
    said=$(
      {
        attempt "$limit" "$@"
        printf '\n%s status %s\n' "$B" "$status" >&2
      } 2>&1 >&3 3>&- | sed "/^$B status /q;2000q"
    )
  } 3>&1
  status=${said##*"$B status "}
  [ "$status" != "$said" ] || status=unknown
  finish "${said%"$B status "*}" "$status"
  if [ "$status" = timeout ] && [ "$1" = nvidia-smi ]; then smi_silent=yes; fi
}

begin() { # NAME COMMAND...: the head of a section
  printf '\n%s section %s\n' "$B" "$1"
  shift
  printf '%s command %s\n%s stdout\n' "$B" "$*" "$B"
}

finish() { # STDERR STATUS: its end
  status=$2
  printf '\n%s stderr\n%s\n%s status %s\n' "$B" "$1" "$B" "$2"
}

quick() { # NAME COMMAND...: for what cannot hang: files of /proc, shell loops
  begin "$@"
  shift
  "$@" </dev/null 2>/dev/null
  finish "" "$?"
}

look() { # NAME FUNCTION: for loops over files, of which some may be missing
  begin "$@"
  "$2" </dev/null 2>/dev/null
  finish "" 0
}

only() { # PATTERN, behind "run": lets the frame pass, complaints, and the lines that matter
  grep -E "^$B|not permitted|denied|not found|$1" | sed 2000q
}

lane_smi() {
  columns=index,name,uuid,pci.bus_id,driver_version,memory.total,memory.used,memory.free
  columns=$columns,utilization.gpu,temperature.gpu,power.draw,power.limit
  more=compute_cap,memory.reserved,clocks.sm,clocks.mem,clocks.max.sm,pcie.link.gen.current
  more=$more,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,persistence_mode
  more=$more,compute_mode,mig.mode.current,ecc.mode.current,ecc.errors.uncorrected.volatile.total
  started=$(date +%s)
  run smi-csv 8 nvidia-smi "--query-gpu=$columns,$more" --format=csv
  # An older driver refuses the whole query for one unknown column.
  [ "$status" != 2 ] || run smi-csv-basic 8 nvidia-smi "--query-gpu=$columns" --format=csv
  quick smi-time echo "seconds=$(($(date +%s) - started))"
  run smi-topo-m 8 nvidia-smi topo -m
  run smi-apps 8 nvidia-smi --query-compute-apps=pid,process_name,used_memory,gpu_uuid --format=csv
  run smi-topo-p2p-r 8 nvidia-smi topo -p2p r
  run smi-cc 8 nvidia-smi conf-compute -f
}

lane_smi_detail() {
  run smi-q-x 10 nvidia-smi -q -x
  run smi-nvlink-s 8 nvidia-smi nvlink -s
  run smi-nvlink-e 8 nvidia-smi nvlink -e
  run smi-L 8 nvidia-smi -L
}

lane_containers() {
  run docker-version 6 docker version --format '{{json .}}'
  run docker-info 8 docker info --format '{{json .}}'
  ! command -v podman >/dev/null 2>&1 || run podman-info 6 podman info --format json
  run nvctk 4 nvidia-ctk --version; run fabric-manager 3 nv-fabricmanager --version
  run cdi-list 4 nvidia-ctk cdi list
  look cdi-spec cdi_specs; look sockets sockets
  run services 4 systemctl show -p Id,LoadState,ActiveState,LimitMEMLOCK,LimitNOFILE docker \
    nvidia-fabricmanager nvidia-imex nvidia-persistenced nvidia-cdi-refresh.path
  run time 3 timedatectl show; run listening 3 ss -ltn
}

cdi_specs() {
  for file in /etc/cdi/*.yaml /etc/cdi/*.json /var/run/cdi/*.yaml /var/run/cdi/*.json; do
    [ -r "$file" ] || continue
    echo "== $file"
    grep -E '^[[:space:]]*(-[[:space:]]+)?"?(kind|cdiVersion|name)"?:' "$file"
    grep -o 'libcuda\.so\.[0-9.]*[0-9]' "$file" | sort -u
  done
}

sockets() {
  for socket in /var/run/docker.sock /run/podman/podman.sock "$XDG_RUNTIME_DIR/docker.sock" \
    "$XDG_RUNTIME_DIR/podman/podman.sock"; do
    [ -S "$socket" ] || continue
    usable=no
    [ -r "$socket" ] && [ -w "$socket" ] && usable=yes
    echo "$socket usable=$usable"
  done
}

lane_kernel() {
  run modinfo 3 modinfo nvidia | only '^(filename|version|license|signer|vermagic):'
  run numactl 4 numactl -H; run dkms 4 dkms status; run secure-boot 3 mokutil --sb-state
  run libc 3 getconf GNU_LIBC_VERSION; run cgroup 2 stat -fc %T /sys/fs/cgroup
  run ldconfig 3 ldconfig -p | only 'libcuda\.so|libnvidia-ml\.so'
  run block-devices 3 lsblk -dPno NAME,ROTA,TRAN,TYPE
  run mps 3 pgrep -l nvidia-cuda-mps
  run lspci-vv 5 lspci -vv | only '^[0-9a-f]|LnkCap:|LnkSta:|ACSCtl:'
  events='NVRM|Xid|fallen off|AER:|PCIe Bus Error|IOMMU|iommu|DMAR|AMD-Vi|[Ll]ockdown|oom-kill'
  events="$events|Key was rej|request_free_mem|verification failed|DENIED.*nvidia|avc:.*nvidia"
  run dmesg 4 dmesg | only "$events"
  [ "$(cat /proc/sys/kernel/dmesg_restrict)" = 0 ] ||
    run journal 5 journalctl -kb -q --no-pager -o short-iso | only "$events|Linux version"
}

lane_system() {
  quick login echo "$login"; run uname 3 uname -a; run id 3 id; quick ulimit ulimit -a
  quick os-release cat /etc/os-release; quick meminfo cat /proc/meminfo
  run lscpu-J 4 lscpu -J
  case $status in 0 | 127 | timeout | skipped) ;; *) run lscpu 4 lscpu ;; esac
  look numa-sysfs numa_nodes; look pci-sysfs pci_devices; look kernels kernels
  look sysctl settings; look files small_files; look proxy proxies; look which tools
  quick driver-version cat /proc/driver/nvidia/version
  quick driver-params cat /proc/driver/nvidia/params
  quick modules grep -E '^(nvidia|nouveau|amdgpu|xe|i915|ib_)' /proc/modules
  run dev 3 ls -l /dev/nvidia* /dev/nvidia-caps /dev/infiniband /dev/dxg
  quick cmdline cat /proc/cmdline; quick model cat /proc/device-tree/model
  quick cpufreq counted /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor
  quick iommu counted /sys/kernel/iommu_groups/*/type
  quick routes awk '$2 == "00000000" { print "default", $1 }' /proc/net/route
  quick clock date -u +%Y-%m-%dT%H:%M:%SZ
  run virt 3 systemd-detect-virt
  run df 4 df -PT -B1
  case $status in 0) ;; timeout) run df-local 3 df -PT -B1 -l ;; *) run df-plain 3 df -P -k ;; esac
}

numa_nodes() {
  for node in /sys/devices/system/node/node[0-9]*; do
    [ -d "$node" ] || continue
    cpus=$(cat "$node/cpulist") # not by read: it asks byte by byte, some files answer only once
    memory=$(sed -n 's/.*MemTotal: *\([0-9]*\).*/\1/p' "$node/meminfo")
    echo "${node##*/} cpus=$cpus memory_kb=$memory"
  done
}

pci_devices() { # display controllers of all vendors; everything of NVIDIA and Mellanox
  for device in /sys/bus/pci/devices/*; do
    read -r vendor <"$device/vendor" || continue
    read -r class <"$device/class" || continue
    case $vendor:$class in 0x10de:* | 0x15b3:* | *:0x03*) ;; *) continue ;; esac
    attributes=
    for pair in dev=device numa=numa_node speed=current_link_speed maxspeed=max_link_speed \
      width=current_link_width maxwidth=max_link_width; do
      value=
      read -r value <"$device/${pair#*=}"
      attributes="$attributes ${pair%%=*}=$value"
    done
    cpus=$(cat "$device/local_cpulist")
    if cd -P "$device/driver"; then driver=${PWD##*/}; else driver=; fi
    cd -P "$device" || continue
    echo "$device class=$class vendor=$vendor$attributes cpus=$cpus driver=$driver path=$PWD"
  done
}

kernels() { # which installed kernels have NVIDIA's module
  for kernel in /lib/modules/*/; do
    found=$(ls "$kernel"*/nvidia.ko* "$kernel"*/*/nvidia.ko* "$kernel"*/*/*/nvidia.ko* | head -n 1)
    [ ! -d "$kernel/kernel" ] || echo "$(basename "$kernel") nvidia=$found"
  done
}

settings() {
  cd /proc/sys && grep -s '' vm/swappiness vm/nr_hugepages vm/overcommit_memory vm/max_map_count \
    vm/overcommit_ratio net/core/somaxconn net/ipv4/tcp_max_syn_backlog fs/file-max kernel/shmmax \
    kernel/numa_balancing kernel/pid_max kernel/dmesg_restrict | sed 's#/#.#g; s#:# = #'
}

small_files() {
  grep -s '' /proc/version /proc/swaps /etc/nv_tegra_release /sys/fs/selinux/enforce \
    /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes \
    /sys/kernel/mm/transparent_hugepage/enabled /sys/module/apparmor/parameters/enabled \
    /sys/module/nvidia_uvm/parameters/uvm_disable_hmm /sys/class/infiniband/*/ports/*/state \
    /sys/bus/pci/drivers/nvidia/*/aer_dev_[fn]*
}

counted() { cat "$@" | sort | uniq -c; }

proxies() { env | grep -iE '^(https?|no|all)_proxy=' | sed 's#://[^/]*@#://***@#'; }

tools() {
  for tool in nvidia-smi nvidia-ctk nvidia-container-runtime nvidia-container-runtime-hook \
    nvidia-container-toolkit nvidia-container-cli nvidia-cdi-hook nv-fabricmanager nvidia-imex \
    nvidia-persistenced docker podman nerdctl nvcc numactl lspci rocm-smi amd-smi python3 curl; do
    echo "$tool $(command -v "$tool")"
  done
}

# relay LANE: one lane's output, up to its last line even if a stray process keeps the pipe open;
# bounded in lines and memory in case a tool prints without end.
relay() {
  { "$1"; printf '\n%s lane\n' "$B"; } |
    { ulimit -v 524288 2>/dev/null; exec sed "/^$B lane/q;40000q"; }
}

# together LANE...: runs the lanes at the same time, prints one after another, uses no files.
together() {
  first=$1
  shift
  [ $# -gt 0 ] || { relay "$first"; return; }
  { text=$(relay "$first"); printf '%s\n' "$text"; } |
    { rest=$(together "$@" </dev/null); cat; printf '%s\n' "$rest"; }
}

main() {
  printf '#pitwall-probe 1 %s\n' "$boundary"
  together lane_smi lane_smi_detail lane_containers lane_kernel lane_system
  printf '\n%s end\n' "$B"
}

main </dev/null 2>/dev/null
exit 0
