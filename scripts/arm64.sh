#!/usr/bin/env bash
# The tests on arm64 where there is no such machine: built with Debian's cross compiler, run under qemu. Arguments go to
# go test; without any, the C code and what is nearest to it:
#   scripts/arm64.sh ./cgo/loops/sort -run Radix -v
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

needed=(aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu aarch64-linux-gnu-g++=g++-aarch64-linux-gnu
  qemu-aarch64-static=qemu-user-static)
missing=()
for pair in "${needed[@]}"; do
  command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
done
[ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || missing+=(libc6-dev-arm64-cross)
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "arm64: missing: apt-get install ${missing[*]}" >&2; exit 1; }
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}"; } >/dev/null
fi

# The kernel starts arm64 programs by qemu, in a name space of this script: tests start programs of their own.
if [ -z "${HALO_ARM64_INSIDE:-}" ]; then
  exec env HALO_ARM64_INSIDE=1 unshare --user --map-root-user --mount "$0" "$@"
fi
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" >/proc/sys/fs/binfmt_misc/register

# The compilers that tests of plug-ins call.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for pair in cc=gcc gcc=gcc c++=g++ g++=g++; do
  ln -s "$(command -v "aarch64-linux-gnu-${pair#*=}")" "$tools/${pair%=*}"
done
export PATH=$tools:$PATH QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
export GOOS=linux GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++

[ $# -gt 0 ] || set -- ./cgo/... ./ffi ./customcall ./customcall/isolate ./xla/fourier ./xla/cholesky ./xla/hlo \
  ./backend/cpu/...
go test -short -vet=off -timeout 3h "$@"
