# Sourced by packaging/run and packaging/test: messages, the Python environment, Debian packages.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
VENV=$ROOT/.venv

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}
is_root() { [ "$(id -u)" -eq 0 ]; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- Python ---------------------------------------------------------------------------------------

python_is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the first Python >= 3.11. PITWALL_PYTHON wins.
find_python() {
  local candidate
  for candidate in ${PITWALL_PYTHON:+"$PITWALL_PYTHON"} python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if have "$candidate" && python_is_new_enough "$candidate"; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

has_venv_module() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

# What the environment must match: the project's dependencies and the place where it lies.
venv_fingerprint() { { printf '%s\n' "$ROOT"; cat "$ROOT/pyproject.toml"; } | sha256sum | cut -d' ' -f1; }

# ensure_venv EXTRA: makes or renews .venv; EXTRA is "" or "dev". Quick when nothing changed.
ensure_venv() {
  local extra=$1 stamp=$VENV/.pitwall wanted have='' have_extra='' python version target
  wanted=$(venv_fingerprint)
  # Two words: read drops the blank at the end of a line whose second word is empty.
  [ ! -r "$stamp" ] || read -r have have_extra <"$stamp" || true
  if [ -x "$VENV/bin/python" ]; then
    # An environment with the test tools serves the program, too.
    if [ "$have" = "$wanted" ]; then
      case $have_extra in dev | "$extra") return 0 ;; esac
    fi
    # Renewing must not take the test tools away from someone who has them.
    if [ "$have_extra" = dev ]; then extra=dev; fi
    if ! python_is_new_enough "$VENV/bin/python"; then rm -rf "$VENV"; fi
  fi
  if [ ! -x "$VENV/bin/python" ]; then
    python=$(find_python) || {
      install_packages "Python 3.11 or newer" python3 python3-venv
      hash -r
      python=$(find_python) || die "Pitwall needs Python 3.11 or newer; found only: $(python3 --version 2>&1 || echo none). Install one and name it: PITWALL_PYTHON=/path/to/python3.12 $0"
    }
    if ! has_venv_module "$python"; then
      version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
      install_packages "the venv module of $python" "python$version-venv"
      has_venv_module "$python" || die "$python has no venv module, and installing python$version-venv did not help"
    fi
    say "Making .venv with $("$python" --version 2>&1) ($python)"
    "$python" -m venv "$VENV"
  fi
  target=$ROOT${extra:+[$extra]}
  say "Installing the dependencies${extra:+ with the $extra tools} into .venv (about a minute the first time)"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$target" ||
    die "the dependencies could not be installed; pip needs a package index it can reach (see above)"
  printf '%s %s\n' "$wanted" "$extra" >"$stamp"
}

# --- Debian packages ------------------------------------------------------------------------------

missing_packages() {
  local package
  for package in "$@"; do
    case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
      ii*) ;;
      *) printf '%s\n' "$package" ;;
    esac
  done
}

sudo_line() { printf 'sudo apt-get install -y --no-install-recommends %s' "$*"; }

# install_packages WHAT PACKAGE...: installs them as root; else prints the one line to run, and stops.
install_packages() {
  local what=$1 log
  shift
  have apt-get || die "missing: $what. On Debian these are the packages: $*"
  is_root || die "missing: $what. Run this once, then start again:
  $(sudo_line "$@")"
  say "Installing $what: $*"
  log=$(mktemp)
  # The lists may be absent (container images) or too old for the mirror: refresh only when needed.
  if ! apt_install "$@" >"$log" 2>&1; then
    if ! { apt-get update && apt_install "$@"; } >"$log" 2>&1; then
      tail -n 15 "$log" >&2
      rm -f "$log"
      die "apt could not install: $*"
    fi
  fi
  rm -f "$log"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

# --- What the window needs ------------------------------------------------------------------------

# Debian package and the library that proves it is there; the second works on every Linux.
QT_LIBRARIES='libegl1:libEGL.so.1 libgl1:libGL.so.1 libxkbcommon0:libxkbcommon.so.0
  libxkbcommon-x11-0:libxkbcommon-x11.so.0 libdbus-1-3:libdbus-1.so.3 libfontconfig1:libfontconfig.so.1
  libxcb-cursor0:libxcb-cursor.so.0 libxcb-icccm4:libxcb-icccm.so.4 libxcb-image0:libxcb-image.so.0
  libxcb-keysyms1:libxcb-keysyms.so.1 libxcb-randr0:libxcb-randr.so.0
  libxcb-render-util0:libxcb-render-util.so.0 libxcb-shape0:libxcb-shape.so.0 libxcb-xkb1:libxcb-xkb.so.1'
CJK_PACKAGE=fonts-noto-cjk

has_cjk_font() {
  if have fc-list; then
    [ -n "$(fc-list :lang=zh-cn family 2>/dev/null | head -n 1)" ]
    return
  fi
  [ -n "$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" "$HOME/.local/share/fonts" \
    \( -iname '*cjk*' -o -iname '*wqy*' -o -iname '*droidsansfallback*' -o -iname '*sourcehan*' \) \
    -print -quit 2>/dev/null)" ]
}

missing_qt_packages() {
  local known pair
  known=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null) || return 0 # no glibc: nothing to say
  for pair in $QT_LIBRARIES; do
    case $known in
      *"${pair#*:} "*) ;;
      *) printf '%s\n' "${pair%%:*}" ;;
    esac
  done
}

# Libraries are a must; a missing font for Chinese only makes boxes of its characters.
ensure_window_libraries() {
  local libraries font=
  [ "$(uname -s)" = Linux ] || return 0
  mapfile -t libraries < <(missing_qt_packages)
  has_cjk_font || font=$CJK_PACKAGE
  if [ ${#libraries[@]} -gt 0 ]; then
    install_packages "system libraries of the window" "${libraries[@]}" ${font:+"$font"}
  elif [ -n "$font" ]; then
    if is_root && have apt-get; then
      install_packages "a font with Chinese characters" "$font"
    else
      say "No font with Chinese characters was found. Install one: $(sudo_line "$font")"
    fi
  fi
}
