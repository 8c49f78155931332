#!/usr/bin/env bash
# Sees to it that the project can be built here: finds Go, lets it fetch the toolchain go.mod asks for, and the modules.
# As root it installs libraries with apt-get; otherwise it says what is missing and writes only where the go command
# does. The other scripts source it, to have go in PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The go command keeps its caches at home: services and containers may have none.
if [ ! -w "${HOME:-/nowhere}" ]; then
  HOME=/tmp/halo-home-$(id -u)
  mkdir -p "$HOME"
  export HOME
fi
[ -w "${TMPDIR:-/tmp}" ] || export TMPDIR=/tmp
want=$(sed -n 's/^go //p' go.mod)
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin:/usr/lib/go/bin
if ! command -v go >/dev/null; then
  echo "setup: no go command in PATH: install Go $want (https://go.dev/dl or apt-get install golang-go)" >&2
  exit 1
fi
# Go 1.21 and later fetch the toolchain that go.mod names when they are older themselves.
if ! have=$(go env GOVERSION 2>&1); then
  echo "setup: the go command cannot provide Go $want: $have" >&2
  echo "setup: install it from https://go.dev/dl, or unset GOTOOLCHAIN and let go fetch it" >&2
  exit 1
fi
newest=$(printf '%s\n' "$want" "${have#go}" | sort -V | tail -n 1)
if [ "$newest" != "${have#go}" ]; then
  echo "setup: found $have, want Go $want or later: install it from https://go.dev/dl" >&2
  exit 1
fi
for try in 1 2 3; do # networks fail for a moment
  ! go mod download || break
  [ $try -lt 3 ] || { echo "setup: the modules that go.mod names cannot be had" >&2; exit 1; }
  sleep 5
done

# Vendor libraries make the CPU backend fast: halo opens those that it finds when it runs. Here they are installed where
# that needs no question: as root, with apt-get. HALO_SETUP=minimal leaves the machine as it is, HALO_SETUP=nofftw does
# without FFTW, which is under the GPL.
libraries=(libopenblas.so.0=libopenblas0-pthread libdnnl.so.2=libdnnl2)
[ "${HALO_SETUP:-}" = nofftw ] || libraries+=(libfftw3.so.3=libfftw3-double3 libfftw3f.so.3=libfftw3-single3)
case ${HALO_SETUP:-} in
"" | minimal | nofftw) ;;
*)
  echo "setup: HALO_SETUP is $HALO_SETUP, want minimal or nofftw, or nothing" >&2
  exit 2
  ;;
esac
compiles() { echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1; }
known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true)
missing=()
for pair in "${libraries[@]}"; do
  [[ $known == *"${pair%%=*} "* ]] || missing+=("${pair#*=}")
done
compiles || missing+=(gcc libc6-dev)

# install installs packages by the lists that are there, or else by new ones: all at once, or else what can be had.
install() {
  local apt=(apt-get -o DPkg::Lock::Timeout=120 -o Acquire::http::Timeout=30 -o Acquire::Retries=2 -qq)
  local add=("${apt[@]}" -y --no-install-recommends install) failed=0 name
  export DEBIAN_FRONTEND=noninteractive
  ! "${add[@]}" "$@" >/dev/null 2>&1 || return 0
  "${apt[@]}" update >/dev/null || true
  ! "${add[@]}" "$@" >/dev/null || return 0
  for name; do
    "${add[@]}" "$name" >/dev/null 2>&1 || failed=1
  done
  return $failed
}

if [ ${#missing[@]} -gt 0 ] && [ "${HALO_SETUP:-}" != minimal ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing ${missing[*]}" >&2
    install "${missing[@]}" </dev/null || echo "setup: apt-get failed: halo runs without some of them, but slower" >&2
  else
    echo "setup: halo is faster with: apt-get install ${missing[*]}" >&2
  fi
fi
# A compiler without the C library's headers builds nothing: Go alone does.
if [ -z "${CGO_ENABLED:-}" ] && command -v gcc >/dev/null && ! compiles; then
  export CGO_ENABLED=0
fi
