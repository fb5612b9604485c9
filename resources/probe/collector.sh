#!/bin/sh
# Pitwall's collector: asks this host what it is and writes the answers into one text file.
# It only reads: nothing is installed, changed or sent; no root. It ends within 60 seconds, also
# when a tool never answers. POSIX sh.
#
#   sh pitwall-collector.sh [--redact] [-o FILE]      FILE "-" is standard output
#
# --redact puts stand-ins for serial numbers, UUIDs, names of hosts and users, IP and MAC
# addresses; equal things get equal stand-ins, so that links and processes still match.

#%probe

# Reads answers, writes them with stand-ins. A value is found by its shape, by the words before
# it, or because it is this host's, its domain's or this user's name.
redacted() {
  awk -v hosts="$(attempt 2 uname -n) $(cat /proc/sys/kernel/hostname)" -v kernel="$(cat /proc/sys/kernel/osrelease)" \
    -v users="$(attempt 2 id -un) $USER $LOGNAME $SUDO_USER ${HOME##*/}" \
    -v domains="$(sed -n 's/^search[[:space:]]//p; s/^domain[[:space:]]//p' /etc/resolv.conf)" '
  function stand_in(kind, value, n) {
    if (value ~ /^redacted-/) return value
    if (kind != "serial") value = tolower(value)
    if (!((kind, value) in known)) known[kind, value] = ++count[kind]
    n = known[kind, value]
    if (kind == "uuid") return sprintf("00000000-0000-0000-0000-%012d", n)
    if (kind == "mac") return sprintf("00:00:5e:00:%02x:%02x", 83 + n / 256, n % 256)
    if (kind == "ipv6") return sprintf("2001:db8::%x", n)
    if (kind == "ipv4") return "192.0.2." n
    return "redacted-" kind "-" n
  }
  function is_whole(kind, value, left, right, part, i) { # has the match the shape it should have?
    if (left ~ /[0-9A-Za-z_]$/ || right ~ /^[0-9A-Za-z_]/) return 0
    if (kind == "ipv6") return value ~ h && value !~ h4 h && split(value, part, ":") > 2 && (value ~ /::/ || part[8] != "")
    if (kind != "ipv4") return 1
    split(value, part, ".")
    for (i = 1; i <= 4; i++) if (part[i] > 255 || part[i] ~ /^0./) return 0
    return left !~ /\.$/ && right !~ /^\.[0-9]/ && !index(kernel, value)
  }
  function hide(kind, lead, shape, keep, rest, left, found) {
    for (rest = $0; match(rest, lead == "" ? shape : "(" lead ")" shape); ) {
      left = left substr(rest, 1, RSTART - 1); found = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      if (lead != "" && match(found, shape "$")) { left = left substr(found, 1, RSTART - 1); found = substr(found, RSTART) }
      left = left (found ~ keep || (lead == "" && !is_whole(kind, found, left, rest)) ? found : stand_in(kind, found))
    }
    $0 = left rest
  }
  function learn(kind, words, list, n) {
    for (n = split(words, list, " "); n > 0; n--) if (list[n] ~ /[a-z]../ && list[n] !~ common) names[list[n]] = kind
  }
  BEGIN { # names that identify nobody stay; hiding them would spoil the answers
    common = "^(root|docker|podman|nvidia|cuda|gpus?|linux|local(host|domain)?|hosts?|server|node|users?|admin|ubuntu|debian|" \
      "centos|rocky|almalinux|fedora|rhel|opc|core|azureuser|ec2-user|nobody|test|home|sudo|wheel|adm|video|render|plugdev|" \
      "lxd|dialout|cdrom|dip|audio|input|kvm|libvirt|staff|disk|tty|sys|daemon|ollama|vllm|data|default|none|lost.found)$"
    public = "(^|\\.)(docker\\.(io|com)|nvcr\\.io|ghcr\\.io|quay\\.io|gcr\\.io|nvidia\\.com|github\\.com|ubuntu\\.com|debian\\.org|" \
      "redhat\\.com|centos\\.org|rockylinux\\.org|almalinux\\.org|fedoraproject\\.org|(open)?suse\\.(com|org)|launchpad\\.net)$"
    h = "[0-9A-Fa-f]"; h2 = h h; h4 = h2 h2; g4 = "[A-Z2-7][A-Z2-7][A-Z2-7][A-Z2-7]"
    learn("host", hosts " " domains); gsub(/\.[^ ]*/, "", hosts); learn("host", hosts); learn("user", users)
  }
  /^#pitwall-/ { if ($2 == "section") section = $3; print; next }
  {
    hide("uuid", "", h4 h4 "-" h4 "-" h4 "-" h4 "-" h4 h4 h4, "^00000000-0000-0000-")
    hide("mac", "", h2 ":" h2 ":" h2 ":" h2 ":" h2 ":" h2, "^(00:)+00")
    if (section != "uname") hide("ipv4", "", "[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+", "^(127|0|255)\\.")
    hide("ipv6", "", "[0-9A-Fa-f:]*:[0-9A-Fa-f:]+", "^:+1?$")
    hide("serial", "<[a-z_]*(serial|guid|pdi)[a-z_]*>", "[^<>]+", "N/A|^(0x)?0*$")
    hide("serial", "(([Ss]erial|SERIAL)( ?[Nn]umber)?|GUID|PDI)\"?[ \t]*[:=]?[ \t]*\"?", "[0-9A-Za-z-]*[0-9][0-9A-Za-z-]+", "^(0x)?0*$")
    hide("serial", "\"ID\": ?\"| ID: ", g4 ":[A-Z2-7:]+", "^$")
    if (section == "uname") hide("host", "^[A-Za-z]+ ", "[^ ]+", common)
    if (section == "docker-info") hide("host", "\"Name\": ?\"", "[0-9A-Za-z.-]+", public)
    if (section == "id") hide("user", "[0-9]\\(", "[^()]+", common)
    gsub(/"Labels": ?\[[^]]*[^] ]\]/, "\"Labels\":[\"redacted\"]")
    hide("host", "\"(HttpProxy|HttpsProxy|NoProxy)\": ?\"|(HTTPS?|No) Proxy: |(_proxy|_PROXY)=", "[^\" =]+", "^$")
    gsub(/:\/\/[^\/@ "]+@/, "://redacted@"); hide("host", "://(redacted@)?", "[A-Za-z][0-9A-Za-z.-]*", public)
    hide("user", "/(home|Users|media)/", "[^/ \",;:<]+", common)
    if (section ~ /^df/ && $0 !~ /^192/ && match($0, /^[0-9A-Za-z][0-9A-Za-z.-]*:\//))
      $0 = stand_in("host", substr($0, 1, RLENGTH - 2)) substr($0, RLENGTH - 1)
    for (name in names) if (index($0, name)) { shape = name; gsub(/[^0-9A-Za-z]/, "[&]", shape); hide(names[name], "", shape, "^$") }
    print
  }'
}

about() { echo "collector=1 redacted=$redact taken_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)"; }

collect() {
  echo "# Read on a host by Pitwall's collector. Please send this file as it is."
  { quick collector about; main; } </dev/null 2>/dev/null | if [ "$redact" = yes ]; then redacted; else cat; fi
}

say() { printf 'pitwall-collector: %s\n' "$*" >&2; }

# Ends everything that still hangs after 50 seconds; what was read until then is in the file.
timed() {
  ("$@") & work=$!
  (trap 'kill "$nap"; exit 0' TERM; sleep 50 & nap=$!; wait "$nap"; kill "$work") >/dev/null 2>&1 & guard=$!
  wait "$work" 2>/dev/null; kill "$guard" 2>/dev/null
}

redact=no file=
while [ $# -gt 0 ]; do
  case $1:${2:-} in
    --redact:*) redact=yes ;;
    -o:?*) file=$2; shift ;;
    *) say "usage: sh pitwall-collector.sh [--redact] [-o FILE]     (FILE -: standard output)"; exit 2 ;;
  esac
  shift
done
if [ "$redact" = yes ] && ! awk 'BEGIN { exit 0 }' 2>/dev/null; then say "--redact needs awk; nothing was written"; exit 1; fi
if [ "$file" = - ]; then timed collect; exit 0; fi
name=host; [ "$redact" = yes ] || read -r name </proc/sys/kernel/hostname || name=host
file=${file:-pitwall-${name%%.*}-$(date +%Y%m%d-%H%M%S).txt}
if [ -e "$file" ]; then say "$file is there already; nothing was written. Choose another with -o FILE"; exit 1; fi
if ! (set -C; : >"$file") 2>/dev/null; then say "$file cannot be written. Choose another place: -o /tmp/pitwall.txt, or -o -"; exit 1; fi
say "reading, at most a minute"
timed collect >>"$file"
say "wrote $file ($(($(wc -c <"$file"))) bytes). Please send this file."
