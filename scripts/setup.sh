#!/usr/bin/env bash
# Sees to it that the project can be built here: finds Go, lets it fetch the toolchain go.mod asks for, and the modules.
# Says what to do where it cannot help itself. Needs no root and writes only where the go command does. The other
# scripts source it, to have go in PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
[ ! -s go.sum ] || go mod download

# Vendor libraries make the CPU backend fast: halo opens those that it finds when it runs. Here they are installed where
# that needs no question: as root, with apt-get. HALO_SETUP=minimal leaves the machine as it is.
libraries=(libopenblas.so.0=libopenblas0-pthread libdnnl.so.2=libdnnl2 libfftw3.so.3=libfftw3-double3
  libfftw3f.so.3=libfftw3-single3)
known=$(ldconfig -p 2>/dev/null || true)
missing=()
for pair in "${libraries[@]}"; do
  [[ $known == *"${pair%%=*} "* ]] || missing+=("${pair#*=}")
done
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
if [ ${#missing[@]} -gt 0 ] && [ "${HALO_SETUP:-}" != minimal ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing ${missing[*]}" >&2
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${missing[@]}"; } >/dev/null || echo "setup: apt-get failed: halo runs without ${missing[*]}, but slower" >&2
  else
    echo "setup: halo is faster with: apt-get install ${missing[*]}" >&2
  fi
fi
