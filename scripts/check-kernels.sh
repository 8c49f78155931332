#!/usr/bin/env bash
# check-kernels.sh [FOLDER...]: writes the kernels of all programs in folders, by default of $HALO_CONFORMANCE, and
# compiles them with NVIDIA's compiler for each architecture. It needs no GPU. $HALO_CUDA12 and $HALO_CUDA13 say where
# the libraries of each version lie; by default their packages are installed below build/. Kernels that need a stack are
# listed. Takes about two minutes for an architecture.
set -euo pipefail
cd "$(dirname "$0")/.."
folders=${*:-${HALO_CONFORMANCE:?names no folder of programs}}
kernels=$(mktemp -d)
trap 'rm -rf "$kernels"' EXIT

programs=$(printf '%s:' $folders)
HALO_PROGRAMS=${programs%:} HALO_KEEP=$kernels \
	go test -count=1 -v -run 'TestCorpus' ./backend/cuda/emit | grep -E 'corpus_test|FAIL'

# install VERSION PACKAGE prints the folder of a version's libraries.
install() {
	local path=HALO_CUDA$1
	if [ -z "${!path:-}" ]; then
		[ -d "build/cuda$1" ] || python3 -m pip install -q --target "build/cuda$1" "$2" >&2
		printf '%s' "$PWD/build/cuda$1"
	else
		printf '%s' "${!path}"
	fi
}

# compile VERSION FOLDER ARCHITECTURE...
compile() {
	local version=$1 path=$2
	shift 2
	for arch; do
		echo "CUDA $version, $arch"
		HALO_NEED=nvrtc HALO_CUDA_PATH=$path HALO_ARCHS=$arch HALO_KERNELS=$kernels \
			go test -count=1 -v -timeout 30m -run 'TestKernels' ./backend/cuda |
			grep -E 'kernels_test|FAIL|^ok' | sed 's/^ *kernels_test.go:[0-9]*: //'
	done
}

cuda12=$(install 12 nvidia-cuda-nvrtc-cu12)
compile 12 "$cuda12" sm_70 sm_80 sm_90 sm_100
cuda13=$(install 13 nvidia-cuda-nvrtc)
compile 13 "$cuda13" sm_80 sm_90 sm_100
