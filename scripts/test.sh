#!/usr/bin/env bash
# Installs what is missing and runs the tests. Arguments go to go test:
#   scripts/test.sh -run Digits -v
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
exec go test "$@" ./...
