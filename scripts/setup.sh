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
