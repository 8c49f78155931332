#!/usr/bin/env bash
# The C code under the compiler's sanitizers: undefined behaviour, then addresses. Packages may be named:
#   scripts/sanitize.sh ./cgo/loops/sort
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

[ $# -gt 0 ] || set -- ./cgo/... ./backend/cpu/... ./customcall
echo "== undefined behaviour"
undefined="-fsanitize=undefined -fno-sanitize-recover=undefined"
CGO_CFLAGS="-g -O2 $undefined" CGO_LDFLAGS="$undefined" go test -count=1 "$@"
echo "== addresses"
# C++ exceptions of plug-ins are seen only if their library is there from the start.
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
ASAN_OPTIONS=detect_leaks=0 go test -count=1 -asan -exec "env 'LD_PRELOAD=$preload'" "$@"
