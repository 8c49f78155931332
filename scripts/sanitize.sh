#!/usr/bin/env bash
# The C code under the compiler's sanitizers: undefined behaviour, then addresses. Packages may be named:
#   scripts/sanitize.sh ./cgo/loops/sort
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

[ $# -gt 0 ] || set -- ./cgo/... ./ffi ./customcall ./customcall/isolate ./backend/cpu/...
echo "== undefined behaviour"
undefined="-fsanitize=undefined -fno-sanitize-recover=undefined"
CGO_CFLAGS="-g -O2 $undefined" CGO_LDFLAGS="$undefined" go test -p 1 -count=1 "$@"
echo "== addresses"
# C++ exceptions of plug-ins are seen only if their library is there from the start. Leaks are looked for where only
# our C code runs: LeakSanitizer itself stumbles over the threads of processes that have run programs, MPI leaves memory
# behind, and so does the compiler that the emulator starts.
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
for package in $(go list "$@"); do
  leaks=0
  [[ ! $package =~ /halo/cgo/ || $package =~ /cgo/(mpi|cuda/emu)$ ]] || leaks=1
  ASAN_OPTIONS=detect_leaks=$leaks go test -p 1 -count=1 -asan -exec "env 'LD_PRELOAD=$preload'" "$package"
done
