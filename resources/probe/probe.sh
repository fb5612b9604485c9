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

LC_ALL=C
LANG=C
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
deadline=$(($(date +%s) + 20))
patience=${PITWALL_PATIENCE:-60}
smi_silent=
status=

# timeout(1) ends a whole process group; where it is missing, setsid makes one for our watchdog.
limiter=
if timeout -k 1 5 true >/dev/null 2>&1; then
  limiter=timeout
elif command -v setsid >/dev/null 2>&1; then
  limiter=setsid
fi

# attempt SECONDS COMMAND...: sets status to the exit code or to "timeout". The watchdog also
# gives up on a process that cannot be killed (stuck in the driver), which timeout(1) waits for.
attempt() {
  seconds=$1
  shift
  late=
  trap 'late=1' USR1
  self=$(exec sh -c 'echo "$PPID"')
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
  printf '\n%s section %s\n%s command %s\n%s stdout\n' "$B" "$name" "$B" "$*" "$B"
  if ! command -v "$1" >/dev/null 2>&1; then
    finish "$1: not found" 127
    return
  fi
  [ "$limit" -le "$patience" ] || limit=$patience
  left=$((deadline - $(date +%s)))
  [ "$left" -ge "$limit" ] || limit=$left
  if [ "$limit" -lt 1 ]; then
    finish "pitwall: not tried, the time for all commands was used up" skipped
    return
  fi
  if [ "$1:$smi_silent" = nvidia-smi:yes ]; then
    finish "pitwall: not tried, nvidia-smi did not answer before" skipped
    return
  fi
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

finish() {
  status=$2
  printf '\n%s stderr\n%s\n%s status %s\n' "$B" "$1" "$B" "$2"
}

# quick NAME COMMAND...: for what cannot hang: files of /proc, shell loops.
quick() {
  name=$1
  shift
  printf '\n%s section %s\n%s command %s\n%s stdout\n' "$B" "$name" "$B" "$*" "$B"
  "$@" </dev/null 2>/dev/null
  finish "" "$?"
}

lane_smi() {
  columns=index,name,uuid,pci.bus_id,driver_version,compute_cap
  columns=$columns,memory.total,memory.used,memory.free,memory.reserved
  columns=$columns,utilization.gpu,temperature.gpu,power.draw,power.limit
  columns=$columns,clocks.sm,clocks.mem,clocks.max.sm,pcie.link.gen.current,pcie.link.gen.max
  columns=$columns,pcie.link.width.current,pcie.link.width.max,persistence_mode,compute_mode
  columns=$columns,mig.mode.current,ecc.mode.current,ecc.errors.uncorrected.volatile.total
  run smi-csv 8 nvidia-smi "--query-gpu=$columns" --format=csv
  if [ "$status" = 2 ]; then
    # An older driver refuses the whole query for one unknown column.
    columns=index,name,uuid,pci.bus_id,driver_version,memory.total,memory.used,memory.free
    columns=$columns,utilization.gpu,temperature.gpu,power.draw,power.limit
    run smi-csv-basic 8 nvidia-smi "--query-gpu=$columns" --format=csv
  fi
  run smi-topo-m 8 nvidia-smi topo -m
  run smi-apps 8 nvidia-smi --query-compute-apps=pid,process_name,used_memory,gpu_uuid --format=csv
  run smi-topo-p2p-r 8 nvidia-smi topo -p2p r
}

lane_smi_detail() {
  run smi-q-x 10 nvidia-smi -q -x
  run smi-nvlink-s 8 nvidia-smi nvlink -s
  run smi-L 8 nvidia-smi -L
}

lane_containers() {
  run docker-version 6 docker version --format '{{json .}}'
  run docker-info 8 docker info --format '{{json .}}'
  if command -v podman >/dev/null 2>&1; then
    run podman-info 6 podman info --format json
  fi
  run nvctk 4 nvidia-ctk --version
  run cdi-list 4 nvidia-ctk cdi list
  quick cdi-spec cdi_specs
  quick sockets container_sockets
}

cdi_specs() {
  for file in /etc/cdi/*.yaml /etc/cdi/*.json /var/run/cdi/*.yaml /var/run/cdi/*.json; do
    [ -r "$file" ] || continue
    echo "== $file"
    grep -E '^[[:space:]]*(-[[:space:]]+)?"?(kind|cdiVersion|name)"?:' "$file"
  done
  return 0
}

container_sockets() {
  for socket in /var/run/docker.sock /run/podman/podman.sock "$XDG_RUNTIME_DIR/docker.sock" \
    "$XDG_RUNTIME_DIR/podman/podman.sock"; do
    [ -S "$socket" ] || continue
    access=no
    [ -r "$socket" ] && [ -w "$socket" ] && access=yes
    echo "$socket usable=$access"
  done
  return 0
}

lane_system() {
  quick uname uname -a
  quick id id
  quick os-release cat /etc/os-release
  quick meminfo cat /proc/meminfo
  run lscpu-J 4 lscpu -J
  case $status in
    0 | 127 | timeout | skipped) ;;
    *) run lscpu 4 lscpu ;;
  esac
  quick numa-sysfs numa_nodes
  run numactl 4 numactl -H
  quick pci-sysfs pci_devices
  quick driver-version cat /proc/driver/nvidia/version
  quick modules grep -E '^(nvidia|nouveau|amdgpu|xe|i915)' /proc/modules
  quick dev ls -l /dev/nvidia* /dev/nvidia-caps /dev/infiniband /dev/dxg
  quick sysctl kernel_settings
  quick which tools
  run virt 3 systemd-detect-virt
  run df 4 df -PT -B1
  case $status in
    0) ;;
    timeout) run df-local 3 df -PT -B1 -l ;;
    *) run df-plain 3 df -P -k ;;
  esac
}

numa_nodes() {
  for node in /sys/devices/system/node/node[0-9]*; do
    [ -d "$node" ] || continue
    cpus=$(cat "$node/cpulist") # not by read: it asks byte by byte, some files answer only once
    memory=
    while read -r _ _ key value _; do
      if [ "$key" = MemTotal: ]; then memory=$value; break; fi
    done <"$node/meminfo"
    echo "${node##*/} cpus=$cpus memory_kb=$memory"
  done
  return 0
}

