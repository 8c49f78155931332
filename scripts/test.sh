#!/usr/bin/env bash
# Installs what is missing and runs the tests. Arguments go to go test:
#   scripts/test.sh -run Digits -v
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
# where the vendor libraries are, a test that cannot open one fails
loaded=$(ldconfig -p 2>/dev/null || true)
here=('*libopenblas.so.0*' '*libdnnl.so*' '*libfftw3f.so.3*')
if [ -z "${HALO_NEED+set}" ] && [[ $loaded == ${here[0]} && $loaded == ${here[1]} && $loaded == ${here[2]} ]]; then
  export HALO_NEED=openblas,onednn,fftw
  [ "$(go env CGO_ENABLED)" = 0 ] || HALO_NEED+=,native,dl
fi
exec go test "$@" ./...
