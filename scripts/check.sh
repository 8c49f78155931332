#!/usr/bin/env bash
# Everything a change must pass: formatting, vet, staticcheck, the tests without C, with fused arithmetic, and with the
# race detector.
# Network: staticcheck is fetched once by the go command; HALO_OFFLINE=1 leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

step() { printf '== %s\n' "$*"; "$@"; }
unformatted() { # FILE...: fails if gofmt would change one
  local files
  files=$(gofmt -l "$@")
  [ -z "$files" ] || { printf 'gofmt would change:\n%s\n' "$files"; return 1; }
}

mapfile -t sources < <(find . -name '*.go' -not -path './.*' -not -path './build/*')
unformatted "${sources[@]}"
step go vet ./...
[ -n "${HALO_OFFLINE:-}" ] || step go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
step env CGO_ENABLED=0 go test ./...
# on processors of this kind Go fuses products and sums, as it does on arm64
if [ "$(go env GOARCH)" = amd64 ] && grep -qw fma /proc/cpuinfo; then
  step env GOAMD64=v3 CGO_ENABLED=0 go test -short ./xla/fourier ./xla/cholesky ./xla/hlo ./backend/cpu/scalar \
    ./backend/cpu/kernel
fi
step go test -race ./...