# Display controllers of all vendors; everything of NVIDIA and Mellanox (switches, adapters).
pci_devices() {
  for device in /sys/bus/pci/devices/*; do
    read -r vendor <"$device/vendor" || continue
    read -r class <"$device/class" || continue
    case $vendor:$class in
      0x10de:* | 0x15b3:* | *:0x03*) ;;
      *) continue ;;
    esac
    attributes=
    for pair in dev=device numa=numa_node speed=current_link_speed maxspeed=max_link_speed \
      width=current_link_width maxwidth=max_link_width; do
      value=
      read -r value <"$device/${pair#*=}"
      attributes="$attributes ${pair%%=*}=$value"
    done
    cpus=$(cat "$device/local_cpulist")
    driver=
    if cd -P "$device/driver"; then driver=${PWD##*/}; fi
    cd -P "$device" || continue
    echo "$device class=$class vendor=$vendor$attributes cpus=$cpus driver=$driver path=$PWD"
  done
  return 0
}

kernel_settings() {
  for key in vm.swappiness vm.nr_hugepages vm.overcommit_memory net.core.somaxconn fs.file-max \
    kernel.numa_balancing kernel.shmmax kernel.pid_max; do
    echo "$key = $(cat "/proc/sys/$(echo "$key" | tr . /)")"
  done
  return 0
}

tools() {
  for tool in nvidia-smi nvidia-ctk nvidia-container-runtime nvidia-container-runtime-hook \
    nvidia-container-toolkit nvidia-container-cli nvidia-fabricmanager nv-fabricmanager \
    nvidia-persistenced docker podman nerdctl nvcc numactl lspci rocm-smi amd-smi python3 curl; do
    echo "$tool $(command -v "$tool")"
  done
  return 0
}

# relay LANE: one lane's output, up to its last line even if a stray process keeps the pipe open;
# bounded in lines and memory in case a tool prints without end.
relay() {
  { "$1"; printf '\n%s lane\n' "$B"; } | (
    ulimit -v 524288 2>/dev/null
    exec sed "/^$B lane/q;40000q"
  )
}

# together LANE...: runs the lanes at the same time, prints one after another, uses no files.
together() {
  first=$1
  shift
  if [ $# -eq 0 ]; then
    relay "$first"
    return
  fi
  {
    text=$(relay "$first")
    printf '%s\n' "$text"
  } | {
    rest=$(together "$@" </dev/null)
    cat
    printf '%s\n' "$rest"
  }
}

main() {
  printf '#pitwall-probe 1 %s\n' "$boundary"
  together lane_smi lane_smi_detail lane_containers lane_system
  printf '\n%s end\n' "$B"
}

main </dev/null 2>/dev/null
exit 0
