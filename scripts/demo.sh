#!/usr/bin/env bash
# Installs what is missing and classifies pictures of handwritten digits: those named, or the ten that come along.
#   scripts/demo.sh [PICTURE.png|PICTURE.npy ...]
# It needs no FFTW, which is under the GPL, and installs none.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
pictures=()
for picture in "$@"; do
  pictures+=("$(realpath -- "$picture")")
done
cd "$here"
export HALO_SETUP=${HALO_SETUP:-nofftw}
source scripts/setup.sh
[ ${#pictures[@]} -gt 0 ] || pictures=(testdata/programs/digits/pictures/*.png)
echo "building; the first time that takes some minutes" >&2
exec go run ./examples/digits "${pictures[@]}"
