#!/usr/bin/env bash
# Writes the terms of everything that is compiled into the tool: scripts/licenses.sh DIR
# It makes DIR/MODULE/LICENSE for each Go module of cmd/halo, and DIR/go/LICENSE for Go itself.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
into=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

modules=$(go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/halo | sort -u)
while read -r module folder; do
  install -D -m 644 "$folder/LICENSE" "$into/$module/LICENSE"
done <<<"go $(go env GOROOT)
$modules"
