#!/usr/bin/env bash
# check-kernels.sh [FOLDER...]: writes the kernels of all programs in folders, by default of $HALO_CONFORMANCE, and
# compiles them with NVIDIA's compiler for each architecture. It needs no GPU. $HALO_CUDA12 and $HALO_CUDA13 say where
# the libraries of each version lie; by default their packages are installed below build/. $HALO_PYTHON is a Python with
# jax and numpy: with it the programs of $HALO_CONFORMANCE/bench, which are written in Python, are among the default.
# $HALO_ARCHS picks some of "12:sm_70 12:sm_80 ... 13:sm_100". Kernels that need a stack are listed, and fail without a
# reason. $HALO_KEEP is a folder for the sources, which are made again unless there are some. An architecture takes
# about five minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=${HALO_KEEP:-$work/kernels}
mkdir -p "$kernels"
archs=${HALO_ARCHS:-12:sm_70 12:sm_80 12:sm_90 12:sm_100 13:sm_80 13:sm_90 13:sm_100}

folders=("$@")
if [ $# = 0 ]; then
  : "${HALO_CONFORMANCE:?names no folder of programs}"
  folders=("$HALO_CONFORMANCE")
  if [ -n "${HALO_PYTHON:-}" ]; then
    "$HALO_PYTHON" "$HALO_CONFORMANCE/bench/peers.py" all --write "$work/bench" >"$work/written"
    folders+=("$work/bench")
  fi
fi
test=$work/cuda.test
go test -c -o "$test" ./backend/cuda
cd backend/cuda
if ! compgen -G "$kernels/*.cu" >/dev/null; then
  HALO_PROGRAMS=$(IFS=: && echo "${folders[*]}") HALO_KEEP=$kernels "$test" -test.v -test.run 'TestCorpus' |
    grep -E 'corpus_test|FAIL' | sed 's/^ *corpus_test.go:[0-9]*: //'
fi

# install VERSION PACKAGE prints the folder of a version's libraries.
install() {
  local path=HALO_CUDA$1 folder=$PWD/../../build/cuda$1
  if [ -z "${!path:-}" ]; then
    [ -d "$folder" ] || python3 -m pip install -q --target "$folder" "$2" >&2
    path=folder
  fi
  printf '%s' "${!path}"
}

status=0
for cell in $archs; do
  case $cell in
  12:*) path=$(install 12 nvidia-cuda-nvrtc-cu12) ;;
  *) path=$(install 13 nvidia-cuda-nvrtc) ;;
  esac
  echo "CUDA ${cell%:*}, ${cell#*:}"
  HALO_NEED=nvrtc HALO_CUDA_PATH=$path HALO_ARCHS=${cell#*:} HALO_KERNELS=$kernels \
    "$test" -test.v -test.timeout 60m -test.run 'TestKernels' >"$work/log" || status=1
  grep -E 'kernels_test|FAIL' "$work/log" | sed 's/^ *kernels_test.go:[0-9]*: //'
done
exit "$status"
