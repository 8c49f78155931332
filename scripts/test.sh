#!/usr/bin/env bash
# Installs what is missing and runs the tests. Arguments go to go test:
#   scripts/test.sh -run Digits -v
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
# the emulator of CUDA is made with g++
if ! command -v g++ >/dev/null && [ "${HALO_SETUP:-}" != minimal ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install g++ </dev/null || echo "test: apt-get failed: tests of the emulated CUDA device are skipped" >&2
  else
    echo "test: tests of the emulated CUDA device are skipped; with them: apt-get install g++" >&2
  fi
fi
# where the vendor libraries are, a test that cannot open one fails
loaded=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true)
here=('*libopenblas.so.0*' '*libdnnl.so*' '*libfftw3f.so.3*')
if [ -z "${HALO_NEED+set}" ] && [[ $loaded == ${here[0]} && $loaded == ${here[1]} && $loaded == ${here[2]} ]]; then
  export HALO_NEED=openblas,onednn,fftw,proc,sparse,links
  [[ " $*" == *' -race'* ]] || HALO_NEED+=,norace
  if [ "$(go env CGO_ENABLED)" != 0 ]; then
    HALO_NEED+=,native,dl,cc
    ! grep -qs ' fma .* f16c .* avx2 ' /proc/cpuinfo || HALO_NEED+=,avx2
    ! grep -qs ' avx512f .*avx512dq .*avx512cd .*avx512bw .*avx512vl ' /proc/cpuinfo || HALO_NEED+=,avx512
    ! echo '#include <vector>' | g++ -x c++ -E - >/dev/null 2>&1 || HALO_NEED+=,cuda-emu
    if [[ $loaded == *libmpi.so.40* && $loaded == *libmpich.so.12* ]] && command -v mpirun >/dev/null; then
      HALO_NEED+=,mpi
    fi
  fi
fi

# What failed is told once more at the end, where a log that has lost its head still has it.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
go test -timeout 1h "$@" ./... 2>&1 | tee "$log" || status=$?
if [ $status != 0 ]; then
  echo
  echo "test.sh: go test ended with $status: $(go version), CGO_ENABLED=$(go env CGO_ENABLED), $(nproc) CPUs," \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)," \
    "$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo) MB," \
    "HALO_NEED=${HALO_NEED:-}, HALO_CONFORMANCE=${HALO_CONFORMANCE:-}"
  # each failed package, and the first lines of each failed test, of a panic and of errors of the compiler
  awk '/^ *--- FAIL|^panic:|^fatal error:|^SIG|^# / {n = 4} /^FAIL/ {n = 1} n-- > 0 {print substr($0, 1, 300)}' "$log" |
    head -n 120
fi
exit $status
